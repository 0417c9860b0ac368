/** The messages between a node and the thread of a partner's module. Each is data that can be cloned. */
import type { Descriptor } from '../../core/channel/adapter.js'
import type { Traits } from '../../core/channel/traits.js'

/** The optional functions of an adapter. */
export const optionalMembers = [
  'traitsForDevice',
  'signal',
  'validateAuth',
  'probe',
  'find',
  'revoke',
  'openMedia',
  'follow',
  'connect',
] as const

export type OptionalMember = (typeof optionalMembers)[number]
export type Member = 'render' | 'send' | 'receive' | OptionalMember

export interface LoadedAdapter {
  readonly descriptor: Descriptor
  readonly members: readonly OptionalMember[]
}

/** The data of the contexts of an adapter's functions; the thread adds their functions. */
export interface ContextData {
  readonly auth: unknown
  readonly bindingId: string
  readonly ingressUrl: string
  /** The clock of the node when the call began. */
  readonly at: number
  /** Two calls with the same number share their memory. */
  readonly cacheNumber: number
  readonly isAborted: boolean
  readonly address?: string
  readonly id?: string
  readonly since?: number
  readonly connectionId?: number
}

export type CallbackName = 'call' | 'addressOf' | 'report'
export type SyncCallName = 'isCancelled' | 'isKnown'

export type ToThread =
  | {
      readonly kind: 'call'
      readonly id: number
      readonly adapter: number
      readonly member: Member
      readonly args: readonly unknown[]
      readonly contextData?: ContextData
    }
  | { readonly kind: 'abort' | 'closeConnection'; readonly id: number }
  | { readonly kind: 'callback'; readonly id: number; readonly answer?: unknown; readonly failed?: string }
  | { readonly kind: 'heartbeat' }

export type FromThread =
  | { readonly kind: 'loaded'; readonly adapters: readonly LoadedAdapter[] }
  | { readonly kind: 'unusable'; readonly problem: string }
  | { readonly kind: 'done'; readonly id: number; readonly answer?: unknown; readonly traits?: KnownTraits }
  | { readonly kind: 'failed'; readonly id: number; readonly problem: string }
  | {
      readonly kind: 'callback'
      readonly id: number
      readonly call: number
      readonly name: CallbackName
      readonly args: readonly unknown[]
    }
  /** The thread blocks until the node has written its answer into `cell`. */
  | {
      readonly kind: 'syncCall'
      readonly call: number
      readonly name: SyncCallName
      readonly arg?: string
      readonly cell: Int32Array
    }
  | { readonly kind: 'log'; readonly fields: Readonly<Record<string, string>> }
  | {
      readonly kind: 'heartbeat'
      readonly externalBytes: number
      readonly failures: readonly (readonly [line: number, trouble: string])[]
    }

/** The traits of every list of device capabilities in an answer. */
export type KnownTraits = readonly (readonly [abilities: readonly string[], traits: Traits])[]

/** The values that the node writes into the cell of a synchronous call. */
export const syncAnswers = { yes: 1, no: 2 } as const

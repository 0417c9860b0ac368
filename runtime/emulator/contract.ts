/** Types of the emulator page: agents with their phones, each of which has an account at an emulated provider. */
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'

/** The phone of a person on one channel. */
export interface Phone {
  readonly channel: ChannelName
  readonly provider: string
  /** The account at the emulated provider. */
  readonly account: string
  readonly address: string
  /** The conversation of this phone. */
  readonly asid: string
}

/** An agent on the emulator page, with its phones. */
export interface EmulatorScene extends AgentRef {
  readonly name: string
  /** Whether Parley plays the agent, or its webhook does. */
  readonly mode: 'managed' | 'webhook'
  /** What a person may write first. */
  readonly suggestions: readonly string[]
  readonly zone: string
  readonly phones: readonly Phone[]
  /** URL of the web chat page; absent if the agent has no web chat. */
  readonly chatUrl?: string
  /** The asid of a web chat visitor. */
  readonly asidOfVisitor: (visitorId: string) => string
}

/** A message that an emulated provider accepted. */
export interface SentMessage {
  readonly number: number
  readonly account: string
  readonly providerId: string
  readonly body: unknown
  readonly at: number
}

export type ActOutcome =
  | { readonly kind: 'performed'; readonly calls: number; readonly taken: boolean }
  | { readonly kind: 'impossible'; readonly why: string }

/** The part of the emulated providers that the page needs. */
export interface EmulatedProviders {
  sent(after: number, of: { readonly account: string }): readonly SentMessage[]
  act(account: string, address: string, act: PhoneAct): Promise<ActOutcome>
  /** Makes a phone unreachable on that channel, or reachable again. */
  setReachable(account: string, reachable: boolean): void
}

/** A picture; its URL contains the bytes. */
export interface PictureAct {
  readonly kind: 'media'
  readonly url: string
  readonly type: string
  readonly name: string
}

/** The acts of a person on a phone that emulated providers understand. */
export type PhoneAct =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tap'; readonly postback: string; readonly number: number }
  | { readonly kind: 'location'; readonly latitude: number; readonly longitude: number; readonly label?: string }
  | PictureAct
  | { readonly kind: 'typing' | 'read' | 'stop' | 'optOut' | 'optIn' | 'offline' | 'online' }

/** The acts of the page: those of a phone, taps with their label, and the loss of a channel. */
export type PageAct =
  | Exclude<PhoneAct, { kind: 'tap' }>
  | (Extract<PhoneAct, { kind: 'tap' }> & { readonly label: string })
  | { readonly kind: 'lose' | 'regain' }

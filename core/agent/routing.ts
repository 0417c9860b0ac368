/** Agent routing: what conversations need to send in an agent's name, built by the management plane. */

import type { AgentRef } from '../agentref.js'
import type { ChannelName } from '../channelnames.js'
import type { ReplyRule } from './replyrules.js'

/** A secret as the sealer opens it: `open(orgId, kind, id, sealed)`. */
export interface Sealed {
  readonly kind: string
  readonly id: string
  readonly sealed: Uint8Array
}

/** A binding of the agent, as conversations use it. */
export interface ChannelRoute {
  readonly bindingId: string
  readonly channel: ChannelName
  readonly provider: string
  readonly mode: 'managed' | 'unmanaged'
  readonly routingId?: string
  readonly delivery?: {
    readonly minMessageDelayMs?: number
    readonly loopGuard?: { readonly messages: number; readonly seconds: number }
  }
  readonly compliance?: { readonly enabled: boolean; readonly disclaimerText?: string }
  /** Web chat only: appearance and allowed sites, as the operator entered them. */
  readonly inputs?: Readonly<Record<string, unknown>>
  /** The provider's credentials, JSON once opened; absent when the provider needs none. */
  readonly auth?: Sealed
}

export interface AgentRouting extends AgentRef {
  readonly name: string
  readonly mode: 'managed' | 'webhook'
  /** Without a webhook: the agent has a playbook or a fact that answers. */
  readonly speaks?: true
  readonly webhook?: { readonly webhookUrl: string; readonly instanceId: string }
  readonly signingSecret: Sealed
  readonly identity: Readonly<Partial<Record<string, string>>>
  /** Enabled rules in their order; absent when there is none. */
  readonly rules?: readonly ReplyRule[]
  /** Active bindings, at most one for each channel: the agent sends over these and no others. */
  readonly channels: readonly ChannelRoute[]
  /** Bindings that need their operator or are disabled: they receive, and sending over them is refused. */
  readonly notReady: readonly ChannelRoute[]
  /** The org's time zone, an IANA name. */
  readonly timeZone?: string
}

type Routes = Pick<AgentRouting, 'channels' | 'notReady'>

/** The binding with that id, whether it may send or only receives. */
export function routeOfBinding({ channels, notReady }: Routes, bindingId: string): ChannelRoute | undefined {
  const hasId = (each: ChannelRoute) => each.bindingId === bindingId
  return channels.find(hasId) ?? notReady.find(hasId)
}

/** The binding of a channel that has no active one: it receives and may not send. */
export function notReadyOn({ channels, notReady }: Routes, channel: ChannelName): ChannelRoute | undefined {
  const isOnChannel = (each: ChannelRoute) => each.channel === channel
  return channels.some(isOnChannel) ? undefined : notReady.find(isOnChannel)
}

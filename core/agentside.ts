/** An agent as conversations know it: gathered by those who keep agents, used by those who carry messages. */
import type { AgentPlace } from './agentkey.js'
import type { ChannelName } from './channel/names.js'

/** A secret as the sealer opens it: `open(orgId, kind, id, sealed)`. */
export interface Sealed {
  readonly kind: string
  readonly id: string
  readonly sealed: Uint8Array
}

/** A binding by which the agent can be reached and can send. */
export interface ChannelRoute {
  readonly bindingId: string
  readonly channel: ChannelName
  readonly provider: string
  readonly mode: 'managed' | 'unmanaged'
  readonly routingId?: string
  readonly delivery?: { readonly minMessageDelayMs?: number }
  readonly compliance?: { readonly enabled: boolean; readonly disclaimerText?: string }
  /** How web chat looks, and on which sites: what the operator filled in for it. */
  readonly inputs?: Readonly<Record<string, unknown>>
  /** The provider's credentials, JSON once opened; absent where none are needed. */
  readonly auth?: Sealed
}

export interface AgentSide extends AgentPlace {
  readonly name: string
  readonly mode: 'managed' | 'webhook'
  readonly webhook?: { readonly webhookUrl: string; readonly instanceId: string }
  readonly signingSecret: Sealed
  readonly identity: Readonly<Partial<Record<string, string>>>
  /** Active bindings, at most one a channel. */
  readonly channels: readonly ChannelRoute[]
  /** Channels whose binding is switched off, which is another refusal than having none. */
  readonly disabled: readonly ChannelName[]
}

/** Everything a conversation needs to know of its agent in order to send, gathered in the agent's shard by one query. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channel/names.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { secretKind } from './credentials.js'
import type { AgentWebhook, Mode } from './schema.js'
import { gatewayTable, modeOf, notFound } from './store.js'

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
  /** The provider's credentials, JSON once opened; absent where none are needed. */
  readonly auth?: Sealed
}

export interface AgentSide extends AgentPlace {
  readonly name: string
  readonly mode: Mode
  readonly webhook?: AgentWebhook
  readonly signingSecret: Sealed
  readonly identity: Readonly<Partial<Record<string, string>>>
  /** Active bindings, at most one a channel. */
  readonly channels: readonly ChannelRoute[]
  /** Channels whose binding is switched off, which is another refusal than having none. */
  readonly disabled: readonly ChannelName[]
}

/** What other areas keep in the agent's shard. */
export interface RouteSources {
  agent(
    reader: Reader,
    place: AgentPlace,
  ): { readonly name: string; readonly identity?: Readonly<Partial<Record<string, string>>> } | undefined
  channels(reader: Reader, place: AgentPlace): Pick<AgentSide, 'channels' | 'disabled'>
}

export function agentRoutesQuery(sources: RouteSources): Query<AgentPlace, AgentSide> {
  return {
    name: 'gateway.routes',
    read(reader, { orgId, agentId }) {
      const place = { orgId, agentId }
      const agent = sources.agent(reader, place)
      const record = reader.get(gatewayTable, [orgId, agentId])
      if (!agent || !record) return notFound
      const { id, sealed } = record.secret
      return {
        ...place,
        name: agent.name,
        mode: modeOf(record),
        ...(record.webhook && { webhook: record.webhook }),
        signingSecret: { kind: secretKind, id, sealed },
        identity: agent.identity ?? {},
        ...sources.channels(reader, place),
      }
    },
  }
}

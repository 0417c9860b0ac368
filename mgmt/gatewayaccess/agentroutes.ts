/** Everything a conversation needs to know of its agent in order to send, gathered in the agent's shard by one query. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { AgentSide } from '../../core/agentside.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { secretKind } from './credentials.js'
import { gatewayTable, modeOf, notFound } from './store.js'

/** What other areas keep in the agent's shard. */
export interface RouteSources {
  agent(
    reader: Reader,
    place: AgentPlace,
  ): { readonly name: string; readonly identity?: Readonly<Partial<Record<string, string>>> } | undefined
  channels(reader: Reader, place: AgentPlace): Pick<AgentSide, 'channels' | 'notReady'>
  rules?(reader: Reader, place: AgentPlace): AgentSide['rules']
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
      const rules = sources.rules?.(reader, place) ?? []
      return {
        ...place,
        name: agent.name,
        mode: modeOf(record),
        ...(record.webhook && { webhook: record.webhook }),
        signingSecret: { kind: secretKind, id, sealed },
        identity: agent.identity ?? {},
        ...(rules.length > 0 && { rules }),
        ...sources.channels(reader, place),
      }
    },
  }
}

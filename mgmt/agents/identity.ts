/** The routes of an agent's identity: the one source of its contact details. */
import { actorOf } from '../../core/access.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { isRefusal } from '../../core/errors.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { AgentCommands } from './commands.js'
import { Identity, IdentityPatch, ofAgents, reading, writing } from './schema.js'
import { agentQueries } from './store.js'

export interface IdentityRoutesOptions<C> {
  readonly shards: Shards
  readonly commands: Pick<AgentCommands<C>, 'update' | 'setIdentity'>
}

export function identityRoutes<C>({ shards, commands }: IdentityRoutesOptions<C>): Route[] {
  const about = { ...ofAgents, path: '/orgs/{org}/agents/{agent}/identity', reply: { 200: Identity } } as const
  return [
    route({
      ...about,
      access: reading,
      method: 'GET',
      summary: 'Read the identity of an agent',
      async handler({ params: { org: orgId, agent: agentId } }) {
        const place = { orgId, agentId }
        const agent = await shards.read(agentKeyOf(place), agentQueries.read, place)
        return isRefusal(agent) ? agent : json(200, agent.identity ?? {})
      },
    }),
    route({
      ...about,
      access: writing,
      method: 'PUT',
      summary: 'Replace the identity of an agent',
      body: Identity,
      errors: ['request.invalid'],
      async handler({ params: { org: orgId, agent: agentId }, body: identity, caller }) {
        const place = { orgId, agentId }
        const input = { ...place, identity }
        const agent = await shards.ask(agentKeyOf(place), commands.setIdentity, input, { by: actorOf(caller) })
        return isRefusal(agent) ? agent : json(200, agent.identity ?? {})
      },
    }),
    route({
      ...about,
      access: writing,
      method: 'PATCH',
      summary: 'Change single fields of the identity; null takes one away',
      body: IdentityPatch,
      errors: ['request.invalid'],
      async handler({ params: { org: orgId, agent: agentId }, body: identity, caller }) {
        const place = { orgId, agentId }
        const input = { ...place, change: { identity } }
        const agent = await shards.ask(agentKeyOf(place), commands.update, input, { by: actorOf(caller) })
        return isRefusal(agent) ? agent : json(200, agent.identity ?? {})
      },
    }),
  ]
}

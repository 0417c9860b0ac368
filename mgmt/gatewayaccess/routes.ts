/** The management routes of an agent's gateway access: what it is, and new credentials. */
import { actorOf } from '../../core/access.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { isRefusal } from '../../core/errors.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { makeToken, markOf, newSecret, type RandomBytes, type Seal } from '../agents/credentials.js'
import type { GatewayCommands } from './commands.js'
import { GatewayAccess, SecretOnce, TokenOnce } from './schema.js'
import { gatewayQueries } from './store.js'
import { ownerOfToken, tokenIndex } from './tokenindex.js'

export interface GatewayRoutesOptions {
  readonly shards: Shards
  readonly commands: GatewayCommands
  readonly sealer: Seal
  readonly randomBytes: RandomBytes
}

const path = '/orgs/{org}/agents/{agent}/gateway'
const about = { plane: 'mgmt', tag: 'Gateway access' } as const
const writing = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const

export function gatewayAccessRoutes({ shards, commands, sealer, randomBytes }: GatewayRoutesOptions): Route[] {
  return [
    route({
      ...about,
      access: { who: 'member', role: 'viewer', scopes: ['agents:read'] },
      method: 'GET',
      path,
      summary: 'Read how an agent reaches the gateway and the gateway the agent',
      reply: { 200: GatewayAccess },
      async handler({ params: { org: orgId, agent: agentId } }) {
        const place = { orgId, agentId }
        const found = await shards.read(agentKeyOf(place), gatewayQueries.read, place)
        return isRefusal(found) ? found : json(200, found)
      },
    }),
    route({
      ...about,
      access: writing,
      method: 'POST',
      path: `${path}/_rotateToken`,
      summary: 'Replace the access token; the old one is refused at once',
      reply: { 200: TokenOnce },
      async handler({ params: { org: orgId, agent: agentId }, caller }) {
        const place = { orgId, agentId }
        const accessToken = makeToken(randomBytes)
        const token = markOf(accessToken)
        const { hash } = token
        // The index comes first: a row without its token harms nobody, while a token without its row would open nothing.
        const indexed = await shards.ask(ownerOfToken(hash), tokenIndex.put, { ...place, hash })
        if (isRefusal(indexed)) return indexed
        const input = { ...place, token }
        const done = await shards.ask(agentKeyOf(place), commands.rotateToken, input, { by: actorOf(caller) })
        if (!isRefusal(done)) return json(200, { accessToken })
        shards.ask(ownerOfToken(hash), tokenIndex.remove, { hash }).catch(() => {
          // Nobody will ever hold the token of that row.
        })
        return done
      },
    }),
    route({
      ...about,
      access: writing,
      method: 'POST',
      path: `${path}/_rotateSecret`,
      summary: 'Replace the signing secret; the old one signs nothing from now on',
      reply: { 200: SecretOnce },
      async handler({ params: { org: orgId, agent: agentId }, caller }) {
        const place = { orgId, agentId }
        const made = await newSecret(orgId, { sealer, randomBytes })
        if (isRefusal(made)) return made
        const { signingSecret, secret } = made
        const input = { ...place, secret }
        const done = await shards.ask(agentKeyOf(place), commands.rotateSecret, input, { by: actorOf(caller) })
        return isRefusal(done) ? done : json(200, { signingSecret })
      },
    }),
  ]
}

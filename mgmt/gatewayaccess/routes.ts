/** Management routes of an agent's gateway access: read it, rotate its credentials. */
import { actorOf } from '../../core/access.js'
import { formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { digestToken, generateSecret, generateToken, type RandomBytes, type Seal } from '../agents/credentials.js'
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
const common = { plane: 'mgmt', tag: 'Gateway access' } as const
const writeAccess = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const

export function gatewayAccessRoutes({ shards, commands, sealer, randomBytes }: GatewayRoutesOptions): Route[] {
  return [
    route({
      ...common,
      access: { who: 'member', role: 'viewer', scopes: ['agents:read'] },
      method: 'GET',
      path,
      summary: 'Read how an agent reaches the gateway and the gateway the agent',
      reply: { 200: GatewayAccess },
      async handler({ params: { org: orgId, agent: agentId } }) {
        const agentRef = { orgId, agentId }
        const view = await shards.query(formatAgentKey(agentRef), gatewayQueries.read, agentRef)
        return isRefusal(view) ? view : json(200, view)
      },
    }),
    route({
      ...common,
      access: writeAccess,
      method: 'POST',
      path: `${path}/_rotateToken`,
      summary: 'Replace the access token; the old one is refused at once',
      reply: { 200: TokenOnce },
      async handler({ params: { org: orgId, agent: agentId }, caller }) {
        const agentRef = { orgId, agentId }
        const accessToken = generateToken(randomBytes)
        const token = digestToken(accessToken)
        const { hash } = token
        // The index row comes first. Without its token it does no harm, while a token without an index row finds no
        // agent.
        const indexed = await shards.execute(ownerOfToken(hash), tokenIndex.put, { ...agentRef, hash })
        if (isRefusal(indexed)) return indexed
        const input = { ...agentRef, token }
        const outcome = await shards.execute(formatAgentKey(agentRef), commands.rotateToken, input, {
          by: actorOf(caller),
        })
        if (!isRefusal(outcome)) return json(200, { accessToken })
        shards.execute(ownerOfToken(hash), tokenIndex.remove, { hash }).catch(() => {
          // The index row stays; its token is never given out.
        })
        return outcome
      },
    }),
    route({
      ...common,
      access: writeAccess,
      method: 'POST',
      path: `${path}/_rotateSecret`,
      summary: 'Replace the signing secret; the old one signs nothing from now on',
      reply: { 200: SecretOnce },
      async handler({ params: { org: orgId, agent: agentId }, caller }) {
        const agentRef = { orgId, agentId }
        const generated = await generateSecret(orgId, { sealer, randomBytes })
        if (isRefusal(generated)) return generated
        const { signingSecret, secret } = generated
        const input = { ...agentRef, secret }
        const outcome = await shards.execute(formatAgentKey(agentRef), commands.rotateSecret, input, {
          by: actorOf(caller),
        })
        return isRefusal(outcome) ? outcome : json(200, { signingSecret })
      },
    }),
  ]
}

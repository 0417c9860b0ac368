/** Routes of emulator grants: links that stay valid until they expire or are revoked, and sittings of an hour. */
import { actorOf } from '../../core/access.js'
import { formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { emulatorSitting } from '../../core/limits/index.js'
import type { Clock } from '../../runtime/clock.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import { paginateIfRequested } from '../../runtime/http/pagination.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { emulatorLinkCommands as commands, type NamedGrant, emulatorLinkQueries as queries } from './emulatorlinks.js'
import {
  EmulatorLinkCreate,
  EmulatorLinkCreated,
  EmulatorLinkList,
  GrantView,
  ofPersonas,
  PageQuery,
  writeAccess,
} from './schema.js'

export interface EmulatorRoutesOptions {
  readonly shards: Shards
  readonly grants: { mint(grant: NamedGrant & { readonly expiresAt: number }): string }
  readonly clock: Clock
  readonly pages: PageTokens
  readonly randomBytes: (count: number) => Uint8Array
}

const idBytes = 17
const viewAccess = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const
const collection = '/orgs/{org}/agents/{agent}/emulator-links'

export function emulatorRoutes({ shards, grants, clock, pages, randomBytes }: EmulatorRoutesOptions): Route[] {
  const newId = () => idFromBytes('egr', randomBytes(idBytes))
  return [
    route({
      ...ofPersonas,
      access: viewAccess,
      method: 'GET',
      path: collection,
      summary: 'List the emulator links of the agent, oldest first; never their tokens',
      query: PageQuery,
      reply: { 200: EmulatorLinkList },
      errors: ['request.invalid'],
      async handler({ params: { org: orgId, agent: agentId }, query }) {
        const agent = { orgId, agentId }
        const all = await shards.query(formatAgentKey(agent), queries.list, agent)
        if (isRefusal(all)) return all
        const list = paginateIfRequested(all, {
          ...query,
          pageTokens: pages,
          scope: `emulator-links:${formatAgentKey(agent)}`,
        })
        return isRefusal(list) ? list : json(200, list)
      },
    }),
    route({
      ...ofPersonas,
      access: writeAccess,
      method: 'POST',
      path: collection,
      summary: 'Make a link that lets others try this agent in the sandbox, and nothing else; its token is shown once',
      body: EmulatorLinkCreate,
      bodyOptional: true,
      reply: { 201: EmulatorLinkCreated },
      async handler({ params: { org: orgId, agent: agentId }, body, caller }) {
        const agent = { orgId, agentId }
        const input = { ...agent, ...body, linkId: newId() }
        const created = await shards.execute(formatAgentKey(agent), commands.create, input, { by: actorOf(caller) })
        if (isRefusal(created)) return created
        const { incarnation, ...link } = created
        const grant = {
          ...agent,
          form: 'link',
          id: link.id,
          incarnation,
          expiresAt: Date.parse(link.expiresAt),
        } as const
        return json(201, { ...link, token: grants.mint(grant) })
      },
    }),
    route({
      ...ofPersonas,
      access: writeAccess,
      method: 'DELETE',
      path: `${collection}/{linkId}`,
      summary: 'Revoke an emulator link at once',
      reply: { 204: null },
      async handler({ params: { org: orgId, agent: agentId, linkId }, caller }) {
        const agent = { orgId, agentId }
        const removed = await shards.execute(
          formatAgentKey(agent),
          commands.remove,
          { ...agent, linkId },
          { by: actorOf(caller) },
        )
        return isRefusal(removed) ? removed : noContent
      },
    }),
    route({
      ...ofPersonas,
      access: writeAccess,
      method: 'POST',
      path: '/orgs/{org}/agents/{agent}/emulator/sittings',
      summary: 'Make a grant of one hour to try this agent in the sandbox',
      reply: { 201: GrantView },
      async handler({ params: { org: orgId, agent: agentId } }) {
        const agent = { orgId, agentId }
        const incarnation = await shards.query(formatAgentKey(agent), queries.incarnation, agent)
        if (isRefusal(incarnation)) return incarnation
        const id = newId()
        const expiresAt = clock.now() + emulatorSitting.lifetimeMs
        const token = grants.mint({ ...agent, form: 'sitting', id, incarnation, expiresAt })
        return json(201, { id, token, expiresAt: new Date(expiresAt).toISOString() })
      },
    }),
  ]
}

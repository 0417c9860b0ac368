/** The routes of emulator grants: links that others keep until they end or are revoked, and sittings of an hour. */
import { actorOf } from '../../core/access.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { isRefusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { emulatorSitting } from '../../core/limits.js'
import type { Clock } from '../../runtime/clock.js'
import type { Pages } from '../../runtime/http/page.js'
import { wholeOrPaged } from '../../runtime/http/paged.js'
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
  writing,
} from './schema.js'

export interface EmulatorRoutesOptions {
  readonly shards: Shards
  readonly grants: { mint(grant: NamedGrant & { readonly expiresAt: number }): string }
  readonly clock: Clock
  readonly pages: Pages
  readonly randomBytes: (count: number) => Uint8Array
}

const idBytes = 17
const viewing = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const
const collection = '/orgs/{org}/agents/{agent}/emulator-links'

export function emulatorRoutes({ shards, grants, clock, pages, randomBytes }: EmulatorRoutesOptions): Route[] {
  const newId = () => idFromBytes('egr', randomBytes(idBytes))
  return [
    route({
      ...ofPersonas,
      access: viewing,
      method: 'GET',
      path: collection,
      summary: 'List the emulator links of the agent, oldest first; never their tokens',
      query: PageQuery,
      reply: { 200: EmulatorLinkList },
      errors: ['request.invalid'],
      async handler({ params: { org: orgId, agent: agentId }, query }) {
        const place = { orgId, agentId }
        const all = await shards.read(agentKeyOf(place), queries.list, place)
        if (isRefusal(all)) return all
        const found = wholeOrPaged(all, { ...query, pages, scope: `emulator-links:${agentKeyOf(place)}` })
        return isRefusal(found) ? found : json(200, found)
      },
    }),
    route({
      ...ofPersonas,
      access: writing,
      method: 'POST',
      path: collection,
      summary: 'Make a link by which others rehearse with this agent, and with nothing else; its token is shown once',
      body: EmulatorLinkCreate,
      bodyOptional: true,
      reply: { 201: EmulatorLinkCreated },
      async handler({ params: { org: orgId, agent: agentId }, body, caller }) {
        const place = { orgId, agentId }
        const asked = { ...place, ...body, linkId: newId() }
        const made = await shards.ask(agentKeyOf(place), commands.create, asked, { by: actorOf(caller) })
        if (isRefusal(made)) return made
        const { serial, ...link } = made
        const grant = { ...place, form: 'link', id: link.id, serial, expiresAt: Date.parse(link.expiresAt) } as const
        return json(201, { ...link, token: grants.mint(grant) })
      },
    }),
    route({
      ...ofPersonas,
      access: writing,
      method: 'DELETE',
      path: `${collection}/{linkId}`,
      summary: 'Revoke an emulator link at once',
      reply: { 204: null },
      async handler({ params: { org: orgId, agent: agentId, linkId }, caller }) {
        const place = { orgId, agentId }
        const done = await shards.ask(agentKeyOf(place), commands.remove, { ...place, linkId }, { by: actorOf(caller) })
        return isRefusal(done) ? done : noContent
      },
    }),
    route({
      ...ofPersonas,
      access: writing,
      method: 'POST',
      path: '/orgs/{org}/agents/{agent}/emulator/sittings',
      summary: 'Make a grant of one hour to rehearse with this agent',
      reply: { 201: GrantView },
      async handler({ params: { org: orgId, agent: agentId } }) {
        const place = { orgId, agentId }
        const serial = await shards.read(agentKeyOf(place), queries.serial, place)
        if (isRefusal(serial)) return serial
        const id = newId()
        const expiresAt = clock.now() + emulatorSitting.lifetimeMs
        const token = grants.mint({ ...place, form: 'sitting', id, serial, expiresAt })
        return json(201, { id, token, expiresAt: new Date(expiresAt).toISOString() })
      },
    }),
  ]
}

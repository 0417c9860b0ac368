/** The routes that create, list and delete agents; reads and changes of an agent are endpoints of its document. */

import { actorOf } from '../../core/access.js'
import { formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { page } from '../../core/limits/index.js'
import { conditionHeaders, conditionsOf } from '../../runtime/http/etag.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { AgentCommands } from './commands.js'
import { withExamples } from './computedexamples.js'
import { generateCredentials } from './credentials.js'
import { firstVersion } from './documentcache.js'
import { type DocumentRoutesOptions, documentRoutes } from './documentroutes.js'
import { frameworkError } from './endpoints/identity.js'
import { etagOf } from './etag.js'
import { reservations } from './reservations.js'
import { Agent, AgentCreate, AgentList, PageQuery, readAccess, routeDefaults, writeAccess } from './schema.js'
import { agentQueries } from './store.js'

export interface AgentRoutesOptions extends DocumentRoutesOptions {
  readonly shards: Shards
  readonly commands: AgentCommands
  readonly pages: PageTokens
  readonly randomBytes: (count: number) => Uint8Array
}

const collectionPath = '/orgs/{org}/agents'
const itemPath = '/orgs/{org}/agents/{agent}'

export function agentRoutes(options: AgentRoutesOptions): Route[] {
  return withExamples([...collection(options), ...documentRoutes(options), ...item(options)])
}

function collection({ shards, commands, pages, sealer, randomBytes }: AgentRoutesOptions): Route[] {
  return [
    route({
      ...routeDefaults,
      access: readAccess,
      method: 'GET',
      path: collectionPath,
      summary: 'List the agents of the org, in the order of their ids',
      query: PageQuery,
      reply: { 200: AgentList },
      errors: ['request.invalid'],
      async handler({ params: { org: orgId }, query: { limit = page.defaultRows, pageToken } }) {
        const scope = `agents:${orgId}`
        const after = pages.read(scope, pageToken)
        if (isRefusal(after)) return after
        const listing = await shards.query(orgId, reservations.ids, {
          orgId,
          after: after?.[0] as string | undefined,
          limit,
        })
        if (isRefusal(listing)) return listing
        const agentRefs = listing.ids.map((agentId) => ({ orgId, agentId }))
        const results = await Promise.all(
          agentRefs.map((agentRef) => shards.query(formatAgentKey(agentRef), agentQueries.read, agentRef)),
        )
        const failed = results.find((each) => isRefusal(each) && each.refused !== 'resource.not_found')
        if (failed) return failed as Refusal
        const data = results.filter((each) => !isRefusal(each))
        return json(200, { data, ...(listing.last && { nextPageToken: pages.write(scope, [listing.last]) }) })
      },
    }),
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'POST',
      path: collectionPath,
      hasEtag: true,
      summary: 'Make an agent; it has a web chat and its gateway credentials from the start',
      body: AgentCreate,
      reply: { 201: Agent },
      errors: ['request.invalid', 'agent.id_taken', 'agent.framework.invalid'],
      async handler({ params: { org: orgId }, body: { id, framework, ...fields }, caller }) {
        const refusal = frameworkError(framework)
        if (refusal) return refusal
        const credentials = await generateCredentials(orgId, { sealer, randomBytes })
        if (isRefusal(credentials)) return credentials
        const by = actorOf(caller)
        const input = { ...fields, orgId, credentials }
        const reserved = await shards.execute(
          orgId,
          commands.reserveId,
          { ...input, ...(id !== undefined && { id }) },
          { by },
        )
        if (isRefusal(reserved)) return reserved
        const owner = formatAgentKey({ orgId, agentId: reserved.agentId })
        const created = await shards.execute(owner, commands.create, { ...input, ...reserved }, { by })
        return isRefusal(created) ? created : json(201, created, { etag: etagOf(reserved.incarnation, firstVersion) })
      },
    }),
  ]
}

function item({ shards, commands }: AgentRoutesOptions): Route[] {
  return [
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete an agent with all that hangs on it; its credentials are refused at once',
      headers: conditionHeaders,
      reply: { 204: null },
      errors: ['request.precondition_failed'],
      async handler({ params: { org: orgId, agent: agentId }, caller, header }) {
        const agentRef = { orgId, agentId }
        const input = { ...agentRef, ...conditionsOf(header) }
        const removed = await shards.execute(formatAgentKey(agentRef), commands.remove, input, { by: actorOf(caller) })
        if (isRefusal(removed)) return removed
        // The agent is deleted; if the org's shard is unavailable, the agent's outbound command releases the id later.
        await shards.execute(orgId, reservations.release, { ...agentRef, ...removed })
        return noContent
      },
    }),
  ]
}

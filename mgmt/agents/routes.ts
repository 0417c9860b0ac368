/** The routes of agents: making, listing and deleting them; reading and changing them are rows of the document. */

import { actorOf } from '../../core/access.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { invalid, isRefusal, type Refusal } from '../../core/errors.js'
import { page } from '../../core/limits.js'
import { conditionHeaders, conditionsOf } from '../../runtime/http/etag.js'
import type { Pages } from '../../runtime/http/page.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { claims } from './claims.js'
import type { AgentCommands } from './commands.js'
import { newCredentials } from './credentials.js'
import { firstVersion } from './document.js'
import { type DocumentRoutesOptions, documentRoutes } from './documentroutes.js'
import { etagOf } from './etag.js'
import { withExamples } from './examples.js'
import { wrongFramework } from './resources/about.js'
import { Agent, AgentCreate, AgentList, ofAgents, PageQuery, reading, writing } from './schema.js'
import { agentQueries } from './store.js'

export interface AgentRoutesOptions extends DocumentRoutesOptions {
  readonly shards: Shards
  readonly commands: AgentCommands
  readonly pages: Pages
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
      ...ofAgents,
      access: reading,
      method: 'GET',
      path: collectionPath,
      summary: 'List the agents of the org, in the order of their ids',
      query: PageQuery,
      reply: { 200: AgentList },
      errors: ['request.invalid'],
      async handler({ params: { org: orgId }, query: { limit = page.defaultRows, pageToken } }) {
        const scope = `agents:${orgId}`
        const after = pageToken === undefined ? undefined : pages.read(scope, pageToken)
        if (pageToken !== undefined && !after) return invalid('pageToken', 'is not a token of this list')
        const found = await shards.read(orgId, claims.ids, { orgId, after: after?.[0] as string | undefined, limit })
        if (isRefusal(found)) return found
        const places = found.ids.map((agentId) => ({ orgId, agentId }))
        const read = await Promise.all(places.map((place) => shards.read(agentKeyOf(place), agentQueries.read, place)))
        const failed = read.find((each) => isRefusal(each) && each.refused !== 'resource.not_found')
        if (failed) return failed as Refusal
        const data = read.filter((each) => !isRefusal(each))
        return json(200, { data, ...(found.last && { nextPageToken: pages.write(scope, [found.last]) }) })
      },
    }),
    route({
      ...ofAgents,
      access: writing,
      method: 'POST',
      path: collectionPath,
      hasEtag: true,
      summary: 'Make an agent; it has a web chat and its gateway credentials from the start',
      body: AgentCreate,
      reply: { 201: Agent },
      errors: ['request.invalid', 'agent.id_taken', 'agent.framework.invalid'],
      async handler({ params: { org: orgId }, body: { id, framework, ...given }, caller }) {
        const wrong = wrongFramework(framework)
        if (wrong) return wrong
        const credentials = await newCredentials(orgId, { sealer, randomBytes })
        if (isRefusal(credentials)) return credentials
        const by = actorOf(caller)
        const about = { ...given, orgId, credentials }
        const claimed = await shards.ask(orgId, commands.claim, { ...about, ...(id !== undefined && { id }) }, { by })
        if (isRefusal(claimed)) return claimed
        const owner = agentKeyOf({ orgId, agentId: claimed.agentId })
        const made = await shards.ask(owner, commands.make, { ...about, ...claimed }, { by })
        return isRefusal(made) ? made : json(201, made, { etag: etagOf(claimed.serial, firstVersion) })
      },
    }),
  ]
}

function item({ shards, commands }: AgentRoutesOptions): Route[] {
  return [
    route({
      ...ofAgents,
      access: writing,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete an agent with all that hangs on it; its credentials are refused at once',
      headers: conditionHeaders,
      reply: { 204: null },
      errors: ['request.precondition_failed'],
      async handler({ params: { org: orgId, agent: agentId }, caller, header }) {
        const place = { orgId, agentId }
        const input = { ...place, ...conditionsOf(header) }
        const removed = await shards.ask(agentKeyOf(place), commands.remove, input, { by: actorOf(caller) })
        if (isRefusal(removed)) return removed
        // The agent is gone; when the org cannot be reached just now, the agent's shard goes on telling it.
        await shards.ask(orgId, claims.release, { ...place, ...removed })
        return noContent
      },
    }),
  ]
}

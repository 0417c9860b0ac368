/** The routes of rules that send by themselves. */
import Type from 'typebox'
import { actorOf } from '../../core/access.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { RowView, rowStates } from '../../core/automation/row.js'
import { AutomatedOutreach, AutomatedOutreachBody, AutomatedOutreachPatch } from '../../core/automation/rule.js'
import { invalid, isRefusal } from '../../core/errors.js'
import { page } from '../../core/limits.js'
import type { Pages } from '../../runtime/http/page.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { OneRule, Rules } from './rules.js'

export interface AutomationRoutesOptions {
  readonly shards: Shards
  readonly pages: Pages
  readonly rules: Pick<Rules, 'commands' | 'queries'>
}

const ofRules = { plane: 'mgmt', tag: 'Outreach' } as const
const reading = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const
const writing = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const

const collectionPath = '/orgs/{org}/agents/{agent}/automated-outreach'
const itemPath = `${collectionPath}/{id}` as const

const closed = { additionalProperties: false } as const
const RuleList = Type.Object({ data: Type.Array(AutomatedOutreach) }, { ...closed, title: 'AutomatedOutreachList' })
const RowList = Type.Object(
  { data: Type.Array(RowView), nextPageToken: Type.Optional(Type.String()) },
  { ...closed, title: 'AutomatedOutreachRowList' },
)
const RowQuery = Type.Object(
  {
    state: Type.Optional(Type.Enum([...rowStates])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: page.maxRows })),
    pageToken: Type.Optional(Type.String({ maxLength: 2_000 })),
  },
  closed,
)

type ItemParams = { readonly org: string; readonly agent: string; readonly id: string }

function placeOf({ org: orgId, agent: agentId, id: ruleId }: ItemParams): OneRule {
  return { orgId, agentId, ruleId }
}

const wrongWrite = ['request.invalid', 'agent.not_found', 'agent.outreach.not_found'] as const

export function automationRoutes(options: AutomationRoutesOptions): Route[] {
  return [...collection(options), ...item(options), rowsRoute(options)]
}

function collection({ shards, rules }: AutomationRoutesOptions): Route[] {
  return [
    route({
      ...ofRules,
      access: reading,
      method: 'GET',
      path: collectionPath,
      summary: 'List the rules that send by themselves, in the order of their making',
      reply: { 200: RuleList },
      errors: ['agent.not_found'],
      async handler({ params: { org: orgId, agent: agentId } }) {
        const place = { orgId, agentId }
        const found = await shards.read(agentKeyOf(place), rules.queries.list, place)
        return isRefusal(found) ? found : json(200, { data: [...found] })
      },
    }),
    route({
      ...ofRules,
      access: writing,
      method: 'POST',
      path: collectionPath,
      summary: 'Make a rule: what becomes of a person, and the outreach that follows from it',
      body: AutomatedOutreachBody,
      reply: { 201: AutomatedOutreach },
      errors: wrongWrite,
      async handler({ params: { org: orgId, agent: agentId }, body, caller }) {
        const place = { orgId, agentId }
        const by = actorOf(caller)
        const made = await shards.ask(agentKeyOf(place), rules.commands.create, { ...place, body }, { by })
        return isRefusal(made) ? made : json(201, made)
      },
    }),
  ]
}

function item({ shards, rules }: AutomationRoutesOptions): Route[] {
  const { commands, queries } = rules
  return [
    route({
      ...ofRules,
      access: reading,
      method: 'GET',
      path: itemPath,
      summary: 'Read a rule',
      reply: { 200: AutomatedOutreach },
      errors: ['agent.not_found'],
      async handler({ params }) {
        const place = placeOf(params)
        const rule = await shards.read(agentKeyOf(place), queries.one, place)
        return isRefusal(rule) ? rule : json(200, rule)
      },
    }),
    route({
      ...ofRules,
      access: writing,
      method: 'PATCH',
      path: itemPath,
      summary: 'Change some of a rule; what it has set off already keeps its time',
      body: AutomatedOutreachPatch,
      reply: { 200: AutomatedOutreach },
      errors: wrongWrite,
      async handler({ params, body, caller }) {
        const asked = { ...placeOf(params), change: { kind: 'patch' as const, body } }
        const rule = await shards.ask(agentKeyOf(asked), commands.change, asked, { by: actorOf(caller) })
        return isRefusal(rule) ? rule : json(200, rule)
      },
    }),
    route({
      ...ofRules,
      access: writing,
      method: 'PUT',
      path: itemPath,
      summary: 'Replace a rule; what is left out is as usual',
      body: AutomatedOutreachBody,
      reply: { 200: AutomatedOutreach },
      errors: wrongWrite,
      async handler({ params, body, caller }) {
        const asked = { ...placeOf(params), change: { kind: 'replace' as const, body } }
        const rule = await shards.ask(agentKeyOf(asked), commands.change, asked, { by: actorOf(caller) })
        return isRefusal(rule) ? rule : json(200, rule)
      },
    }),
    route({
      ...ofRules,
      access: writing,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete a rule; nothing more comes of it, and sends that it made run on',
      reply: { 204: null },
      errors: ['agent.not_found'],
      async handler({ params, caller }) {
        const place = placeOf(params)
        const gone = await shards.ask(agentKeyOf(place), commands.remove, place, { by: actorOf(caller) })
        return isRefusal(gone) ? gone : noContent
      },
    }),
  ]
}

function rowsRoute({ shards, rules, pages }: AutomationRoutesOptions): Route {
  return route({
    ...ofRules,
    access: reading,
    method: 'GET',
    path: `${itemPath}/rows`,
    summary: 'List what became of each person under a rule, newest people first',
    query: RowQuery,
    reply: { 200: RowList },
    errors: ['request.invalid', 'agent.not_found'],
    async handler({ params, query: { limit = page.defaultRows, pageToken, state } }) {
      const place = placeOf(params)
      const scope = `automation:${agentKeyOf(place)}:${place.ruleId}:${state ?? ''}`
      const from = pageToken === undefined ? undefined : pages.read(scope, pageToken)
      if (pageToken !== undefined && !from) return invalid('pageToken', 'is not a token of this list')
      const data: RowView[] = []
      let after = from?.[0] as string | undefined
      do {
        const asked = { ...place, limit: limit - data.length, ...(state && { state }), ...(after && { after }) }
        const found = await shards.read(agentKeyOf(place), rules.queries.rows, asked)
        if (isRefusal(found)) return found
        data.push(...found.data)
        after = found.after
      } while (after !== undefined && data.length < limit)
      return json(200, after === undefined ? { data } : { data, nextPageToken: pages.write(scope, [after]) })
    },
  })
}

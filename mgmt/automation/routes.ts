/** The routes of automation rules. */
import Type from 'typebox'
import { actorOf } from '../../core/access.js'
import { formatAgentKey } from '../../core/agentref.js'
import { AutomatedOutreach, AutomatedOutreachBody, AutomatedOutreachPatch } from '../../core/automation/rule.js'
import { RunView, runStates } from '../../core/automation/run.js'
import { isRefusal } from '../../core/errors.js'
import { page } from '../../core/limits/index.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { RuleRef, Rules } from './rules.js'

export interface AutomationRoutesOptions {
  readonly shards: Shards
  readonly pages: PageTokens
  readonly rules: Pick<Rules, 'commands' | 'queries'>
}

const routeDefaults = { plane: 'mgmt', tag: 'Outreach' } as const
const readAccess = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const
const writeAccess = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const

const collectionPath = '/orgs/{org}/agents/{agent}/automated-outreach'
const itemPath = `${collectionPath}/{id}` as const

const closed = { additionalProperties: false } as const
const RuleList = Type.Object({ data: Type.Array(AutomatedOutreach) }, { ...closed, title: 'AutomatedOutreachList' })
const RowList = Type.Object(
  { data: Type.Array(RunView), nextPageToken: Type.Optional(Type.String()) },
  { ...closed, title: 'AutomatedOutreachRowList' },
)
const RowQuery = Type.Object(
  {
    state: Type.Optional(Type.Enum([...runStates])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: page.maxRows })),
    pageToken: Type.Optional(Type.String({ maxLength: 2_000 })),
  },
  closed,
)

type ItemParams = { readonly org: string; readonly agent: string; readonly id: string }

function ruleRefOf({ org: orgId, agent: agentId, id: ruleId }: ItemParams): RuleRef {
  return { orgId, agentId, ruleId }
}

const writeErrors = ['request.invalid', 'agent.not_found', 'agent.outreach.not_found'] as const

export function automationRoutes(options: AutomationRoutesOptions): Route[] {
  return [...collection(options), ...item(options), runsRoute(options)]
}

function collection({ shards, rules }: AutomationRoutesOptions): Route[] {
  return [
    route({
      ...routeDefaults,
      access: readAccess,
      method: 'GET',
      path: collectionPath,
      summary: 'List the rules that send by themselves, in the order of their making',
      reply: { 200: RuleList },
      errors: ['agent.not_found'],
      async handler({ params: { org: orgId, agent: agentId } }) {
        const agent = { orgId, agentId }
        const result = await shards.query(formatAgentKey(agent), rules.queries.list, agent)
        return isRefusal(result) ? result : json(200, { data: [...result] })
      },
    }),
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'POST',
      path: collectionPath,
      summary: 'Make a rule: what becomes of a person, and the outreach that follows from it',
      body: AutomatedOutreachBody,
      reply: { 201: AutomatedOutreach },
      errors: writeErrors,
      async handler({ params: { org: orgId, agent: agentId }, body, caller }) {
        const agent = { orgId, agentId }
        const by = actorOf(caller)
        const created = await shards.execute(formatAgentKey(agent), rules.commands.create, { ...agent, body }, { by })
        return isRefusal(created) ? created : json(201, created)
      },
    }),
  ]
}

function item({ shards, rules }: AutomationRoutesOptions): Route[] {
  const { commands, queries } = rules
  return [
    route({
      ...routeDefaults,
      access: readAccess,
      method: 'GET',
      path: itemPath,
      summary: 'Read a rule',
      reply: { 200: AutomatedOutreach },
      errors: ['agent.not_found'],
      async handler({ params }) {
        const ref = ruleRefOf(params)
        const rule = await shards.query(formatAgentKey(ref), queries.one, ref)
        return isRefusal(rule) ? rule : json(200, rule)
      },
    }),
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'PATCH',
      path: itemPath,
      summary: 'Change some of a rule; what it has set off already keeps its time',
      body: AutomatedOutreachPatch,
      reply: { 200: AutomatedOutreach },
      errors: writeErrors,
      async handler({ params, body, caller }) {
        const input = { ...ruleRefOf(params), change: { kind: 'patch' as const, body } }
        const rule = await shards.execute(formatAgentKey(input), commands.change, input, { by: actorOf(caller) })
        return isRefusal(rule) ? rule : json(200, rule)
      },
    }),
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'PUT',
      path: itemPath,
      summary: 'Replace a rule; what is left out is as usual',
      body: AutomatedOutreachBody,
      reply: { 200: AutomatedOutreach },
      errors: writeErrors,
      async handler({ params, body, caller }) {
        const input = { ...ruleRefOf(params), change: { kind: 'replace' as const, body } }
        const rule = await shards.execute(formatAgentKey(input), commands.change, input, { by: actorOf(caller) })
        return isRefusal(rule) ? rule : json(200, rule)
      },
    }),
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete a rule; nothing more comes of it, and sends that it made run on',
      reply: { 204: null },
      errors: ['agent.not_found'],
      async handler({ params, caller }) {
        const ref = ruleRefOf(params)
        const removed = await shards.execute(formatAgentKey(ref), commands.remove, ref, { by: actorOf(caller) })
        return isRefusal(removed) ? removed : noContent
      },
    }),
  ]
}

function runsRoute({ shards, rules, pages }: AutomationRoutesOptions): Route {
  return route({
    ...routeDefaults,
    access: readAccess,
    method: 'GET',
    path: `${itemPath}/rows`,
    summary: 'List what became of each person under a rule, newest people first',
    query: RowQuery,
    reply: { 200: RowList },
    errors: ['request.invalid', 'agent.not_found'],
    async handler({ params, query: { limit = page.defaultRows, pageToken, state } }) {
      const ref = ruleRefOf(params)
      const scope = `automation:${formatAgentKey(ref)}:${ref.ruleId}:${state ?? ''}`
      const cursor = pages.read(scope, pageToken)
      if (isRefusal(cursor)) return cursor
      const data: RunView[] = []
      let after = cursor?.[0] as string | undefined
      do {
        const input = { ...ref, limit: limit - data.length, ...(state && { state }), ...(after && { after }) }
        const result = await shards.query(formatAgentKey(ref), rules.queries.runs, input)
        if (isRefusal(result)) return result
        data.push(...result.data)
        after = result.after
      } while (after !== undefined && data.length < limit)
      return json(200, after === undefined ? { data } : { data, nextPageToken: pages.write(scope, [after]) })
    },
  })
}

/** Makes the rows of an agent's document into routes, and adds the one that tells who changed what. */
import { actorOf, type Member } from '../../core/access.js'
import { misshapen } from '../../core/agent/index.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { invalid, isRefusal, type Refusal } from '../../core/errors.js'
import { agentDocument as limits, page } from '../../core/limits.js'
import type { Pages } from '../../runtime/http/page.js'
import { type Answer, json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Sealer } from '../../runtime/store/sealer.js'
import { ActivityList, ActivityQuery } from './activity.js'
import type { AgentDocuments, Shown } from './documents.js'
import { type GenerateOptions, generateRoute } from './generating.js'
import { type Asked, type LookUp, nameOf, type Resource } from './resource.js'
import { agentResources } from './resources/index.js'
import { ofAgents } from './schema.js'
import { sealSecrets } from './secrets.js'
import { viewOf } from './views.js'
import { readYaml, writeYaml, yamlType, yamlTypes } from './yaml.js'

export interface DocumentRoutesOptions extends Pick<LookUp, 'geocode'>, Pick<GenerateOptions, 'model' | 'clock'> {
  readonly shards: Shards
  readonly documents: AgentDocuments
  readonly sealer: Pick<Sealer, 'seal'>
  readonly pages: Pages
}

const agentPath = '/orgs/{org}/agents/{agent}'

export function documentRoutes(options: DocumentRoutesOptions): Route[] {
  const rows = agentResources.filter(({ isInner }) => !isInner)
  return [...rows.map((row) => routeOf(row, options)), activityRoute(options), generateRoute(options)]
}

interface RowCall extends Asked {
  readonly caller: Member
  header(name: string): string
}

function routeOf(resource: Resource, { shards, documents, sealer, geocode }: DocumentRoutesOptions): Route {
  const { method, path, summary, tag, access, params, query, body, isCheckedBefore, reply } = resource
  const { bodyLimitBytes = limits.bodyBytes, errors = [], write, yaml } = resource
  const name = nameOf(resource)

  async function handler(call: RowCall): Promise<Answer | Refusal> {
    const { org: orgId, agent: agentId, ...named } = call.params as { org: string; agent: string }
    const place = { orgId, agentId }
    const given = call.body instanceof Uint8Array ? readYaml(call.body) : { value: call.body }
    if (isRefusal(given)) return given
    const asked: Asked = { params: named, query: call.query, body: given.value }
    if (!write) {
      const shown = await shards.read(agentKeyOf(place), documents.queries.view, { ...place, resource: name, asked })
      return yaml === 'reply' && !wantsJson(call) ? inYaml(shown) : answer(shown)
    }
    // A body that is not of its shape goes no further: the shard judges only what the document has a say in.
    const wrong = body && !isCheckedBefore && misshapen(body, asked.body, resource.bodyAt)
    if (wrong) return wrong
    const found = await resource.lookUp?.(asked, { view: viewOf(place, { shards, documents }), geocode })
    if (isRefusal(found)) return found
    const parted = resource.part?.(asked)
    if (isRefusal(parted)) return parted
    const secrets = parted && (await sealSecrets(sealer, place, parted))
    if (isRefusal(secrets)) return secrets
    const input = {
      ...place,
      resource: name,
      asked: { ...asked, ...(parted && { body: parted.body }), ...(found !== undefined && { found }) },
      ifMatch: call.header('if-match'),
      ...(secrets && { secrets }),
    }
    const by = actorOf(call.caller)
    return answer(await shards.ask(agentKeyOf(place), documents.commands.write, input, { by }))
  }

  return {
    plane: 'mgmt',
    tag,
    access,
    method,
    path: agentPath + path,
    summary,
    ...(params && { params }),
    ...(query && { query }),
    ...(body && { body, bodyLimitBytes, ...(!isCheckedBefore && { bodyUnchecked: true as const }) }),
    ...(write && { headers: ['if-match'] }),
    ...(yaml === 'reply' && { headers: ['accept'], replyTypes: [yamlType] }),
    ...(yaml === 'body' && { rawTypes: yamlTypes }),
    reply,
    errors: write ? [...errors, 'request.precondition_failed'] : errors,
    handler: handler as unknown as Route['handler'],
  }
}

function answer(outcome: Shown | Refusal): Answer | Refusal {
  if (isRefusal(outcome)) return outcome
  const { status, json: shown, etag } = outcome
  return status === 204 ? { status, headers: { etag } } : json(status, shown, { etag })
}

/** Whoever names a format gets that one. */
function wantsJson({ query: { format }, header }: RowCall): boolean {
  return format === undefined ? /^application\/json\b/i.test(header('accept')) : format === 'json'
}

function inYaml(outcome: Shown | Refusal): Answer | Refusal {
  if (isRefusal(outcome)) return outcome
  const { status, json: shown, etag } = outcome
  return { status, type: yamlType, body: writeYaml(shown), headers: { etag } }
}

function activityRoute({ shards, documents, pages }: DocumentRoutesOptions): Route {
  return route({
    ...ofAgents,
    access: { who: 'member', role: 'viewer', scopes: ['messages:read'] },
    method: 'GET',
    path: `${agentPath}/activity`,
    summary: 'Read who changed what of an agent, newest first',
    query: ActivityQuery,
    reply: { 200: ActivityList },
    errors: ['request.invalid'],
    async handler({ params: { org: orgId, agent: agentId }, query: { limit = page.defaultRows, pageToken } }) {
      const place = { orgId, agentId }
      const scope = `activity:${agentKeyOf(place)}`
      const after = pageToken === undefined ? undefined : pages.read(scope, pageToken)
      if (pageToken !== undefined && !after) return invalid('pageToken', 'is not a token of this list')
      const before = after?.[0] as number | undefined
      const found = await shards.read(agentKeyOf(place), documents.queries.activity, { ...place, before, limit })
      if (isRefusal(found)) return found
      const { data, last } = found
      return json(200, last === undefined ? { data } : { data, nextPageToken: pages.write(scope, [last]) })
    },
  })
}

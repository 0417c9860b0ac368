/**
 * The route that a journey platform calls: one send for each step. Every business outcome is a success, and the route
 * has a budget of its own.
 */
import { hash } from 'node:crypto'
import Type from 'typebox'
import { actorOf } from '../../core/access.js'
import type { Outreach } from '../../core/agent/resources/templates.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { actionDefinition } from '../../core/journey/definition.js'
import { idempotencyKeyOf } from '../../core/journey/key.js'
import { malformedRequest, readJourneyCall } from '../../core/journey/request.js'
import { journeyStatusOf, responseOf, responseOfRefusal, type SendResult } from '../../core/journey/response.js'
import { outreachSend as limits } from '../../core/limits/index.js'
import type { Clock } from '../../runtime/clock.js'
import { readJson } from '../../runtime/http/json.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { AgentDocuments } from '../agents/documentoperations.js'
import type { Sends } from '../outreach/api.js'
import { ActionDefinitionAnswer, JourneySendAnswer, JourneySendBody, JourneyStatusAnswer } from './schema.js'

export interface JourneyRouteDeps {
  readonly shards: Shards
  readonly documents: Pick<AgentDocuments, 'queries'>
  readonly sends: Sends
  /** Base URL of the management API, without its version. */
  readonly mgmtUrl: () => string
  readonly clock: Clock
}

const agentPath = '/orgs/{org}/agents/{agent}/integrations/journey'
const common = { plane: 'mgmt', tag: 'Journeys' } as const
const readAccess = { who: 'member', role: 'viewer', scopes: ['integrations:journey', 'people:read'] } as const

export function journeyRoutes({ shards, documents, sends, mgmtUrl, clock }: JourneyRouteDeps): Route[] {
  async function outreachOf(agent: AgentRef, outreachId: string): Promise<Outreach | Refusal> {
    const request = { endpointName: 'GET /outreach/{outreachId}', request: { params: { outreachId }, query: {} } }
    const view = await shards.query(formatAgentKey(agent), documents.queries.view, { ...agent, ...request })
    if (!isRefusal(view)) return view.json as Outreach
    return view.refused === 'agent.outreach.not_found' ? refuse(view.refused, { status: 404 }) : view
  }

  async function statusOf(orgId: string, agentId: string, sendId: string) {
    const send = await sends.sendOf({ orgId, agentId }, sendId)
    return isRefusal(send) ? send : json(200, journeyStatusOf(send))
  }

  return [
    route({
      ...common,
      method: 'POST',
      path: `${agentPath}/outreach/{outreachId}/sends`,
      summary: 'Send an outreach from a journey',
      access: { who: 'member', role: 'editor', scopes: ['integrations:journey', 'people:write'] },
      budget: 'journey',
      body: JourneySendBody,
      bodyUnchecked: true,
      rawTypes: ['*/*'],
      malformedStatus: 400,
      reply: { 200: JourneySendAnswer },
      errors: [
        'request.invalid',
        'resource.not_found',
        'agent.outreach.not_found',
        'agent.outreach_send.upstream',
        'agent.outreach_send.timeout',
      ],
      async handler({ caller, params: { org: orgId, agent: agentId, outreachId }, body }) {
        // The server has parsed bodies of a JSON content type; any other body is still bytes.
        const received: unknown = body
        const read = received instanceof Uint8Array ? readJson(received as Buffer) : { value: received }
        if ('problem' in read) return malformedRequest([read.problem])
        const call = readJourneyCall(read.value)
        if (isRefusal(call)) return call
        const key = idempotencyKeyOf(call, outreachId, clock.now(), hashOf)
        const idempotencyKey = key.key === undefined ? {} : { idempotencyKey: key.key }
        const request = Object.assign({}, call.send, { outreachId }, idempotencyKey)
        const sendOptions = { isDryRun: call.isDryRun, answerMs: limits.journeyAnswerMs }
        const result = await sends.create({ orgId, agentId }, request, actorOf(caller), sendOptions)
        // Only sends of other origins than `named` are deferred, so this result is a SendResult.
        if (!isRefusal(result)) return json(200, responseOf(result as SendResult, key))
        const answer = responseOfRefusal(result, key)
        return isRefusal(answer) ? answer : json(200, answer)
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${agentPath}/sends/{sendId}`,
      summary: 'What became of a send',
      access: readAccess,
      reply: { 200: JourneyStatusAnswer },
      errors: ['resource.not_found'],
      handler: ({ params: { org, agent, sendId } }) => statusOf(org, agent, sendId),
    }),
    route({
      ...common,
      method: 'GET',
      path: `${agentPath}/sends`,
      summary: 'What became of a send, named in the query',
      access: readAccess,
      query: Type.Object({ sendId: Type.String({ minLength: 1, maxLength: 200 }) }),
      malformedStatus: 400,
      reply: { 200: JourneyStatusAnswer },
      errors: ['resource.not_found', 'request.invalid'],
      handler: ({ params: { org, agent }, query: { sendId } }) => statusOf(org, agent, sendId),
    }),
    route({
      ...common,
      method: 'GET',
      path: `${agentPath}/outreach/{outreachId}/action-definition`,
      summary: 'The action to enter into the journey platform',
      access: { who: 'member', role: 'viewer', scopes: ['integrations:journey', 'agents:read'] },
      reply: { 200: ActionDefinitionAnswer },
      errors: ['resource.not_found', 'agent.outreach.not_found', 'agent.outreach.journey_incompatible_inputs'],
      async handler({ params: { org: orgId, agent: agentId, outreachId } }) {
        const outreach = await outreachOf({ orgId, agentId }, outreachId)
        if (isRefusal(outreach)) return outreach
        const url = `${mgmtUrl()}/v1/orgs/${orgId}/agents/${agentId}/integrations/journey`
        const definition = actionDefinition({ agentId, outreach, url })
        return isRefusal(definition) ? definition : json(200, definition)
      },
    }),
  ]
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64url')
}

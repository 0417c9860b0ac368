/** The journey platform's way in: one send a step, every outcome of business a success, and its own budget. */
import { hash } from 'node:crypto'
import Type from 'typebox'
import { actorOf } from '../../core/access.js'
import type { Outreach } from '../../core/agent/resources/templates.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { answerOf, answerOfRefusal, statusOfSend, type Taken } from '../../core/journey/answer.js'
import { actionDefinition } from '../../core/journey/definition.js'
import { keyOf } from '../../core/journey/key.js'
import { malformed, readJourneyCall } from '../../core/journey/request.js'
import { outreachSend as limits } from '../../core/limits.js'
import type { Clock } from '../../runtime/clock.js'
import { readJson } from '../../runtime/http/json.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { AgentDocuments } from '../agents/documents.js'
import type { Sends } from '../outreach/api.js'
import { ActionDefinitionAnswer, JourneySendAnswer, JourneySendBody, JourneyStatusAnswer } from './schema.js'

export interface JourneyRouteDeps {
  readonly shards: Shards
  readonly documents: Pick<AgentDocuments, 'queries'>
  readonly sends: Sends
  /** Where callers reach the management API, without its version. */
  readonly mgmtUrl: () => string
  readonly clock: Clock
}

const below = '/orgs/{org}/agents/{agent}/integrations/journey'
const common = { plane: 'mgmt', tag: 'Journeys' } as const
const reading = { who: 'member', role: 'viewer', scopes: ['integrations:journey', 'people:read'] } as const

export function journeyRoutes({ shards, documents, sends, mgmtUrl, clock }: JourneyRouteDeps): Route[] {
  async function outreachOf(place: AgentPlace, outreachId: string): Promise<Outreach | Refusal> {
    const asked = { resource: 'GET /outreach/{outreachId}', asked: { params: { outreachId }, query: {} } }
    const shown = await shards.read(agentKeyOf(place), documents.queries.view, { ...place, ...asked })
    if (!isRefusal(shown)) return shown.json as Outreach
    return shown.refused === 'agent.outreach.not_found' ? refuse(shown.refused, { status: 404 }) : shown
  }

  async function statusOf(orgId: string, agentId: string, sendId: string) {
    const send = await sends.sendOf({ orgId, agentId }, sendId)
    return isRefusal(send) ? send : json(200, statusOfSend(send))
  }

  return [
    route({
      ...common,
      method: 'POST',
      path: `${below}/outreach/{outreachId}/sends`,
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
        // What says that it is JSON has been read; of anything else the bytes are here.
        const given: unknown = body
        const read = given instanceof Uint8Array ? readJson(given as Buffer) : { value: given }
        if ('problem' in read) return malformed([read.problem])
        const call = readJourneyCall(read.value)
        if (isRefusal(call)) return call
        const key = keyOf(call, outreachId, clock.now(), hashOf)
        const request = { ...call.send, outreachId, ...(key.key !== undefined && { idempotencyKey: key.key }) }
        const how = { isDryRun: call.isDryRun, answerMs: limits.journeyAnswerMs }
        const taken = await sends.create({ orgId, agentId }, request, actorOf(caller), how)
        // Only sends that are not named are ever postponed.
        if (!isRefusal(taken)) return json(200, answerOf(taken as Taken, key))
        const answer = answerOfRefusal(taken, key)
        return isRefusal(answer) ? answer : json(200, answer)
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${below}/sends/{sendId}`,
      summary: 'What became of a send',
      access: reading,
      reply: { 200: JourneyStatusAnswer },
      errors: ['resource.not_found'],
      handler: ({ params: { org, agent, sendId } }) => statusOf(org, agent, sendId),
    }),
    route({
      ...common,
      method: 'GET',
      path: `${below}/sends`,
      summary: 'What became of a send, named in the query',
      access: reading,
      query: Type.Object({ sendId: Type.String({ minLength: 1, maxLength: 200 }) }),
      malformedStatus: 400,
      reply: { 200: JourneyStatusAnswer },
      errors: ['resource.not_found', 'request.invalid'],
      handler: ({ params: { org, agent }, query: { sendId } }) => statusOf(org, agent, sendId),
    }),
    route({
      ...common,
      method: 'GET',
      path: `${below}/outreach/{outreachId}/action-definition`,
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

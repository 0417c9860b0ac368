/** Puts the journey's routes over sends and the agent's document. */
import type { Outreach } from '../core/agent/resources/templates.js'
import { type AgentPlace, agentKeyOf } from '../core/agentkey.js'
import { isRefusal, type Refusal, refuse } from '../core/errors.js'
import type { Taken } from '../core/journey/answer.js'
import type { AgentDocuments } from '../mgmt/agents/documents.js'
import { journeyRoutes } from '../mgmt/journey/routes.js'
import type { AroundSends, OutreachParts } from '../mgmt/outreach/open.js'
import type { Route } from './http/route.js'

export interface JourneyAround extends AroundSends {
  readonly outreach: OutreachParts
  readonly documents: AgentDocuments
  readonly mgmtUrl: () => string
}

export function journeys({ outreach, documents, mgmtUrl, ...around }: JourneyAround): Route[] {
  const { shards, clock } = around
  const desk = outreach.desk(around)

  async function outreachOf(place: AgentPlace, outreachId: string): Promise<Outreach | Refusal> {
    const asked = { resource: 'GET /outreach/{outreachId}', asked: { params: { outreachId }, query: {} } }
    const shown = await shards.read(agentKeyOf(place), documents.queries.view, { ...place, ...asked })
    if (!isRefusal(shown)) return shown.json as Outreach
    return shown.refused === 'agent.outreach.not_found' ? refuse(shown.refused, { status: 404 }) : shown
  }

  return journeyRoutes({
    // Only sends that are not named are ever postponed.
    create: (place, request, { by, ...how }) => desk.create(place, request, by, how) as Promise<Taken | Refusal>,
    sendOf: (place, sendId) => shards.read(agentKeyOf(place), outreach.queries.record, { ...place, sendId }),
    outreachOf,
    mgmtUrl: () => `${mgmtUrl()}/v1`,
    clock,
  })
}

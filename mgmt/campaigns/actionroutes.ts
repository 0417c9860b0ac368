/** The routes that stage, send, pause and cancel a campaign, and that retry recipients who were not reached. */
import { type Actor, actorOf } from '../../core/access.js'
import { formatAgentKey } from '../../core/agentref.js'
import type { RecipientState } from '../../core/campaign/recipient.js'
import { CampaignStaged, CampaignView } from '../../core/campaign/view.js'
import { type ErrorCode, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { campaign as limits } from '../../core/limits/index.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { CampaignId } from './load.js'
import type { CampaignRouteDeps } from './operations.js'
import { campaignIdOf, itemPath, routeDefaults, writeAccess } from './schema.js'

const actions = {
  start: 'Send a staged campaign to everybody who can be sent to',
  pause: 'Hand out nothing more for now; what a conversation has taken still goes',
  resume: 'Go on exactly where it was paused',
  cancel: 'End a campaign: nothing more goes out, and the report stays',
} as const

export function actionRoutes(options: CampaignRouteDeps): Route[] {
  const names = Object.keys(actions) as (keyof typeof actions)[]
  return [stageRoute(options), ...names.map((name) => actionRoute(options, name)), retryRoute(options)]
}

function actionRoute({ shards, operations: { commands } }: CampaignRouteDeps, name: keyof typeof actions): Route {
  return route({
    ...routeDefaults,
    access: writeAccess,
    method: 'POST',
    path: `${itemPath}/${name}`,
    summary: actions[name],
    reply: { 200: CampaignView },
    errors: ['agent.not_found', 'agent.campaign.state_conflict'],
    async handler({ params, caller }) {
      const ids = campaignIdOf(params)
      const after = await shards.execute(formatAgentKey(ids), commands[name], ids, { by: actorOf(caller) })
      return isRefusal(after) ? after : json(200, after)
    },
  })
}

const changedMeanwhile = refuse('agent.campaign.state_conflict', {
  detail: 'The campaign was changed while it was staged.',
})

function stageRoute({ shards, operations: { commands, queries } }: CampaignRouteDeps): Route {
  /** Runs the staging steps, one commit each, until the snapshot is complete. */
  async function runStaging(ids: CampaignId, by: Actor | undefined): Promise<true | Refusal> {
    const owner = formatAgentKey(ids)
    const started = await shards.execute(owner, commands.beginStaging, ids, by ? { by } : {})
    if (isRefusal(started)) return started
    for (;;) {
      const answer = await shards.execute(owner, commands.step, started)
      if (isRefusal(answer)) return answer
      if (answer === 'complete') return true
      if (answer === 'abandoned') return changedMeanwhile
    }
  }

  return route({
    ...routeDefaults,
    access: writeAccess,
    method: 'POST',
    path: `${itemPath}/stage`,
    summary: 'Take a snapshot of the audience, check everybody in it, and say what sending to them comes to',
    reply: { 200: CampaignStaged },
    errors: [
      'agent.not_found',
      'agent.campaign.invalid',
      'agent.campaign.immutable',
      'agent.campaign.state_conflict',
    ] satisfies ErrorCode[],
    async handler({ params, caller }) {
      const ids = campaignIdOf(params)
      const outcome = await runStaging(ids, actorOf(caller))
      if (isRefusal(outcome)) return outcome
      const result = await shards.query(formatAgentKey(ids), queries.stagingResult, ids)
      return isRefusal(result) ? result : json(200, result)
    },
  })
}

function retryRoute({ shards, operations: { commands, queries } }: CampaignRouteDeps): Route {
  /** Recipients of failed sends: people, or personas of a test campaign. */
  async function listUnreached(ids: CampaignId): Promise<{ people: string[]; personas: string[] } | Refusal> {
    const [people, personas]: [string[], string[]] = [[], []]
    let after: number | undefined
    do {
      const input = {
        ...ids,
        limit: limits.rowsPerRead,
        ...(after !== undefined && { after }),
      }
      const page = await shards.query(formatAgentKey(ids), queries.recipients, input)
      if (isRefusal(page)) return page
      for (const { view } of page.rows) {
        if (!unreachedStates.includes(view.state)) continue
        if (view.personaId === undefined) people.push(view.personId)
        else personas.push(view.personaId)
      }
      after = page.after
    } while (after !== undefined)
    return { people, personas }
  }

  return route({
    ...routeDefaults,
    access: writeAccess,
    method: 'POST',
    path: `${itemPath}/retry-failed`,
    summary: 'Draft a campaign for those whom this one did not reach, because it failed or was cancelled',
    reply: { 201: CampaignView },
    errors: ['request.invalid', 'agent.not_found', 'agent.outreach.not_found', 'agent.campaign.state_conflict'],
    async handler({ params, caller }) {
      const ids = campaignIdOf(params)
      const before = await shards.query(formatAgentKey(ids), queries.one, ids)
      if (isRefusal(before)) return before
      if (before.endedAt === undefined) {
        return refuse('agent.campaign.state_conflict', { detail: `The campaign is ${before.status}.` })
      }
      const failed = await listUnreached(ids)
      if (isRefusal(failed)) return failed
      const { people, personas } = failed
      if (people.length + personas.length === 0) {
        return refuse('agent.campaign.state_conflict', { detail: 'Everybody who was to be sent to was reached.' })
      }
      const { name, outreachId, sendWindow } = before
      const body = {
        name: `${name.slice(0, limits.nameChars - retrySuffix.length)}${retrySuffix}`,
        outreachId,
        audience: people.length > 0 ? { personIds: people } : { personaIds: personas },
        // Some may count as previously contacted although the message did not arrive.
        includePreviouslyContacted: true,
        ...(sendWindow && { sendWindow }),
      }
      const { orgId, agentId } = ids
      const input = { orgId, agentId, body }
      const created = await shards.execute(formatAgentKey(ids), commands.create, input, { by: actorOf(caller) })
      return isRefusal(created) ? created : json(201, created)
    },
  })
}

/** States of recipients that the campaign did not reach. */
const unreachedStates: readonly RecipientState[] = ['failed', 'cancelled']
const retrySuffix = ', once more'

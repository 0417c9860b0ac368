/** The routes by which a campaign is staged, sent, held and ended, and by which those who were not reached are tried again. */
import { type Actor, actorOf } from '../../core/access.js'
import { agentKeyOf } from '../../core/agentkey.js'
import type { RecipientState } from '../../core/campaign/recipient.js'
import { CampaignStaged, CampaignView } from '../../core/campaign/view.js'
import { type ErrorCode, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { campaign as limits } from '../../core/limits.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { CampaignId } from './load.js'
import type { CampaignRouteDeps } from './operations.js'
import { itemPath, namedIn, ofCampaigns, writing } from './schema.js'

const moves = {
  start: 'Send a staged campaign to everybody who can be sent to',
  pause: 'Hand out nothing more for now; what a conversation has taken still goes',
  resume: 'Go on exactly where it was paused',
  cancel: 'End a campaign: nothing more goes out, and the report stays',
} as const

export function actionRoutes(options: CampaignRouteDeps): Route[] {
  const names = Object.keys(moves) as (keyof typeof moves)[]
  return [stageRoute(options), ...names.map((name) => moveRoute(options, name)), retryRoute(options)]
}

function moveRoute({ shards, area: { commands } }: CampaignRouteDeps, name: keyof typeof moves): Route {
  return route({
    ...ofCampaigns,
    access: writing,
    method: 'POST',
    path: `${itemPath}/${name}`,
    summary: moves[name],
    reply: { 200: CampaignView },
    errors: ['agent.not_found', 'agent.campaign.state_conflict'],
    async handler({ params, caller }) {
      const named = namedIn(params)
      const after = await shards.ask(agentKeyOf(named), commands[name], named, { by: actorOf(caller) })
      return isRefusal(after) ? after : json(200, after)
    },
  })
}

const changedMeanwhile = refuse('agent.campaign.state_conflict', {
  detail: 'The campaign was changed while it was staged.',
})

function stageRoute({ shards, area: { commands, queries } }: CampaignRouteDeps): Route {
  /** Drives the walk through the audience on, commit by commit, until the snapshot is whole. */
  async function staged(named: CampaignId, by: Actor | undefined): Promise<true | Refusal> {
    const owner = agentKeyOf(named)
    const begun = await shards.ask(owner, commands.begin, named, by ? { by } : {})
    if (isRefusal(begun)) return begun
    for (;;) {
      const answer = await shards.ask(owner, commands.step, begun)
      if (isRefusal(answer)) return answer
      if (answer === 'whole') return true
      if (answer === 'lost') return changedMeanwhile
    }
  }

  return route({
    ...ofCampaigns,
    access: writing,
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
      const named = namedIn(params)
      const done = await staged(named, actorOf(caller))
      if (isRefusal(done)) return done
      const found = await shards.read(agentKeyOf(named), queries.staged, named)
      return isRefusal(found) ? found : json(200, found)
    },
  })
}

function retryRoute({ shards, area: { commands, queries } }: CampaignRouteDeps): Route {
  /** Whom a failed send was for: people, or personas of a rehearsal. */
  async function failedOf(named: CampaignId): Promise<{ people: string[]; personas: string[] } | Refusal> {
    const [people, personas]: [string[], string[]] = [[], []]
    let after: number | undefined
    do {
      const asked = {
        ...named,
        limit: limits.rowsPerRead,
        ...(after !== undefined && { after }),
      }
      const found = await shards.read(agentKeyOf(named), queries.recipients, asked)
      if (isRefusal(found)) return found
      for (const { shown } of found.rows) {
        if (!unreached.includes(shown.state)) continue
        if (shown.personaId === undefined) people.push(shown.personId)
        else personas.push(shown.personaId)
      }
      after = found.after
    } while (after !== undefined)
    return { people, personas }
  }

  return route({
    ...ofCampaigns,
    access: writing,
    method: 'POST',
    path: `${itemPath}/retry-failed`,
    summary: 'Draft a campaign for those whom this one did not reach, because it failed or was cancelled',
    reply: { 201: CampaignView },
    errors: ['request.invalid', 'agent.not_found', 'agent.outreach.not_found', 'agent.campaign.state_conflict'],
    async handler({ params, caller }) {
      const named = namedIn(params)
      const before = await shards.read(agentKeyOf(named), queries.one, named)
      if (isRefusal(before)) return before
      if (before.endedAt === undefined) {
        return refuse('agent.campaign.state_conflict', { detail: `The campaign is ${before.status}.` })
      }
      const failed = await failedOf(named)
      if (isRefusal(failed)) return failed
      const { people, personas } = failed
      if (people.length + personas.length === 0) {
        return refuse('agent.campaign.state_conflict', { detail: 'Everybody who was to be sent to was reached.' })
      }
      const { name, outreachId, sendWindow } = before
      const body = {
        name: `${name.slice(0, limits.nameChars - again.length)}${again}`,
        outreachId,
        audience: people.length > 0 ? { personIds: people } : { personaIds: personas },
        // Some may count as written to, although it did not arrive.
        includePreviouslyContacted: true,
        ...(sendWindow && { sendWindow }),
      }
      const { orgId, agentId } = named
      const asked = { orgId, agentId, body }
      const made = await shards.ask(agentKeyOf(named), commands.create, asked, { by: actorOf(caller) })
      return isRefusal(made) ? made : json(201, made)
    },
  })
}

/** Who was meant to be reached and was not. */
const unreached: readonly RecipientState[] = ['failed', 'cancelled']
const again = ', once more'

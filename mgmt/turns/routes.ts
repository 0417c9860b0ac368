/** Routes of turn records: a list page by page, and one turn. */
import { isRefusal, refuse } from '../../core/errors.js'
import { turnLists as limits, turn } from '../../core/limits/index.js'
import { parseTurnId } from '../../core/turn/turnid.js'
import type { Clock } from '../../runtime/clock.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { createRecordLists } from '../agents/recordlists.js'
import type { TurnLists } from './lists.js'
import { AgentTurn, AgentTurnList, TurnsQuery } from './schema.js'

export interface TurnRoutesOptions {
  readonly shards: Shards
  readonly turns: TurnLists
  readonly pages: PageTokens
  readonly clock: Pick<Clock, 'now'>
  readonly timeScale: number
}

const common = {
  plane: 'mgmt',
  method: 'GET',
  tag: 'Traffic',
  access: { who: 'member', role: 'viewer', scopes: ['messages:read'] },
} as const
const path = '/orgs/{org}/agents/{agent}/turns'
const notFound = refuse('resource.not_found')

export function turnRoutes(options: TurnRoutesOptions): Route[] {
  const { turns } = options
  const { defaultRows } = limits
  const { oldestShown, pageOf } = createRecordLists({ ...options, defaultRows, retentionMs: turn.retentionMs })

  return [
    route({
      ...common,
      path,
      summary: 'List turns of the built-in runtime: what came, what was decided, what was said; newest first',
      query: TurnsQuery,
      reply: { 200: AgentTurnList },
      errors: ['request.invalid', 'resource.not_found'],
      async handler({ params: { org: orgId, agent: agentId }, query }) {
        const page = await pageOf('turns', { orgId, agentId }, query, turns.list)
        return isRefusal(page) ? page : json(200, page)
      },
    }),
    route({
      ...common,
      path: `${path}/{turnId}`,
      summary: 'Read a turn, of the emulator as well, with its trace and what its tools answered',
      reply: { 200: AgentTurn },
      errors: ['resource.not_found'],
      async handler({ params: { org: orgId, agent: agentId, turnId } }) {
        const agentRef = { orgId, agentId }
        const oldest = await oldestShown(agentRef)
        if (isRefusal(oldest)) return oldest
        const id = parseTurnId(turnId)
        if (!id || id.startedAt < oldest) return notFound
        const found = await turns.find(agentRef, id)
        return isRefusal(found) ? found : json(200, found)
      },
    }),
  ]
}

/** Dead letters: events that an agent's webhook did not take, and their replay. */
import Type from 'typebox'
import { actorOf, authorize, type Member } from '../../core/access.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { pathIdPattern } from '../../core/ids.js'
import { conversation as limits, page } from '../../core/limits/index.js'
import type { Directory } from '../conversation/context.js'
import { HistoryWriter } from '../conversation/history.js'
import { conversationTable, type DeadLetter, deadLetterTable, eventTable } from '../conversation/tables.js'
import { enqueueDispatch } from '../conversation/transaction.js'
import type { PageTokens } from '../http/pagetokens.js'
import { json, type Route, route } from '../http/route.js'
import type { Command, Query, Shards } from '../shard/contract.js'

const closed = { additionalProperties: false } as const

const DeadLetterView = Type.Object(
  {
    id: Type.String(),
    userId: Type.String(),
    at: Type.String({ format: 'date-time' }),
    why: Type.String(),
    eventId: Type.String(),
    type: Type.String(),
    event: Type.Optional(
      Type.Unknown({ description: 'The event as the webhook gets it; for callers with messages:read.' }),
    ),
  },
  { ...closed, title: 'DeadLetter' },
)

type DeadLetterPosition = readonly [at: number, id: string]

/** The oldest dead letters of one shard after a position. */
const list: Query<AgentRef & { readonly limit: number; readonly after?: DeadLetterPosition }, readonly DeadLetter[]> = {
  name: 'deadletter.list',
  read(reader, { orgId, agentId, limit, after }) {
    const from = after && { after: [orgId, agentId, ...after] }
    const rows = reader.range(deadLetterTable, { prefix: [orgId, agentId], ...from, limit })
    return Array.from(rows, ({ value }) => value)
  },
}

/** Appends the events to their person's event queue, in the given order and under their original ids. */
const replay: Command<AgentRef & { readonly asid: string; readonly positions: readonly DeadLetterPosition[] }, number> =
  {
    name: 'deadletter.replay',
    decide(tx, { orgId, agentId, asid, positions }, { at }) {
      const conversation = tx.get(conversationTable, [asid])
      if (!conversation) return 0
      const { firstEvent } = conversation
      let { nextEvent } = conversation
      const history = new HistoryWriter(tx, conversation, at, 1)
      for (const [since, id] of positions) {
        const key: [string, string, number, string] = [orgId, agentId, since, id]
        const deadLetter = tx.get(deadLetterTable, key)
        if (!deadLetter || nextEvent - firstEvent >= limits.waitingEvents) continue
        const { attempts: _before, replayCount = 0, ...event } = deadLetter.event
        tx.remove(deadLetterTable, key)
        tx.put(eventTable, [asid, nextEvent], { ...event, replayCount: replayCount + 1 })
        history.log({ level: 'info', event: 'webhook.replayed', data: { eventId: event.eventId } })
        if (firstEvent === nextEvent) enqueueDispatch(tx, asid, nextEvent)
        nextEvent++
      }
      tx.put(conversationTable, [asid], history.applyTo({ ...conversation, nextEvent }))
      return nextEvent - conversation.nextEvent
    },
  }

/** The dead letter of an id, from the shard of its conversation. */
const find: Query<AgentRef & { readonly id: string }, DeadLetter | null> = {
  name: 'deadletter.find',
  read(reader, { orgId, agentId, id }) {
    for (const { value } of reader.range(deadLetterTable, { prefix: [orgId, agentId] })) {
      if (value.id === id) return value
    }
    return null
  },
}

export const deadLetterModule = { commands: [replay], queries: [list, find] }

const Replayed = Type.Object(
  {
    replayed: Type.Integer({ minimum: 0 }),
    isMore: Type.Boolean({ description: 'There are more: call again.' }),
  },
  { ...closed, title: 'DeadLettersReplayed' },
)

export interface DeadLetterRoutesOptions {
  readonly shards: Shards
  readonly directory: Directory
  readonly pages: PageTokens
}

export function deadLetterRoutes({ shards, directory, pages }: DeadLetterRoutesOptions): Route[] {
  async function oldest(
    agentRef: AgentRef,
    limit: number,
    after?: DeadLetterPosition,
  ): Promise<readonly DeadLetter[] | Refusal> {
    const agent = await directory.get(formatAgentKey(agentRef))
    if (isRefusal(agent)) return agent
    const perShard = await shards.queryAll(list, { ...agentRef, limit, ...(after && { after }) })
    if (isRefusal(perShard)) return perShard
    const sorted = perShard.flat().sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    return sorted.slice(0, limit)
  }

  const path = '/orgs/{org}/agents/{agent}/gateway/dead-letters'
  return [
    route({
      plane: 'mgmt',
      method: 'GET',
      path,
      tag: 'Gateway access',
      summary: 'List events that the webhook would not take, oldest first',
      access: { who: 'member', role: 'editor', scopes: ['agents:read'] },
      query: Type.Object(
        {
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: page.maxRows, default: page.maxRows })),
          pageToken: Type.Optional(Type.String({ minLength: 1, maxLength: page.tokenChars })),
        },
        closed,
      ),
      reply: {
        200: Type.Object({ data: Type.Array(DeadLetterView), nextPageToken: Type.Optional(Type.String()) }, closed),
      },
      errors: ['request.invalid', 'resource.not_found'],
      async handler({ params: { org: orgId, agent: agentId }, query: { limit = page.maxRows, pageToken }, caller }) {
        const scope = `deadletters:${formatAgentKey({ orgId, agentId })}`
        const after = pages.read(scope, pageToken)
        if (isRefusal(after)) return after
        const deadLetters = await oldest({ orgId, agentId }, limit + 1, after as DeadLetterPosition | undefined)
        if (isRefusal(deadLetters)) return deadLetters
        const data = deadLetters.slice(0, limit)
        const last = data.at(-1)
        const nextPageToken = deadLetters.length > limit && last ? pages.write(scope, [last.at, last.id]) : undefined
        const mayReadContent =
          'scopes' in caller && authorize(caller as Member, 'viewer', ['messages:read']) === undefined
        return json(200, {
          data: data.map((each) => deadLetterView(each, mayReadContent)),
          ...(nextPageToken && { nextPageToken }),
        })
      },
    }),
    route({
      plane: 'mgmt',
      method: 'POST',
      path: `${path}/_replay`,
      tag: 'Gateway access',
      summary: 'Send the oldest events to the webhook once more, each person’s in their order',
      access: { who: 'member', role: 'editor', scopes: ['agents:write'] },
      reply: { 202: Replayed },
      errors: ['resource.not_found'],
      async handler({ params: { org: orgId, agent: agentId }, caller }) {
        const deadLetters = await oldest({ orgId, agentId }, page.maxRows + 1)
        if (isRefusal(deadLetters)) return deadLetters
        const byPerson = new Map<string, DeadLetterPosition[]>()
        for (const { asid, at, id } of deadLetters.slice(0, page.maxRows)) {
          byPerson.set(asid, [...(byPerson.get(asid) ?? []), [at, id]])
        }
        let replayed = 0
        for (const [asid, positions] of byPerson) {
          const answer = await shards.execute(
            asid,
            replay,
            { orgId, agentId, asid, positions },
            { by: actorOf(caller) },
          )
          if (isRefusal(answer)) return answer
          replayed += answer
        }
        return json(202, { replayed, isMore: deadLetters.length > page.maxRows && replayed > 0 })
      },
    }),
    route({
      plane: 'mgmt',
      method: 'POST',
      path: `${path}/{id}/_replay`,
      tag: 'Gateway access',
      summary: 'Send an event to the webhook once more',
      access: { who: 'member', role: 'editor', scopes: ['agents:write'] },
      params: Type.Object({
        org: Type.String({ pattern: pathIdPattern }),
        agent: Type.String({ pattern: pathIdPattern }),
        id: Type.String({ pattern: pathIdPattern }),
      }),
      reply: { 202: DeadLetterView },
      errors: ['resource.not_found'],
      async handler({ params: { org: orgId, agent: agentId, id }, caller }) {
        const asid = id.slice(0, Math.max(0, id.indexOf('.')))
        if (asid === '') return refuse('resource.not_found')
        const deadLetter = await shards.query(asid, find, { orgId, agentId, id })
        if (!deadLetter) return refuse('resource.not_found')
        if (isRefusal(deadLetter)) return deadLetter
        const input = { orgId, agentId, asid, positions: [[deadLetter.at, id] as const] }
        const replayed = await shards.execute(asid, replay, input, { by: actorOf(caller) })
        if (isRefusal(replayed)) return replayed
        return replayed === 0 ? refuse('resource.not_found') : json(202, deadLetterView(deadLetter, false))
      },
    }),
  ]
}

function deadLetterView({ id, asid, at, why, event }: DeadLetter, mayReadContent: boolean) {
  const { eventId, event: content } = event
  const brief = { id, userId: asid, at: new Date(at).toISOString(), why, eventId, type: content.type }
  return mayReadContent ? { ...brief, event: content } : brief
}

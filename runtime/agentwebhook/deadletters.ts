/** Events that an agent's webhook would not take: what they are, and sending one again. */
import Type from 'typebox'
import { actorOf, judge, type Member } from '../../core/access.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { invalid, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { pathIdPattern } from '../../core/ids.js'
import { conversation as limits, page } from '../../core/limits.js'
import type { Directory } from '../conversation/context.js'
import { HistoryWriter } from '../conversation/history.js'
import { conversationTable, type DeadLetter, deadLetterTable, eventTable } from '../conversation/tables.js'
import { enqueueCall } from '../conversation/transaction.js'
import type { Pages } from '../http/page.js'
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
      Type.Unknown({ description: 'What happened, as the webhook was told it; for callers who hold messages:read.' }),
    ),
  },
  { ...closed, title: 'DeadLetter' },
)

type Place = readonly [at: number, id: string]

/** The oldest of one shard, from behind a place on. */
const list: Query<AgentPlace & { readonly limit: number; readonly after?: Place }, readonly DeadLetter[]> = {
  name: 'deadletter.list',
  read(reader, { orgId, agentId, limit, after }) {
    const from = after && { after: [orgId, agentId, ...after] }
    const rows = reader.range(deadLetterTable, { prefix: [orgId, agentId], ...from, limit })
    return Array.from(rows, ({ value }) => value)
  },
}

/** The events go to the end of their person's line, in the order given and under the ids they always had. */
const replay: Command<AgentPlace & { readonly asid: string; readonly places: readonly Place[] }, number> = {
  name: 'deadletter.replay',
  decide(tx, { orgId, agentId, asid, places }, { at }) {
    const conversation = tx.get(conversationTable, [asid])
    if (!conversation) return 0
    const { firstEvent } = conversation
    let { nextEvent } = conversation
    const records = new HistoryWriter(tx, conversation, at, 1)
    for (const [since, id] of places) {
      const key: [string, string, number, string] = [orgId, agentId, since, id]
      const found = tx.get(deadLetterTable, key)
      if (!found || nextEvent - firstEvent >= limits.waitingEvents) continue
      const { tried: _before, replayed = 0, ...event } = found.event
      tx.remove(deadLetterTable, key)
      tx.put(eventTable, [asid, nextEvent], { ...event, replayed: replayed + 1 })
      records.log({ level: 'info', event: 'webhook.replayed', data: { eventId: event.eventId } })
      if (firstEvent === nextEvent) enqueueCall(tx, asid, nextEvent)
      nextEvent++
    }
    tx.put(conversationTable, [asid], records.within({ ...conversation, nextEvent }))
    return nextEvent - conversation.nextEvent
  },
}

/** Where a letter is, by its id: its conversation's shard knows. */
const find: Query<AgentPlace & { readonly id: string }, DeadLetter | null> = {
  name: 'deadletter.find',
  read(reader, { orgId, agentId, id }) {
    for (const { value } of reader.range(deadLetterTable, { prefix: [orgId, agentId] })) {
      if (value.id === id) return value
    }
    return null
  },
}

export const deadLetterRepertoire = { commands: [replay], queries: [list, find] }

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
  readonly pages: Pages
}

export function deadLetterRoutes({ shards, directory, pages }: DeadLetterRoutesOptions): Route[] {
  async function oldest(place: AgentPlace, limit: number, after?: Place): Promise<readonly DeadLetter[] | Refusal> {
    const known = await directory.get(agentKeyOf(place))
    if (isRefusal(known)) return known
    const found = await shards.readAll(list, { ...place, limit, ...(after && { after }) })
    if (isRefusal(found)) return found
    const sorted = found.flat().sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
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
        const scope = `deadletters:${agentKeyOf({ orgId, agentId })}`
        const after = pageToken === undefined ? undefined : pages.read(scope, pageToken)
        if (pageToken !== undefined && !after) return invalid('pageToken', 'is not a token of this list')
        const found = await oldest({ orgId, agentId }, limit + 1, after as Place | undefined)
        if (isRefusal(found)) return found
        const data = found.slice(0, limit)
        const last = data.at(-1)
        const nextPageToken = found.length > limit && last ? pages.write(scope, [last.at, last.id]) : undefined
        const isOpen = 'scopes' in caller && judge(caller as Member, 'viewer', ['messages:read']) === undefined
        return json(200, { data: data.map((each) => shown(each, isOpen)), ...(nextPageToken && { nextPageToken }) })
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
        const found = await oldest({ orgId, agentId }, page.maxRows + 1)
        if (isRefusal(found)) return found
        const byPerson = new Map<string, Place[]>()
        for (const { asid, at, id } of found.slice(0, page.maxRows)) {
          byPerson.set(asid, [...(byPerson.get(asid) ?? []), [at, id]])
        }
        let replayed = 0
        for (const [asid, places] of byPerson) {
          const done = await shards.ask(asid, replay, { orgId, agentId, asid, places }, { by: actorOf(caller) })
          if (isRefusal(done)) return done
          replayed += done
        }
        return json(202, { replayed, isMore: found.length > page.maxRows && replayed > 0 })
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
        const letter = await shards.read(asid, find, { orgId, agentId, id })
        if (!letter) return refuse('resource.not_found')
        if (isRefusal(letter)) return letter
        const input = { orgId, agentId, asid, places: [[letter.at, id] as const] }
        const replayed = await shards.ask(asid, replay, input, { by: actorOf(caller) })
        if (isRefusal(replayed)) return replayed
        return replayed === 0 ? refuse('resource.not_found') : json(202, shown(letter, false))
      },
    }),
  ]
}

function shown({ id, asid, at, why, event }: DeadLetter, isOpen: boolean) {
  const { eventId, event: told } = event
  const brief = { id, userId: asid, at: new Date(at).toISOString(), why, eventId, type: told.type }
  return isOpen ? { ...brief, event: told } : brief
}

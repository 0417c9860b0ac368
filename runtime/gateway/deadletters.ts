/** Events that an agent's webhook would not take: what they are, and sending one again. */
import Type from 'typebox'
import { actorOf } from '../../core/access.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { pathIdPattern } from '../../core/ids.js'
import { page } from '../../core/limits.js'
import { json, type Route, route } from '../http/route.js'
import type { Command, Query, Shards } from '../shard/contract.js'
import { callWith } from './calls.js'
import { conversationTable, type DeadLetter, deadLetterTable, eventTable } from './tables.js'

const closed = { additionalProperties: false } as const

const DeadLetterView = Type.Object(
  {
    id: Type.String(),
    userId: Type.String(),
    at: Type.String({ format: 'date-time' }),
    why: Type.String(),
    eventId: Type.String(),
    type: Type.String(),
  },
  { ...closed, title: 'DeadLetter' },
)

/** The newest of one shard. */
const list: Query<AgentPlace & { readonly limit: number }, readonly DeadLetter[]> = {
  name: 'deadletter.list',
  read(reader, { orgId, agentId, limit }) {
    const rows = reader.range(deadLetterTable, { prefix: [orgId, agentId], reverse: true, limit })
    return Array.from(rows, ({ value }) => value)
  },
}

/** The event goes to the end of the line, under the id it always had. */
const replay: Command<AgentPlace & { readonly asid: string; readonly id: string }, DeadLetter> = {
  name: 'deadletter.replay',
  decide(tx, { orgId, agentId, asid, id }) {
    const conversation = tx.get(conversationTable, [asid])
    const rows = tx.range(deadLetterTable, { prefix: [orgId, agentId] })
    const found = conversation && [...rows].find(({ value }) => value.id === id)
    if (!found) return refuse('resource.not_found')
    const { firstEvent, nextEvent } = conversation
    const { tried: _before, ...event } = found.value.event
    tx.remove(deadLetterTable, found.key)
    tx.put(eventTable, [asid, nextEvent], event)
    tx.put(conversationTable, [asid], { ...conversation, nextEvent: nextEvent + 1 })
    if (firstEvent === nextEvent) callWith(tx, asid, nextEvent)
    return found.value
  },
}

export const deadLetterRepertoire = { commands: [replay], queries: [list] }

export function deadLetterRoutes({ shards }: { shards: Shards }): Route[] {
  const path = '/orgs/{org}/agents/{agent}/gateway/dead-letters'
  return [
    route({
      plane: 'mgmt',
      method: 'GET',
      path,
      tag: 'Gateway access',
      summary: 'List events that the webhook would not take, newest first',
      access: { who: 'member', role: 'editor', scopes: ['agents:read'] },
      reply: { 200: Type.Object({ data: Type.Array(DeadLetterView) }, closed) },
      async handler({ params: { org: orgId, agent: agentId } }) {
        const found = await shards.readAll(list, { orgId, agentId, limit: page.maxRows })
        if (isRefusal(found)) return found
        const newest = found.flat().sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1))
        return json(200, { data: newest.slice(0, page.maxRows).map(shown) })
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
        const replayed = await shards.ask(asid, replay, { orgId, agentId, asid, id }, { by: actorOf(caller) })
        return isRefusal(replayed) ? replayed : json(202, shown(replayed))
      },
    }),
  ]
}

function shown({ id, asid, at, why, event }: DeadLetter) {
  const { eventId } = event
  return { id, userId: asid, at: new Date(at).toISOString(), why, eventId, type: event.event.type }
}

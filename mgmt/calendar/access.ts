/** The calendars of agents as this area’s callers see them: found, read and written; trouble is a line in the log. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { Refusal } from '../../core/errors.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { BusyCache, BusyOutcome } from './busy.js'
import { type Exchange, type Failure, failure } from './exchange.js'
import type { WriteNote } from './notes.js'
import type { CalendarSettings, settingsQuery } from './settings.js'
import type { EventContent, EventTimes, Write, WriteOutcome, Writer } from './write.js'

/** A move without content leaves an event that is not there missing. */
export type Change =
  | { readonly kind: 'create'; readonly content: EventContent }
  | { readonly kind: 'move'; readonly times: EventTimes; readonly content?: EventContent }
  | { readonly kind: 'remove' }

export interface CalendarAccess {
  /** Null for an agent without a calendar. */
  find(agent: AgentRef): Promise<CalendarSettings | null | Refusal>
  /** The busy times of whole days, around the window. */
  read(
    agent: AgentRef,
    settings: CalendarSettings,
    window: { readonly from: number; readonly to: number },
  ): Promise<BusyOutcome>
  apply(write: Write, change: Change): Promise<WriteOutcome | 'missing'>
}

export interface AccessDeps {
  readonly shards: Shards
  readonly settings: ReturnType<typeof settingsQuery>
  readonly exchange: Exchange
  readonly cache: BusyCache
  readonly writer: Writer
  readonly writeNote: WriteNote
}

const unreadableEvents = failure('Some events of the calendar cannot be read.')

export function createCalendarAccess(deps: AccessDeps): CalendarAccess {
  const { shards, settings, exchange, cache, writer } = deps
  const note = (agent: AgentRef, trouble: Failure) => deps.writeNote(shards, agent, trouble)

  function perform(write: Write, change: Change): Promise<WriteOutcome | 'missing'> {
    if (change.kind === 'create') return writer.create(write, change.content)
    return change.kind === 'move' ? writer.move(write, change.times, change.content) : writer.remove(write)
  }

  return {
    find: ({ orgId, agentId }) => shards.query(formatAgentKey({ orgId, agentId }), settings, { orgId, agentId }),
    async read(agent, found, window) {
      const outcome = await cache.read(exchange, agent, found, window)
      if (!outcome.ok) await note(agent, outcome)
      else if (outcome.times.unreadable > 0) await note(agent, unreadableEvents)
      return outcome
    },
    async apply(write, change) {
      // What is being read now may be from before the write, and may be cached until it is done.
      cache.invalidate(write.settings)
      const outcome = await perform(write, change)
      cache.invalidate(write.settings)
      if (outcome !== 'missing' && !outcome.ok) await note(write.agent, outcome)
      return outcome
    },
  }
}

/** Writes of single events: each has a file of its own, whose name and UID follow from what the event is for. */
import { hash } from 'node:crypto'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { eventText, moveEvent, type NewEvent } from '../../core/calendar/eventtext.js'
import { isRefusal } from '../../core/errors.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { ConnectionQueries } from '../connections/queries.js'
import { ownerOf } from '../connections/store.js'
import { type Answer, type Exchange, type Failure, failure, isSuccess } from './exchange.js'
import type { CalendarSettings } from './settings.js'

export type EventTimes = Pick<NewEvent, 'start' | 'durationMinutes' | 'representativeId'>

/** The times of an event, and what it says. */
export type EventContent = EventTimes & Pick<NewEvent, 'title' | 'notes' | 'attendeeEmail'>

/** One change: repeated under its id it changes nothing. */
export interface Write {
  readonly agent: AgentRef
  readonly settings: CalendarSettings
  readonly eventId: string
  readonly id: string
  readonly at: number
}

export interface WriteDeps {
  readonly exchange: Exchange
  readonly shards: Pick<Shards, 'query'>
  readonly queries: Pick<ConnectionQueries, 'credential'>
}

export type WriteOutcome = { readonly ok: true } | Failure

/** The id of the event for something: `appointment` or `call`, and its id. */
export function eventIdOf(agent: AgentRef, kind: 'appointment' | 'call', id: string): string {
  return hashOf(formatAgentKey(agent), kind, id)
}

export const eventIdPattern = /^[0-9a-f]{40}$/

function hashOf(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 40)
}

const done = { ok: true } as const
const calendarText = { 'content-type': 'text/calendar; charset=utf-8' }
const isMissing = (status: number) => status === 404 || status === 410
const isConflict = (status: number) => status === 412

/** Some servers find an event by its file only if the file is named after the UID. */
const uidOf = (eventId: string) => `parley-${eventId}`

export function createWriter({ exchange, shards, queries }: WriteDeps) {
  function fileOf({ settings, eventId }: Write): string {
    const [path = '', query] = settings.url.split('?', 2)
    return `${path.replace(/\/?$/, '/')}${uidOf(eventId)}.ics${query === undefined ? '' : `?${query}`}`
  }

  /** An event that is there was created by an earlier try, and may have moved since: it stays as it is. */
  async function create(write: Write, content: EventContent): Promise<WriteOutcome> {
    const answer = await putNew(write, content)
    return answer.ok ? done : answer
  }

  async function putNew(write: Write, content: EventContent): Promise<Answer | Failure> {
    const { agent, settings, eventId, id, at } = write
    const organizerEmail = content.attendeeEmail === undefined ? undefined : await organizerOf(settings)
    const rest = { uid: uidOf(eventId), changeId: hashOf(id), sequence: 0, at }
    const body = eventText({ ...content, ...rest, ...(organizerEmail !== undefined && { organizerEmail }) })
    const headers = { ...calendarText, 'if-none-match': '*' }
    const expects = (status: number) => isSuccess(status) || isConflict(status)
    return exchange(agent, settings, { method: 'PUT', url: fileOf(write), headers, body }, expects)
  }

  /** Servers send invitations in the name of the calendar's owner only. */
  async function organizerOf({ signIn }: CalendarSettings): Promise<string | undefined> {
    if (signIn.kind === 'password') return signIn.username
    const credential = await shards.query(ownerOf(signIn.ref), queries.credential, signIn.ref)
    return isRefusal(credential) ? undefined : credential.accountLabel
  }

  /**
   * An event that people removed from the calendar comes back at its new time, if there is content to write it from.
   * What people changed in an event stays, but for its times.
   */
  async function move(
    write: Write,
    { start, durationMinutes, representativeId }: EventTimes,
    content?: EventContent,
  ): Promise<WriteOutcome | 'missing'> {
    const { agent, settings, id, at } = write
    const url = fileOf(write)
    const headers = { accept: 'text/calendar' }
    const stored = await exchange(agent, settings, { method: 'GET', url, headers }, (status) => {
      return isSuccess(status) || isMissing(status)
    })
    if (!stored.ok) return stored
    if (isMissing(stored.status)) {
      if (!content) return 'missing'
      const answer = await putNew(write, content)
      if (!answer.ok) return answer
      return isConflict(answer.status) ? changedMeanwhile : done
    }
    const owner = representativeId !== undefined && { representativeId }
    const change = { start, durationMinutes, ...owner, changeId: hashOf(id), at }
    const moved = moveEvent(Buffer.from(stored.body).toString(), change)
    if (moved?.isRepeat) return done
    if (!moved && !content) return failure('The event cannot be read.')
    const body = moved?.text ?? eventText({ ...content!, uid: uidOf(write.eventId), sequence: 1, ...change })
    // A weak tag never matches.
    const condition: Record<string, string> = stored.etag?.startsWith('"') ? { 'if-match': stored.etag } : {}
    const request = { method: 'PUT' as const, url, headers: { ...calendarText, ...condition }, body }
    const answer = await exchange(agent, settings, request, (status) => isSuccess(status) || isConflict(status))
    if (!answer.ok) return answer
    return isConflict(answer.status) ? changedMeanwhile : done
  }

  /** An event that is not there is removed. */
  async function remove(write: Write): Promise<WriteOutcome> {
    const request = { method: 'DELETE' as const, url: fileOf(write), headers: {} }
    const expects = (status: number) => isSuccess(status) || isMissing(status)
    const answer = await exchange(write.agent, write.settings, request, expects)
    return answer.ok ? done : answer
  }

  return { create, move, remove }
}
export type Writer = ReturnType<typeof createWriter>

const changedMeanwhile = failure('The event was changed at the same time.', { isTemporary: true })

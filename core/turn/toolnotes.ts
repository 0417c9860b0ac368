/** The log note of a tool call: the event of its outcome and what it was about, without the values it was given. */
import type { LogEventName } from '../catalogs/logevents.js'
import { isRecord } from '../json.js'
import { turnNotes as limits } from '../limits/index.js'
import { integrationPrefix } from '../tools/builtin.js'
import type { ToolCallRecord, WarningCode } from './record.js'

export interface TurnNote {
  readonly event: LogEventName
  readonly data: Readonly<Record<string, unknown>>
  /** The warning that the note stands for. */
  readonly warning?: WarningCode
}

interface ToolEvents {
  readonly done: LogEventName
  readonly failed: LogEventName
}

/** Events of tools with an event of their own, by what became of the call. */
const events: ReadonlyMap<string, ToolEvents> = new Map(
  Object.entries({
    'scheduling.availability': { done: 'scheduling.offered', failed: 'scheduling.failed' },
    'scheduling.book': { done: 'scheduling.booked', failed: 'scheduling.failed' },
    'scheduling.reschedule': { done: 'scheduling.moved', failed: 'scheduling.failed' },
    'scheduling.cancel': { done: 'scheduling.released', failed: 'scheduling.failed' },
    'people.save': { done: 'person.updated', failed: 'tool.failed' },
    'notify.team': { done: 'notify.sent', failed: 'notify.failed' },
  } as const),
)
const integrationEvents = { done: 'integration.called', failed: 'integration.failed' } as const
const otherEvents = { done: 'tool.called', failed: 'tool.failed' } as const

function eventsOf(name: string): ToolEvents {
  return events.get(name) ?? (name.startsWith(integrationPrefix) ? integrationEvents : otherEvents)
}

const warningOf = { refused: 'tool.refused', failed: 'tool.failed', unknown: 'tool.unknown' } as const

/** None for a call without an outcome. */
export function toolNote(call: ToolCallRecord): TurnNote | undefined {
  const { name, by, state, ms, reason } = call
  const data = { tool: cut(name), by, outcome: state, ...(ms !== undefined && { ms }), arguments: argumentNames(call) }
  const why = reason === undefined ? {} : { why: cut(reason) }
  switch (state) {
    case 'pending':
      return undefined
    case 'ok':
      return { event: eventsOf(name).done, data: { ...data, ...subjectOf(call) } }
    case 'refused':
      return { event: 'tool.refused', data: { ...data, ...why }, warning: warningOf[state] }
    case 'failed':
    case 'unknown':
      return { event: eventsOf(name).failed, data: { ...data, ...why }, warning: warningOf[state] }
    // Nothing went outside, so no event may say that the team was alerted or an integration called.
    default:
      return { event: 'tool.called', data: { ...data, ...why } }
  }
}

function argumentNames({ arguments: given }: ToolCallRecord): string[] {
  return isRecord(given) ? firstNames(given) : []
}

/** The appointment, the number of free times, or the names of the saved fields. */
function subjectOf({ name, arguments: given, result }: ToolCallRecord): Record<string, unknown> {
  if (name === 'people.save') {
    return isRecord(given) && isRecord(given.fields) ? { fields: firstNames(given.fields) } : {}
  }
  if (!isRecord(result)) return {}
  if (name === 'scheduling.availability') return Array.isArray(result.slots) ? { slots: result.slots.length } : {}
  const { appointmentId, startUtc } = result
  return {
    ...(name.startsWith('scheduling.') && typeof appointmentId === 'string' && { appointmentId: cut(appointmentId) }),
    ...(name.startsWith('scheduling.') && typeof startUtc === 'number' && { startUtc }),
  }
}

function firstNames(value: Record<string, unknown>): string[] {
  return Object.keys(value).slice(0, limits.values).map(cut)
}

export function cut(text: string): string {
  return text.length <= limits.valueChars ? text : `${text.slice(0, limits.valueChars - 1)}…`
}

/** The calendar tool of the catalog: lists busy times, and creates, moves and removes single events. */
import { faultsOf } from '../../core/agent/schemacheck.js'
import { isoIn } from '../../core/calendar/timezone.js'
import { listCatalog } from '../../core/catalogs/index.js'
import { day, hour, minute } from '../../core/durations.js'
import { isRefusal } from '../../core/errors.js'
import { clipIntervals, type Interval, mergeIntervals } from '../../core/interval.js'
import { calendar as limits, tools as toolLimits } from '../../core/limits/index.js'
import type { ToolContext, ToolOutcome } from '../../core/tools/contract.js'
import type { OutsideCall, OutsideOutcome } from '../../core/turn/port.js'
import type { Clock } from '../../runtime/clock.js'
import { withTimeout } from '../../runtime/time.js'
import type { CalendarAccess, Change } from './access.js'
import { type Failure, failure } from './exchange.js'
import { type CalendarSettings, calendarTool } from './settings.js'
import { eventIdOf, eventIdPattern } from './write.js'

export type CalendarToolCall = (
  context: ToolContext,
  given: Readonly<Record<string, unknown>>,
  attempt: OutsideCall,
) => Promise<OutsideOutcome>

const { parameters } = listCatalog('tools').find(({ id }) => id === calendarTool)!

type Request =
  | { readonly action: 'busy'; readonly window: Interval }
  | { readonly action: 'write'; readonly change: Change; readonly eventId?: string; readonly window?: Interval }

const refused = (reason: string) => ({ state: 'refused', reason }) as const
const stopped = { state: 'cancelled', reason: 'The call was stopped before it was made.' } as const
const noAnswer = failure('The calendar did not answer in time.', { isUnknown: true })

export function createCalendarTool(access: CalendarAccess, clock: Clock): CalendarToolCall {
  return async (context, given, { id, signal, isStillOwner }) => {
    const request = readRequest(given)
    if ('state' in request) return { outcome: request }
    const { agent } = context
    const settings = await access.find(agent)
    if (isRefusal(settings)) return { outcome: { state: 'failed', reason: 'The calendar is not available just now.' } }
    if (!settings) return { outcome: refused('The agent has no calendar.') }
    if (request.action === 'busy') return { outcome: await listBusy(context, settings, request.window) }
    const { change, window, eventId = eventIdOf(agent, 'call', id) } = request
    const result = { eventId, ...(window && shownIn(context.zone, window)) }
    if (context.sandbox) return captured(given, change, result)
    if (signal.aborted || !isStillOwner()) return { outcome: stopped }
    const write = { agent, settings, eventId, id, at: clock.now() }
    const outcome = await withTimeout(clock, toolLimits.callMs, access.apply(write, change), noAnswer)
    if (outcome === 'missing') return { outcome: refused('There is no such event.') }
    return { outcome: outcome.ok ? { state: 'ok', result } : outcomeOf(outcome) }
  }

  function captured(given: object, { kind }: Change, result: { readonly eventId: string }): OutsideOutcome {
    const summary = `Calendar: ${kind} event ${result.eventId.slice(0, 8)}.`
    const effect = { kind: 'calendar', summary, payload: { ...given, ...result }, at: clock.now() }
    return { outcome: { state: 'captured', result }, effects: [effect] }
  }

  async function listBusy({ agent, zone }: ToolContext, settings: CalendarSettings, window: Interval) {
    const outcome = await access.read(agent, settings, window)
    if (!outcome.ok) return outcomeOf({ ...outcome, isUnknown: false })
    const busy = mergeIntervals(clipIntervals(outcome.times.busy, window.from, window.to))
    const shown = busy.slice(0, limits.resultIntervals).map((each) => shownIn(zone, each))
    // What is not listed is not free: the list then ends where it is cut.
    const to = busy[limits.resultIntervals]?.from ?? window.to
    return { state: 'ok' as const, result: { ...shownIn(zone, { from: window.from, to }), busy: shown } }
  }
}

function outcomeOf({ isUnknown, reason }: Failure): ToolOutcome {
  return { state: isUnknown ? 'unknown' : 'failed', reason }
}

function shownIn(zone: string, { from, to }: Interval) {
  return { from: isoIn(zone, from), to: isoIn(zone, to) }
}

/** The request, or the outcome of arguments that do not fit. */
function readRequest(given: Readonly<Record<string, unknown>>): Request | Extract<ToolOutcome, { state: 'refused' }> {
  const [fault] = faultsOf(parameters, given)
  if (fault) return refused(`${fault.field} ${fault.message}.`)
  const { action, eventId, title, notes, attendeeEmail } = given as Readonly<Record<string, string | undefined>>
  if (action === 'move' || action === 'remove') {
    if (eventId === undefined || !eventIdPattern.test(eventId))
      return refused('eventId must be one that create returned.')
    if (action === 'remove') return { action: 'write', eventId, change: { kind: 'remove' } }
  }
  const window = readWindow(given)
  if (typeof window === 'string') return refused(window)
  const length = window.to - window.from
  if (action === 'busy') {
    if (length > limits.windowDays * day) return refused(`to must be at most ${limits.windowDays} days after from.`)
    return { action, window }
  }
  if (length > limits.eventHours * hour) return refused(`An event lasts at most ${limits.eventHours} hours.`)
  const times = { start: window.from, durationMinutes: length / minute }
  if (eventId !== undefined && action === 'move')
    return { action: 'write', eventId, window, change: { kind: 'move', times } }
  if (title === undefined) return refused('title is missing.')
  const more = { ...(notes !== undefined && { notes }), ...(attendeeEmail !== undefined && { attendeeEmail }) }
  return { action: 'write', window, change: { kind: 'create', content: { ...times, title, ...more } } }
}

const withOffset = /(?:[Zz]|[+-]\d{2}:?\d{2})$/

function readWindow({ from, to }: Readonly<Record<string, unknown>>): Interval | string {
  for (const [name, value] of Object.entries({ from, to }))
    if (typeof value !== 'string' || !withOffset.test(value)) return `${name} must be a time with its offset.`
  const window = { from: Date.parse(String(from)), to: Date.parse(String(to)) }
  return window.from < window.to ? window : 'to must be later than from.'
}

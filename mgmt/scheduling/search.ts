/** Queries for free times, and the search that asks the calendars first. */
import { formatAgentKey } from '../../core/agentref.js'
import { minute } from '../../core/durations.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Interval } from '../../core/interval.js'
import { scheduling as limits } from '../../core/limits/index.js'
import { hasCalendar } from '../../core/scheduling/calendar.js'
import { candidatesFor } from '../../core/scheduling/candidates.js'
import type { Availability } from '../../core/scheduling/contract.js'
import {
  type AvailabilityRequest,
  isRefused,
  type Refused,
  readAvailability,
  reasons,
} from '../../core/scheduling/request.js'
import { findSlots } from '../../core/scheduling/slots.js'
import type { Representative } from '../../core/scheduling/windows.js'
import { runToEnd, type Steps } from '../../core/steps.js'
import type { ToolOutcome } from '../../core/tools/contract.js'
import type { Query, Shards } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { withTimeout } from '../../runtime/time.js'
import type { SchedulingDeps, SchedulingInput } from './deps.js'
import type { Calendar } from './ports.js'
import { loadSubject, readCandidates, type Subject } from './subject.js'

interface SearchInput extends SchedulingInput {
  readonly at: number
}

/** An empty id is the agent itself. */
interface BusyTimes {
  readonly representativeId: string
  readonly intervals: readonly Interval[]
}

/** The calendars that a search asks, and for which time. */
interface CalendarRequest extends Interval {
  readonly representativeIds: readonly string[]
}

interface Search {
  readonly subject: Subject
  readonly request: AvailabilityRequest
  readonly representatives: readonly (Representative | undefined)[]
  /** Appointments in it may overlap a slot. */
  readonly around: Interval
}

export interface SearchPorts {
  readonly shards: Shards
  /** Absent: no calendar is asked. */
  readonly calendar?: Calendar
}

const noCalendars: CalendarRequest = { from: 0, to: 0, representativeIds: [] }
const isEmpty = ({ from, to }: Interval) => from >= to

export function createSearch(deps: Pick<SchedulingDeps, 'documents' | 'people' | 'clock'>) {
  const { clock } = deps

  function readSearch(reader: Reader, input: SearchInput): Search | Refused {
    const subject = loadSubject(reader, deps, input, input.at)
    if (isRefused(subject)) return subject
    const { rules, asid, person } = subject
    const request = readAvailability(input.arguments, rules)
    if (isRefused(request)) return request
    const { representativeId, period, durationMinutes } = request
    const representatives = candidatesFor(rules.scheduling, {
      asid,
      ...(representativeId && { representativeId }),
      ...(person && { person }),
    })
    if (!representatives) return { refusal: reasons.noRepresentative }
    const around = { from: period.from, to: period.to + durationMinutes * minute }
    return { subject, request, representatives, around }
  }

  /** Reads all that it needs in its first step. */
  function* availabilitySteps(
    reader: Reader,
    input: SearchInput & { readonly busy?: readonly BusyTimes[] },
  ): Steps<ToolOutcome> {
    const search = readSearch(reader, input)
    if (isRefused(search)) return { state: 'refused', reason: search.refusal }
    const { subject, request, representatives, around } = search
    const { period, durationMinutes, partOfDay } = request
    const busyById = new Map(input.busy?.map(({ representativeId, intervals }) => [representativeId, intervals]))
    const candidates = readCandidates(reader, subject.schedule, representatives, around).map((candidate) => ({
      ...candidate,
      busy: busyById.get(candidate.representative?.id ?? '') ?? [],
    }))
    const slots = yield* findSlots({
      rules: subject.rules,
      period,
      durationMinutes,
      ...(partOfDay && { partOfDay }),
      candidates,
    })
    return { state: 'ok', result: { zone: subject.rules.personZone, slots } satisfies Availability }
  }

  const availability: Query<SearchInput & { readonly busy?: readonly BusyTimes[] }, ToolOutcome> = {
    name: 'scheduling.availability',
    read: (reader, input) => runToEnd(availabilitySteps(reader, input)),
    inSteps: { isFor: () => true, read: availabilitySteps },
  }

  /** Asks none for an agent without a calendar, and for a search that is refused. */
  const calendars: Query<SearchInput, CalendarRequest> = {
    name: 'scheduling.calendars',
    read(reader, input) {
      const search = readSearch(reader, input)
      if (isRefused(search) || isEmpty(search.request.period) || !hasCalendar(search.subject.document))
        return noCalendars
      return { ...search.around, representativeIds: search.representatives.map((each) => each?.id ?? '') }
    },
  }

  /** A calendar that cannot be read has no busy times. */
  async function loadBusy(
    calendar: Calendar,
    input: SchedulingInput,
    representativeId: string,
    { from, to }: Interval,
  ): Promise<BusyTimes> {
    const { orgId, agentId } = input
    const read = calendar.busy({ orgId, agentId }, representativeId || undefined, from, to).catch(() => undefined)
    const intervals = await withTimeout(clock, limits.calendarWaitMs, read, undefined)
    return { representativeId, intervals: intervals ?? [] }
  }

  return {
    queries: { availability, calendars },

    /** The outcome of `scheduling.availability`: ok with an `Availability`, or refused. */
    async find({ shards, calendar }: SearchPorts, input: SchedulingInput): Promise<ToolOutcome | Refusal> {
      const owner = formatAgentKey(input)
      const search = { ...input, at: clock.now() }
      if (!calendar) return shards.query(owner, availability, search)
      const request = await shards.query(owner, calendars, search)
      if (isRefusal(request)) return request
      const busy = await Promise.all(request.representativeIds.map((id) => loadBusy(calendar, input, id, request)))
      return shards.query(owner, availability, { ...search, busy })
    },
  }
}

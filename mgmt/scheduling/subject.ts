/** What a scheduling command or query is about: the agent's rules, the person, and who is free. */
import type { AgentDocument } from '../../core/agent/index.js'
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { Interval } from '../../core/interval.js'
import { scheduling as limits } from '../../core/limits/index.js'
import type { Appointment } from '../../core/people/appointment.js'
import type { Person } from '../../core/people/person.js'
import { type Candidate, candidatesFor, chooseFree } from '../../core/scheduling/candidates.js'
import { boundsOfDay, localDayAt } from '../../core/scheduling/localtime.js'
import { type Refused, reasons, refusalOfTime } from '../../core/scheduling/request.js'
import type { BookingRules, Representative } from '../../core/scheduling/windows.js'
import { zoneOfAgent } from '../../core/scheduling/zone.js'
import { isTimeZone } from '../../core/zones.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type SchedulingDeps, type SchedulingInput, schedulingSections } from './deps.js'
import { bookingsIn, type Schedule } from './store.js'

export interface Subject {
  readonly agent: AgentIncarnation
  readonly agentName: string
  readonly document: Pick<AgentDocument, 'toolBindings'>
  readonly schedule: Schedule
  readonly rules: BookingRules
  readonly asid: string
  /** Absent while the person is not known yet. */
  readonly person?: Person
}

export function loadSubject(
  reader: Reader,
  { documents, people }: Pick<SchedulingDeps, 'documents' | 'people'>,
  input: SchedulingInput,
  now: number,
): Subject | Refused {
  const { orgId, agentId, asid, sandbox, zone, orgZone } = input
  const loaded = documents.load(reader, { orgId, agentId }, schedulingSections)
  const scheduling = loaded?.document.scheduling
  if (!loaded || !scheduling) return { refusal: reasons.notSetUp }
  const agent = { orgId, agentId, incarnation: loaded.agent.incarnation }
  const person = people.byAsid(reader, agent, asid) ?? (sandbox ? undefined : people.byNumber(reader, agent, input))
  // A persona that was reset while it talked is nobody's any more.
  if (sandbox !== person?.sandbox && (sandbox || person)) return { refusal: reasons.noPersona }
  const agentZone = zoneOfAgent(scheduling, orgZone)
  return {
    agent,
    agentName: loaded.agent.name,
    document: loaded.document,
    schedule: { scope: scopeOf(agent), partition: sandbox ? 'sandbox' : 'live' },
    rules: { scheduling, agentZone, personZone: isTimeZone(zone) ? zone : agentZone, now },
    asid,
    ...(person && { person }),
  }
}

/** Candidates with their bookings; those whose bookings would be more than a search reads are left out. */
export function readCandidates(
  reader: Reader,
  schedule: Schedule,
  representatives: readonly (Representative | undefined)[],
  period: Interval,
  moving?: Appointment,
): Candidate[] {
  const candidates: Candidate[] = []
  let left: number = limits.busyRows
  for (const representative of representatives) {
    const bookings = bookingsIn(reader, schedule, representative?.id, period, moving)
    left -= bookings.length
    if (left < 0) break
    candidates.push({ bookings, ...(representative && { representative }) })
  }
  return candidates
}

export interface TimeRequest {
  readonly appointment: Interval
  readonly representativeId?: string
  /** The appointment that is to be moved to that time; it stays with its representative if they are free. */
  readonly moving?: Appointment
}

/** With whom an appointment can be at that time. */
export function chooseCandidate(
  reader: Reader,
  { rules, schedule, person, asid }: Subject,
  { appointment, representativeId, moving }: TimeRequest,
): Candidate | Refused {
  const refusal = refusalOfTime(rules, appointment)
  if (refusal) return refusal
  const { scheduling, agentZone } = rules
  const named = candidatesFor(scheduling, {
    asid,
    ...(representativeId && { representativeId }),
    ...(person && { person }),
  })
  if (!named) return { refusal: reasons.noRepresentative }
  const current = representativeId
    ? undefined
    : scheduling.representatives.find(({ id }) => id === moving?.representativeId)
  const representatives = current && !named.includes(current) ? [current, ...named] : named
  const day = boundsOfDay(agentZone, localDayAt(agentZone, appointment.from)) ?? appointment
  const period = { from: Math.min(day.from, appointment.from), to: Math.max(day.to, appointment.to) }
  const candidates = readCandidates(reader, schedule, representatives, period, moving)
  const chosen = chooseFree(rules, candidates, appointment, current?.id)
  return typeof chosen === 'string' ? { refusal: reasons[chosen] } : chosen
}

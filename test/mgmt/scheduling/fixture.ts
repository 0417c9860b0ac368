/**
 * Appointments over a shard of their own: people who call the tools, a mail server and calendars that a test scripts.
 */

/** Appointments over a shard of their own: people who call the tools, mail and calendars that a test scripts. */
import type { Test } from 'tap'
import { isRefusal } from '../../../core/errors.js'
import type { Interval } from '../../../core/interval.js'
import type { Appointment } from '../../../core/people/appointment.js'
import { newPerson } from '../../../core/people/change.js'
import type { Person } from '../../../core/people/person.js'
import type { AppointmentResult, Availability } from '../../../core/scheduling/contract.js'
import type { Scheduling } from '../../../core/scheduling/windows.js'
import type { ToolOutcome } from '../../../core/tools/contract.js'
import { agentTable } from '../../../mgmt/agents/store.js'
import type { EffectDeps } from '../../../mgmt/area.js'
import type { SendLogNote } from '../../../mgmt/outreach/transitions.js'
import type { SchedulingAnswer } from '../../../mgmt/scheduling/commands.js'
import { createScheduling, type SchedulingArea } from '../../../mgmt/scheduling/index.js'
import type { Calendar, CalendarChange, Mail, SendMail, WriteOutcome } from '../../../mgmt/scheduling/ports.js'
import type { Command } from '../../../runtime/shard/contract.js'
import { readerFor } from '../../contract/shards/fixture.js'
import { everyDay } from '../../core/scheduling/arbitraries.js'
import { agentRef, openSendsFixture, owner, type SendsFixture } from '../outreach/fixture.js'

export interface SchedulingOptions {
  /** Neither mail nor calendars. */
  readonly isAlone?: boolean
  readonly scheduling?: Partial<Scheduling>
}

export interface CallOptions {
  readonly callId?: string
  readonly sandbox?: true
  /** Of the command; another one for each call by default. */
  readonly id?: string
  readonly zone?: string
}

export type ToolName = 'book' | 'reschedule' | 'cancel'

export interface SchedulingFixture {
  readonly sends: SendsFixture
  readonly area: SchedulingArea
  /** What left, in order. */
  readonly mails: Mail[]
  readonly writes: CalendarChange[]
  /** What the next attempts come to; afterwards they are done. */
  readonly outcomes: (WriteOutcome | Error)[]
  readonly busy: Map<string, readonly Interval[] | undefined | Error>
  /** No calendar answers. */
  holdsCalendar: boolean
  readonly logged: SendLogNote[]
  now(): number
  configure(scheduling: Partial<Scheduling>): void
  /** A tool called by the person of that name, who writes over rcs. */
  answer(tool: ToolName, person: string, input: object, options?: CallOptions): Promise<SchedulingAnswer>
  /** The same where it must succeed. */
  call(tool: ToolName, person: string, input: object, options?: CallOptions): Promise<AppointmentResult>
  /** The same where it must be refused: the reason. */
  refusal(tool: ToolName, person: string, input: object, options?: CallOptions): Promise<string>
  find(person: string, input?: object, options?: CallOptions): Promise<ToolOutcome>
  slots(person: string, input?: object, options?: CallOptions): Promise<Availability['slots']>
  person(name: string): Person | undefined
  enter(name: string, fields?: Partial<Person>): Promise<Person>
  appointments(name: string): readonly Appointment[]
  removeAgent(): Promise<unknown>
  /** As an operator deletes a person, and a reset the person of a persona. */
  removePerson(name: string): Promise<unknown>
  /** Of the tables of the area, or of one. */
  rows(table?: string): string[]
}

const calendarBinding = { toolId: '@svc/tool.calendar', config: {} }
/** A Monday, before the hours of that day begin. */
export const startOfTest = Date.parse('2026-06-15T06:00:00Z')

export const asidOf = (name: string) => `usr_rcs_${name}`

/** A person with an identity, as a conversation or a persona would have created it. */
const createEnterPerson = (
  peopleOf: () => SendsFixture['people'],
): Command<{ name: string; fields: object }, Person> => ({
  name: 'test.enter',
  decide(tx, { name, fields }, meta) {
    const people = peopleOf()
    const identities = [{ asid: asidOf(name), channel: 'rcs' as const, address: name }]
    const person = { ...newPerson(people.newId(meta), 'test', meta.at), identities, ...fields }
    people.save(tx, agentRef, undefined, person, meta)
    return person
  },
})

/** Ports of these tests seal nothing. */
export function engineOf({ fixture: { shards } }: SendsFixture): EffectDeps {
  return { shards, sealer: undefined as never }
}

export async function openSchedulingFixture(
  t: Test,
  { isAlone, scheduling = {} }: SchedulingOptions = {},
): Promise<SchedulingFixture> {
  const [mails, writes, outcomes, logged]: [Mail[], CalendarChange[], (WriteOutcome | Error)[], SendLogNote[]] = [
    [],
    [],
    [],
    [],
  ]
  const busy: SchedulingFixture['busy'] = new Map()
  const next = (): WriteOutcome => {
    const outcome = outcomes.shift() ?? 'done'
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  const sendMail: SendMail = async (_agent, mail) => {
    const outcome = next()
    if (outcome === 'done') mails.push(mail)
    return outcome
  }
  const calendar: Calendar = {
    async busy(_agent, representativeId = '') {
      if (fixture.holdsCalendar) return new Promise(() => {})
      const times = busy.get(representativeId)
      if (times instanceof Error) throw times
      return times
    },
    async write(_agent, change) {
      const outcome = next()
      if (outcome === 'done') writes.push(change)
      return outcome
    },
  }
  let area = undefined as unknown as SchedulingArea
  const enterPerson = createEnterPerson(() => sends.people)
  /** As the commit does that deletes it. */
  const removeAgent: Command<true, true> = {
    name: 'test.removeAgent',
    decide(tx) {
      sends.agents.removed(tx, agentRef)
      tx.remove(agentTable, [agentRef.orgId, agentRef.agentId])
      return true
    },
  }
  const removePerson: Command<string, true> = {
    name: 'test.removePerson',
    decide(tx, personId, meta) {
      sends.people.remove(tx, agentRef, personId, meta)
      return true
    },
  }
  const more = [enterPerson, removeAgent, removePerson] as Command<never, unknown>[]
  const sends: SendsFixture = await openSendsFixture(t, {}, more, (before) => {
    const ports = isAlone ? {} : { connectMail: () => sendMail, connectCalendar: () => calendar }
    const log = (_tx: unknown, _agent: unknown, note: SendLogNote) => void logged.push(note)
    area = createScheduling({ ...before, ...ports, log, timeScale: 1 })
    return area
  })
  const configure = (more: Partial<Scheduling>) => {
    const { scheduling: before } = sends.document
    sends.document = { ...sends.document, scheduling: { representatives: [], ...before, ...more } }
  }
  sends.document = { ...sends.document, toolBindings: [calendarBinding] }
  configure({ timezone: 'UTC', availableHours: everyDay('09:00', '17:00'), ...scheduling })
  await sends.fixture.time.advance(startOfTest - sends.fixture.time.now())

  let calls = 0
  const inputOf = (name: string, input: object, { sandbox, zone = 'UTC' }: CallOptions) => ({
    ...agentRef,
    asid: asidOf(name),
    channel: 'rcs' as const,
    address: name,
    ...(sandbox && { sandbox }),
    zone,
    arguments: { ...input },
  })
  const fixture: SchedulingFixture = {
    sends,
    area,
    mails,
    writes,
    outcomes,
    busy,
    holdsCalendar: false,
    logged,
    now: () => sends.fixture.time.now(),
    configure,
    async answer(tool, name, input, options = {}) {
      const { callId = `call_${++calls}`, id } = options
      const answer = await area
        .connect(engineOf(sends))
        [tool]({ ...inputOf(name, input, options), callId }, id ? { id } : {})
      if (isRefusal(answer)) throw new Error(answer.refused)
      return answer
    },
    async call(...call) {
      const { outcome } = await fixture.answer(...call)
      if (outcome.state !== 'ok') throw new Error(`${call[0]}: ${JSON.stringify(outcome)}`)
      return outcome.result as AppointmentResult
    },
    async refusal(...call) {
      const { outcome } = await fixture.answer(...call)
      if (outcome.state !== 'refused') throw new Error(`${call[0]}: ${JSON.stringify(outcome)}`)
      return outcome.reason
    },
    async find(name, input = {}, options = {}) {
      const outcome = await area.connect(engineOf(sends)).availability(inputOf(name, input, options))
      if (isRefusal(outcome)) throw new Error(outcome.refused)
      return outcome
    },
    async slots(...search) {
      const outcome = await fixture.find(...search)
      if (outcome.state !== 'ok') throw new Error(JSON.stringify(outcome))
      return (outcome.result as Availability).slots
    },
    person: (name) => sends.people.byAsid(readerFor(sends.fixture, owner), agentRef, asidOf(name)),
    async enter(name, fields = {}) {
      const person = await sends.fixture.shards.execute(owner, enterPerson, { name, fields })
      if (isRefusal(person)) throw new Error(person.refused)
      return person
    },
    appointments(name) {
      const person = fixture.person(name)
      return person ? sends.people.appointmentsOf(readerFor(sends.fixture, owner), agentRef, person.id) : []
    },
    removePerson: (name) => sends.fixture.shards.execute(owner, removePerson, fixture.person(name)!.id),
    removeAgent: () => sends.fixture.shards.execute(owner, removeAgent, true),
    rows: (table) => {
      const tables = table ? [table] : ['scheduling.bookings', 'scheduling.ends']
      return sends.rows().filter((row) => tables.some((each) => row.includes(each)))
    },
  }
  return fixture
}

/** Lets time pass up to then, in steps in which commits finish. */
export async function advanceTo({ sends }: SchedulingFixture, at: number, stepMs = 3 * 3_600_000): Promise<void> {
  const { time } = sends.fixture
  while (time.now() < at) await time.advance(Math.min(stepMs, at - time.now()))
}

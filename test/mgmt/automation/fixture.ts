/**
 * Rules and appointments over a shard of their own: people who are entered, rows that are watched, and time that
 * passes.
 */
import type { Test } from 'tap'
import type { AutomatedOutreachBody, Rule } from '../../../core/automation/rule.js'
import type { RunView } from '../../../core/automation/run.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'
import type { SendingSettings } from '../../../core/outreach/settings.js'
import type { Appointment } from '../../../core/people/appointment.js'
import { applyChange, newPerson, type PersonChange } from '../../../core/people/change.js'
import type { Person } from '../../../core/people/person.js'
import type { RunPage } from '../../../mgmt/automation/rules.js'
import type { Command } from '../../../runtime/shard/contract.js'
import { eventually } from '../../contract/shards/fixture.js'
import { agentRef, newNumber, openSendsFixture, owner, type SendsFixture } from '../outreach/fixture.js'

export interface AutomationFixture {
  readonly sends: SendsFixture
  ask<I, R>(command: Command<I, R>, input: object): Promise<R>
  rule(body?: Partial<AutomatedOutreachBody>): Promise<Rule>
  /** A new person, who consented, with a number on rcs. */
  person(change?: PersonChange, isReachable?: boolean): Promise<Person>
  change(personId: string, change: PersonChange): Promise<Person>
  setSending(sending: SendingSettings): Promise<unknown>
  rows(ruleId?: string): Promise<readonly RunView[]>
  row(personId: string, ruleId?: string): Promise<RunView | undefined>
  /** Lets time pass until the row is in that state. */
  waitForState(personId: string, state: RunView['state'], passMs?: number): Promise<RunView>
  saveAppointment(personId: string, appointment: Partial<Appointment> & { startUtc: number }): Promise<true>
  /** What people were written, in order. */
  sentTexts(): readonly unknown[]
}

/** Enters a person with an identity, as a conversation would have. */
const createEnterPerson = (
  peopleOf: () => SendsFixture['people'],
): Command<{ change: PersonChange; address?: string }, Person> => ({
  name: 'test.enter',
  decide(tx, { change, address }, meta) {
    const people = peopleOf()
    const blank = newPerson(people.newId(meta), 'test', meta.at)
    const created = applyChange(blank, { consent: { status: 'granted' }, ...change }, meta.at)
    if (isRefusal(created)) return created
    const identities = address === undefined ? [] : [{ asid: `usr_rcs_${address}`, channel: 'rcs' as const, address }]
    const person = { ...created, identities }
    people.save(tx, agentRef, undefined, person, meta)
    return person
  },
})

export async function openAutomationFixture(t: Test): Promise<AutomationFixture> {
  const enterPerson = createEnterPerson(() => sends.people)
  const sends: SendsFixture = await openSendsFixture(t, {}, [enterPerson as Command<never, unknown>])
  const { commands, queries } = sends.automation

  async function ask<I, R>(command: Command<I, R>, input: object): Promise<R> {
    const answer = await sends.fixture.shards.execute(owner, command, { ...agentRef, ...input } as I)
    if (isRefusal(answer)) throw new Error(`${command.name}: ${answer.refused} ${answer.detail ?? ''}`)
    return answer
  }

  async function rows(ruleId = 'welcome'): Promise<readonly RunView[]> {
    const data: RunView[] = []
    let after: string | undefined
    do {
      const query = { ...agentRef, ruleId, limit: 1_000, ...(after && { after }) }
      const page: RunPage | Refusal = await sends.fixture.shards.query(owner, queries.runs, query)
      if (isRefusal(page)) return []
      data.push(...page.data)
      after = page.after
    } while (after !== undefined)
    return data
  }
  const row = async (personId: string, ruleId = 'welcome') =>
    (await rows(ruleId)).find((each) => each.personId === personId)

  return {
    sends,
    ask,
    rows,
    row,
    rule: (body = {}) =>
      ask(commands.create, {
        body: { id: 'welcome', name: 'Welcome', outreachId: 'hello', trigger: { kind: 'person.created' }, ...body },
      }),
    person: (change = {}, isReachable = true) =>
      ask(enterPerson, { change, ...(isReachable && { address: newNumber() }) }),
    change: (personId, change) => ask(sends.people.commands.change, { personId, change }),
    setSending: (sent) => ask(sends.parts.commands.setSending, { sent }),
    async waitForState(personId, state, passMs = 20_000) {
      await eventually(sends.fixture, async () => (await row(personId))?.state === state, passMs)
      return (await row(personId))!
    },
    saveAppointment(personId, appointment) {
      const whole = {
        id: 'ap_1',
        durationMinutes: 30,
        prospectTimezone: 'America/New_York',
        status: 'scheduled',
        history: [],
        ...appointment,
      } as const
      return ask(commands.save, { personId, appointment: whole })
    },
    sentTexts: () => sends.acceptedOpenings.map(({ message }) => (message.parts[0] as { text: unknown }).text),
  }
}

/** Rules and appointments over a shard of their own: people who are entered, rows that are watched, and time that passes. */
import type { Test } from 'tap'
import type { RowView } from '../../../core/automation/row.js'
import type { AutomatedOutreachBody, Rule } from '../../../core/automation/rule.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'
import type { SendingSettings } from '../../../core/outreach/settings.js'
import type { Appointment } from '../../../core/people/appointment.js'
import { changed, newPerson, type PersonChange } from '../../../core/people/change.js'
import type { Person } from '../../../core/people/person.js'
import type { RowsFound } from '../../../mgmt/automation/rules.js'
import type { Command } from '../../../runtime/shard/contract.js'
import { eventually } from '../../contract/shards/house.js'
import { newNumber, openSends, owner, place, type Sends } from '../outreach/house.js'

export interface Automation {
  readonly sends: Sends
  ask<I, R>(command: Command<I, R>, input: object): Promise<R>
  rule(body?: Partial<AutomatedOutreachBody>): Promise<Rule>
  /** Somebody new, who consented, with a number on rcs. */
  person(change?: PersonChange, isReachable?: boolean): Promise<Person>
  change(personId: string, change: PersonChange): Promise<Person>
  set(sending: SendingSettings): Promise<unknown>
  rows(ruleId?: string): Promise<readonly RowView[]>
  row(personId: string, ruleId?: string): Promise<RowView | undefined>
  /** Lets time pass until the row is in that state. */
  reaches(personId: string, state: RowView['state'], passMs?: number): Promise<RowView>
  keep(personId: string, appointment: Partial<Appointment> & { startUtc: number }): Promise<true>
  /** What people were written, in order. */
  said(): readonly unknown[]
}

/** Enters somebody with an identity, as a conversation would have. */
const enter: { people?: Sends['people'] } & Command<{ change: PersonChange; address?: string }, Person> = {
  name: 'test.enter',
  decide(tx, { change, address }, told) {
    const people = enter.people!
    const blank = newPerson(people.newId(told), 'test', told.at)
    const made = changed(blank, { consent: { status: 'granted' }, ...change }, told.at)
    if (isRefusal(made)) return made
    const identities = address === undefined ? [] : [{ asid: `usr_rcs_${address}`, channel: 'rcs' as const, address }]
    const person = { ...made, identities }
    people.keep(tx, place, undefined, person, told)
    return person
  },
}

export async function openRules(t: Test): Promise<Automation> {
  const sends = await openSends(t, {}, [enter as Command<never, unknown>])
  const { commands, queries } = sends.automation

  async function ask<I, R>(command: Command<I, R>, input: object): Promise<R> {
    const answer = await sends.house.shards.ask(owner, command, { ...place, ...input } as I)
    if (isRefusal(answer)) throw new Error(`${command.name}: ${answer.refused} ${answer.detail ?? ''}`)
    return answer
  }

  async function rows(ruleId = 'welcome'): Promise<readonly RowView[]> {
    const data: RowView[] = []
    let after: string | undefined
    do {
      const asked = { ...place, ruleId, limit: 1_000, ...(after && { after }) }
      const found: RowsFound | Refusal = await sends.house.shards.read(owner, queries.rows, asked)
      if (isRefusal(found)) return []
      data.push(...found.data)
      after = found.after
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
    person(change = {}, isReachable = true) {
      enter.people = sends.people
      return ask(enter, { change, ...(isReachable && { address: newNumber() }) })
    },
    change: (personId, change) => ask(sends.people.commands.change, { personId, change }),
    set: (sent) => ask(sends.parts.commands.setSending, { sent }),
    async reaches(personId, state, passMs = 20_000) {
      await eventually(sends.house, async () => (await row(personId))?.state === state, passMs)
      return (await row(personId))!
    },
    keep(personId, appointment) {
      const whole = {
        id: 'ap_1',
        durationMinutes: 30,
        prospectTimezone: 'America/New_York',
        status: 'scheduled',
        history: [],
        ...appointment,
      } as const
      return ask(commands.keep, { personId, appointment: whole })
    },
    said: () => sends.taken.map(({ message }) => (message.parts[0] as { text: unknown }).text),
  }
}

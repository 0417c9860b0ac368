/** One person at one emulated provider, and the agent that they talk with: what is said, what is told, what fails. */
import type { Test } from 'tap'
import type { WireName } from '../../adapters/emulator/contract.js'
import { EmulatedAccount, type Trouble } from '../harness/account.js'
import { until } from '../harness/clock.js'
import { Desk, type Status } from '../harness/desk.js'
import type { NodeProcess } from '../harness/process.js'
import { rooms, rows, type WireRow } from './wires.js'

export const said = (text: string, more: object = {}) => ({ spec: 'amf/1', parts: [{ type: 'text', text }], ...more })
export const choice = {
  spec: 'amf/1',
  parts: [{ type: 'ask.choice', intentId: 'room', prompt: 'Which room?', options: rooms }],
}
export const confirm = { spec: 'amf/1', parts: [{ type: 'confirm', intentId: 'sure', prompt: 'Book the green room?' }] }
const chips = [{ label: 'See it', kind: 'url', url: 'https://harbor.example/green' }]
export const card = {
  spec: 'amf/1',
  parts: [{ type: 'card', card: { title: 'Green room', description: 'Faces the harbor', chips } }],
}

/** What an answer says of how it was given. */
export const how = ({ kind, ...act }: WireRow['pick']) => (kind === 'text' ? { via: 'text', ...act } : { via: 'tap' })
export const system = (kind: string) => ({ type: 'system', system: { kind } })

/** One person at one provider, and the agent that they talk with. */
export class Talk {
  person = ''

  constructor(
    readonly wire: WireName,
    readonly row: WireRow,
    readonly desk: Desk,
    readonly account: EmulatedAccount,
  ) {}

  static async open(t: Test, node: NodeProcess, wire: WireName, name = `Desk of ${wire}`): Promise<Talk> {
    const row = rows[wire]
    const desk = await Desk.open(t, node, name)
    return new Talk(wire, row, desk, await EmulatedAccount.open(desk, wire, row.channel, row.address))
  }

  get attempt() {
    return { channel: this.row.channel, provider: this.wire }
  }

  statuses(messageId: string): Status[] {
    return this.desk.statuses().filter((each) => each.messageId === messageId)
  }

  /** The next events that are no statuses are these. */
  async hears(t: Test, ...expected: readonly object[]): Promise<void> {
    const events = await this.desk.heard(t, expected.length)
    t.same(
      events.map(({ event }) => event.event),
      expected,
    )
  }

  /** Sends with these faults on, and resolves when all has been told of it that can be. */
  async sends(t: Test, message: object, ...troubles: readonly Trouble[]): Promise<void> {
    const end = await this.account.troubles(...troubles)
    const messageId = await this.accepted(message)
    const has = (kind: Trouble['kind']) => troubles.find((each) => each.kind === kind)
    const left = has('missingReceipts')?.states ?? []
    await this.reaches(
      t,
      messageId,
      this.row.tells.filter((state) => !left.includes(state)),
    )
    await end()
  }

  /** The id of a message that was accepted; what became of it is another matter. */
  async accepted(message: object): Promise<string> {
    const [result] = await this.desk.send(this.person, message)
    if (!result?.accepted) throw new Error(`not accepted: ${JSON.stringify(result)}`)
    return result.messageId
  }

  /** That it was taken is told before anything that became of it. */
  async reaches(t: Test, messageId: string, states: readonly string[]): Promise<void> {
    const told = () => this.statuses(messageId)
    await until(() => ['sent', ...states].every((state) => told().some((status) => status.state === state)))
    t.same(told()[0], { messageId, state: 'sent', attempt: this.attempt })
  }

  /** It fails, for this reason; `before` was told of it until then. */
  async fails(t: Test, message: object, why: { reason: string; detail?: string }, before: readonly string[] = []) {
    const messageId = await this.accepted(message)
    await until(() => this.statuses(messageId).length > before.length)
    const about = { messageId, attempt: this.attempt }
    const expected = [...before.map((state) => ({ ...about, state })), { ...about, state: 'failed', ...why }]
    t.same(this.statuses(messageId), expected)
  }

  async isRefused(t: Test, reason: string): Promise<void> {
    t.same(await this.desk.send(this.person, said('refused')), [{ messageId: '', accepted: false, reason }])
  }
}

/** One person at one emulated provider, and the agent that they talk with: what is said, what is told, what fails. */
import type { Test } from 'tap'
import type { ChannelProviderName } from '../../adapters/emulator/contract.js'
import { EmulatedAccount, type FaultSpec } from '../harness/account.js'
import { waitUntil } from '../harness/clock.js'
import type { NodeProcess } from '../harness/process.js'
import { type Status, TestAgent } from '../harness/testagent.js'
import { type ProviderRow, providerRows, rooms } from './providertable.js'

export const textMessage = (text: string, more: object = {}) => ({
  spec: 'amf/1',
  parts: [{ type: 'text', text }],
  ...more,
})
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
export const answerOrigin = ({ kind, ...act }: ProviderRow['pick']) =>
  kind === 'text' ? { via: 'text', ...act } : { via: 'tap' }
export const systemEvent = (kind: string) => ({ type: 'system', system: { kind } })

/** One person at one provider, and the agent that they talk with. */
export class ProviderConversation {
  person = ''

  constructor(
    readonly provider: ChannelProviderName,
    readonly row: ProviderRow,
    readonly testAgent: TestAgent,
    readonly account: EmulatedAccount,
  ) {}

  static async open(
    t: Test,
    node: NodeProcess,
    provider: ChannelProviderName,
    name = `Desk of ${provider}`,
  ): Promise<ProviderConversation> {
    const row = providerRows[provider]
    const testAgent = await TestAgent.open(t, node, name)
    return new ProviderConversation(
      provider,
      row,
      testAgent,
      await EmulatedAccount.open(testAgent, provider, row.channel, row.address),
    )
  }

  get attempt() {
    return { channel: this.row.channel, provider: this.provider }
  }

  statuses(messageId: string): Status[] {
    return this.testAgent.statuses().filter((each) => each.messageId === messageId)
  }

  /** The next events that are no statuses are these. */
  async expectEvents(t: Test, ...expected: readonly object[]): Promise<void> {
    const events = await this.testAgent.nextContentEvents(t, expected.length)
    t.same(
      events.map(({ event }) => event.event),
      expected,
    )
  }

  /** Sends with these faults on, and resolves when all has been told of it that can be. */
  async sendWithFaults(t: Test, message: object, ...faults: readonly FaultSpec[]): Promise<void> {
    const end = await this.account.injectFaults(...faults)
    const messageId = await this.sendAccepted(message)
    const has = (kind: FaultSpec['kind']) => faults.find((each) => each.kind === kind)
    const missing = has('missingReceipts')?.states ?? []
    await this.expectStates(
      t,
      messageId,
      this.row.receiptStates.filter((state) => !missing.includes(state)),
    )
    await end()
  }

  /** The id of a message that was accepted; what became of it is another matter. */
  async sendAccepted(message: object): Promise<string> {
    const [result] = await this.testAgent.send(this.person, message)
    if (!result?.accepted) throw new Error(`not accepted: ${JSON.stringify(result)}`)
    return result.messageId
  }

  /** That it was taken is told before anything that became of it. */
  async expectStates(t: Test, messageId: string, states: readonly string[]): Promise<void> {
    const statuses = () => this.statuses(messageId)
    await waitUntil(() => ['sent', ...states].every((state) => statuses().some((status) => status.state === state)))
    t.same(statuses()[0], { messageId, state: 'sent', attempt: this.attempt })
  }

  /** It fails, for this reason; `before` was told of it until then. */
  async expectFailure(
    t: Test,
    message: object,
    why: { reason: string; detail?: string },
    before: readonly string[] = [],
  ) {
    const messageId = await this.sendAccepted(message)
    await waitUntil(() => this.statuses(messageId).length > before.length)
    const context = { messageId, attempt: this.attempt }
    const expected = [...before.map((state) => ({ ...context, state })), { ...context, state: 'failed', ...why }]
    t.same(this.statuses(messageId), expected)
  }

  async expectRefusal(t: Test, reason: string): Promise<void> {
    t.same(await this.testAgent.send(this.person, textMessage('refused')), [{ messageId: '', accepted: false, reason }])
  }
}

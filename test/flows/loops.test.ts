/**
 * Webhooks that answer every event, on the emulator and on a provider with a pace and receipts: the person gets a few
 * messages.
 */
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { EmulatedAccount } from '../harness/account.js'
import { waitUntil } from '../harness/clock.js'
import { startNode } from '../harness/process.js'
import { json, TestAgent } from '../harness/testagent.js'

const phone = '+15550100'
const hi = { spec: 'amf/1', parts: [{ type: 'text', text: 'hi there' }] }
/** To `conversationStarted`, to the message, and to three statuses. */
const repliesInAll = 5

const node = await startNode({ PARLEY_ALLOW_PRIVATE_URLS: 'true' })
t.teardown(() => node.clean())

// biome-ignore lint/suspicious/noExplicitAny: what is read is asserted
const logs = async (testAgent: TestAgent, event: string): Promise<any[]> =>
  (await testAgent.manage('GET', `${testAgent.agentPath}/logs?event=${event}`)).data

/** Waits for the first refusal, and a while longer in which nothing more may come. */
async function refusals(t: Test, testAgent: TestAgent) {
  await waitUntil(async () => (await logs(testAgent, 'message.refused')).length > 0)
  await pause(500)
  const refused = await logs(testAgent, 'message.refused')
  t.ok(refused.every(({ data, level }) => data.reason === 'loopDetected' && level === 'warn'))
  return refused
}

t.test('A webhook that answers every event sends a few messages, and the rest is loopDetected', async (t) => {
  const testAgent = await TestAgent.open(t, node, 'Echo')
  testAgent.alwaysReply = json({ messages: [hi] })
  await testAgent.bind('sms', { mode: 'unmanaged', provider: 'emulator' })
  await testAgent.phoneAct('sms', { text: 'Hello' }, phone)
  await refusals(t, testAgent)
  const { data } = await testAgent.manage('GET', '/system/emulator/shown?after=0')
  const logged = data.filter(({ bindingId }: { bindingId: string }) => bindingId === testAgent.bindings.sms)
  t.equal(logged.length, repliesInAll)
  const metrics = await (await fetch(`${node.mgmt}/metrics`)).text()
  t.match(metrics, /parley_messages_refused_total\{[^}]*reason="loopDetected"[^}]*\} [1-9]/)
})

t.test('The loop guard works the same on a provider with pacing and receipts', async (t) => {
  const testAgent = await TestAgent.open(t, node, 'Paced echo')
  testAgent.alwaysReply = json({ messages: [hi] })
  const account = await EmulatedAccount.open(testAgent, 'twilio', 'sms', phone)
  await testAgent.change('sms', { delivery: { minMessageDelayMs: 250 } })
  await account.act({ kind: 'text', text: 'Hello' })
  await waitUntil(async () => (await account.sent()).length >= repliesInAll)
  await refusals(t, testAgent)
  t.equal((await account.sent()).length, repliesInAll)
})

t.test('The loop guard of a binding applies to POST /messages, and a message of the person resets it', async (t) => {
  const testAgent = await TestAgent.open(t, node, 'Pusher')
  await testAgent.bind('sms', { mode: 'unmanaged', provider: 'emulator' })
  await testAgent.change('sms', { delivery: { loopGuard: { messages: 2, seconds: 3_600 } } })
  await testAgent.phoneAct('sms', { text: 'Hello' }, phone)
  const { userId } = (await testAgent.nextContentEvents(t, 2))[0]!
  const verdicts = async () => (await testAgent.send(userId, hi, hi, hi)).map(({ reason }) => reason ?? 'taken')
  t.same(await verdicts(), ['taken', 'taken', 'loopDetected'])
  await testAgent.phoneAct('sms', { text: 'Go on' }, phone)
  await testAgent.nextContentEvents(t, 1)
  t.same(await verdicts(), ['taken', 'taken', 'loopDetected'])
  t.equal((await logs(testAgent, 'message.refused')).length, 2, 'and each is logged')
})

/** A STOP while a message is on its way through the node: after its acknowledgement nothing is handed over. */
import t, { type Test } from 'tap'
import { waitUntil } from '../harness/clock.js'
import { seededRng } from '../sim/world/rng.js'
import { type FaultNode, openFaultNode } from './faultnode.js'
import { openSendAgent, type SeenSend, type SendAgent } from './sends-agent.js'
import { openSendProvider } from './sends-provider.js'
import { openSendRecord, type SendRequest } from './sends-record.js'

const phone = '+14155551000'
const requestFor = (ref: string): SendRequest => ({ ref, way: 'named', phone, beganAt: 0, answers: [] })

/** A node, an agent and its provider, after a first message. */
async function openTrial(t: Test) {
  const record = openSendRecord()
  const provider = await openSendProvider(record, seededRng(1))
  const faultNode = openFaultNode('embedded', { PARLEY_TIME_SCALE: '300', PARLEY_EMULATOR: 'false' })
  t.teardown(async () => {
    await faultNode.remove()
    await provider.close()
  })
  provider.recover()
  faultNode.spawn()
  await faultNode.started()
  const agent = await openSendAgent([faultNode], provider)
  const seen = async (sendId: string) => (await agent.read(faultNode, sendId)) as SeenSend
  const first = (await agent.requestSend(faultNode, requestFor('ref-1')))!.sendId!
  await waitUntil(async () => (await seen(first)).state === 'sent')

  return { record, provider, faultNode, agent, seen }
}

/** A STOP counts before its acknowledgement: a further send is refused. */
async function onRecord(faultNode: FaultNode, agent: SendAgent): Promise<void> {
  let ref = 3
  await waitUntil(async () => (await agent.requestSend(faultNode, requestFor(`ref-${ref++}`)))?.outcome === 'refused')
}

t.test('No message is submitted to a provider after a STOP was acknowledged, at any stage', async (t) => {
  const { record, provider, faultNode, agent, seen } = await openTrial(t)
  // The node knows that the number is reachable, and no longer has a token: the message itself waits for one.
  await faultNode.kill()
  const tokens = provider.blockTokens()
  faultNode.spawn()
  await faultNode.started()
  const second = (await agent.requestSend(faultNode, requestFor('ref-2')))!.sendId!
  await waitUntil(() => tokens.waiting() > 0)
  const stopping = agent.stop(faultNode, phone)
  await onRecord(faultNode, agent)
  tokens.release()
  t.equal(await stopping, true)
  await waitUntil(async () => (await seen(second)).state !== 'sending')
  t.match(await seen(second), { state: 'suppressed', reason: 'opted_out' })
  t.same(
    record.arrivals.map(({ ref }) => ref),
    ['ref-1'],
  )
})

t.test('A STOP is acknowledged once no message is in flight to the provider', async (t) => {
  const { record, provider, faultNode, agent, seen } = await openTrial(t)
  const messages = provider.blockMessages()
  const second = (await agent.requestSend(faultNode, requestFor('ref-2')))!.sendId!
  await waitUntil(() => messages.waiting() > 0)
  let acknowledgedAt: number | undefined
  const stopping = agent.stop(faultNode, phone).then((isAccepted) => {
    acknowledgedAt = record.moment()
    return isAccepted
  })
  await onRecord(faultNode, agent)
  t.equal(acknowledgedAt, undefined)
  messages.release()
  t.equal(await stopping, true)
  await waitUntil(async () => (await seen(second)).state === 'sent')
  const [, arrived] = record.arrivals
  t.match(arrived, { ref: 'ref-2' })
  t.ok(arrived!.at < acknowledgedAt!, 'it had arrived before')
})

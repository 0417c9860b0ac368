/**
 * A node that is backed up under writes, killed, restored elsewhere and started again: nothing acknowledged is missing.
 */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { waitUntil } from '../../harness/clock.js'
import { type NodeProcess, startNode, testKey } from '../../harness/process.js'
import { type Envelope, TestAgent } from '../../harness/testagent.js'
import { exitCode, parley, scratch } from './parley.js'

// Processes start here, on a machine that may be busy.
t.setTimeout(200_000)

/** Sends are picked up after seconds instead of a minute. */
const pace = { PARLEY_SHARDS: '4', PARLEY_TIME_SCALE: '20' }
const address = '+15550100'

/** People who are entered one after the other, until it is told to stop. */
function startWriters(testAgent: TestAgent, writers: number) {
  const acknowledged: string[] = []
  let over = false
  const enter = async (writer: number) => {
    for (let number = 0; !over; number++) {
      const person = await testAgent.manage('POST', `${testAgent.agentPath}/people`, {
        fullName: `Person ${writer}-${number}`,
      })
      acknowledged.push(person.id)
    }
  }
  // The node is killed under them: what it did not answer, nobody counts on.
  const all = Array.from({ length: writers }, (_, writer) => enter(writer).catch(() => {}))
  return {
    acknowledged,
    async stop() {
      over = true
      await Promise.all(all)
    },
  }
}

async function api(node: NodeProcess, path: string, body?: object): Promise<{ status: number; json: never }> {
  const answer = await fetch(`${node.mgmt}/v1${path}`, {
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  return { status: answer.status, json: (await answer.json()) as never }
}

/** The next event that tells of this text. */
async function waitForEvent(t: Test, testAgent: TestAgent, text: string): Promise<Envelope> {
  for (;;) {
    const [envelope] = await testAgent.nextEvents(t, 1)
    if ((envelope!.event.event.message as { text?: string } | undefined)?.text === text) return envelope!
  }
}

async function sendsOf(node: NodeProcess, at: string): Promise<{ sendId: string; state: string }[]> {
  const { json } = await api(node, `${at}/outreach/sends`)
  return (json as { data: { sendId: string; state: string }[] }).data
}

async function createTestAgent(t: Test, node: NodeProcess): Promise<TestAgent> {
  const testAgent = await TestAgent.open(t, node, 'Desk')
  await testAgent.bind('sms', { mode: 'unmanaged', provider: 'emulator', auth: {} })
  await testAgent.bind('rcs', { mode: 'unmanaged', provider: 'emulator', auth: {} })
  await testAgent.manage('POST', `${testAgent.agentPath}/message-templates`, {
    id: 'welcome',
    name: 'Welcome',
    body: 'Hello there.',
  })
  const outreach = { id: 'welcome', name: 'Welcome', class: 'service', openerTemplateId: 'welcome' }
  await testAgent.manage('POST', `${testAgent.agentPath}/outreach`, outreach)
  return testAgent
}

t.test(
  'Acknowledged data of the backup is present after the restore, and conversations and sends continue',
  async (t) => {
    const node = await startNode(pace)
    t.teardown(() => node.clean())
    const testAgent = await createTestAgent(t, node)
    await testAgent.phoneAct('sms', { text: 'Hello' }, address)
    const first = await waitForEvent(t, testAgent, 'Hello')
    const load = startWriters(testAgent, 8)
    await waitUntil(() => load.acknowledged.length >= 40)
    const env = { PARLEY_URL: node.mgmt, PARLEY_KEY: testKey }
    const queued = await parley(['send', 'desk', 'welcome', '--to', '+14155550123', '--json'], env)
    t.equal(queued.json.status, 'queued', queued.stderr)

    const before = [...load.acknowledged]
    const folder = join(scratch(t), 'backup')
    const made = await parley(['backup', folder, '--with-key', '--json'], env)
    t.equal(made.code, exitCode.done, made.stderr)
    const during = load.acknowledged.length
    t.ok(during > before.length, 'the node continued in the meantime')
    await node.end('SIGKILL')
    await load.stop()
    rmSync(node.dir, { recursive: true, force: true })

    const data = join(scratch(t), 'data')
    const restored = await parley(['restore', folder, '--data', data])
    t.equal(restored.code, exitCode.done, restored.stderr)
    t.match(restored.stderr, /Start a node with PARLEY_DATA_DIR=\S+ and PARLEY_SHARDS=4\./)
    t.same(readdirSync(data).sort(), ['media', 'secret.key', 'store.mdb'])
    const restarted = await startNode(pace, data)
    t.teardown(() => restarted.clean())

    for (const id of before) {
      const { status } = await api(restarted, `${testAgent.agentPath}/people/${id}`)
      if (status !== 200) t.fail(`${id} was acknowledged before the backup and is not there (${status})`)
    }
    t.ok(before.length >= 40, `all ${before.length} of them are there`)

    await waitUntil(async () => (await sendsOf(restarted, testAgent.agentPath)).some(({ state }) => state === 'sent'))
    t.match(
      await sendsOf(restarted, testAgent.agentPath),
      [{ sendId: queued.json.sendId, state: 'sent' }],
      'the send went on, once',
    )

    const items = [{ id: 'again', from: address, text: 'Are you still there?' }]
    await api(restarted, `/system/emulator/bindings/${testAgent.bindings.sms}/_act`, { items })
    const later = await waitForEvent(t, testAgent, 'Are you still there?')
    t.equal(later.userId, first.userId, 'the person is the one they were')
    t.match((await parley(['status'], { ...env, PARLEY_URL: restarted.mgmt })).stdout, /^state {4}ok$/m)
  },
)

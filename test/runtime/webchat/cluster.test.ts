/** Web chat over several nodes on a real server: a page may be connected to any of them, whichever owns its record. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { systemClock } from '../../../runtime/clock.js'
import { readConfig } from '../../../runtime/config/config.js'
import { prepareUws } from '../../../runtime/http/binary.js'
import { type RunningNode, runNode } from '../../../runtime/node/listen.js'
import { createLog } from '../../../runtime/observe/log.js'
import { waitUntil } from '../../harness/clock.js'
import { TestNats } from '../../harness/nats.js'
import { type NodeProcess, testKey } from '../../harness/process.js'
import { TestAgent } from '../../harness/testagent.js'
import { createVisitor, Page, textsOf } from './visitor.js'

prepareUws(false)
const nats = await TestNats.start()
const dataDir = await mkdtemp(join(tmpdir(), 'parley-'))
const secret = randomBytes(32).toString('hex')
const { log } = createLog({ destination: { write: () => {} } })

/** The first two keep shards; the third keeps none and only asks. */
async function start(name: string, roles = 'shards,mgmt,gateway'): Promise<RunningNode> {
  const read = readConfig({
    PARLEY_DATA_DIR: join(dataDir, name),
    PARLEY_BOOTSTRAP_KEY: testKey,
    PARLEY_SECRET_KEY: secret,
    PARLEY_NATS_URL: nats.url,
    PARLEY_SHARDS: '16',
    PARLEY_ROLES: roles,
    PARLEY_GATEWAY_PORT: '0',
    PARLEY_MGMT_PORT: '0',
    PARLEY_ALLOW_PRIVATE_URLS: 'true',
  })
  if ('problems' in read) throw new Error(read.problems.join())
  return runNode(read.config, { clock: systemClock, log })
}

const [first, second] = await Promise.all([start('first'), start('second')])
const gateway = await start('asking', 'gateway')
const nodes = [first, second, gateway]
const open = new Set(nodes)
async function stop(node: RunningNode): Promise<void> {
  if (open.delete(node)) await node.stop()
}
t.teardown(async () => {
  for (const node of [gateway, second, first]) await stop(node)
  await nats.stop()
  await rm(dataDir, { recursive: true, force: true })
})
const owners = async () => new Set((await first.node.engine.status()).map(({ owner }) => owner))
await waitUntil(async () => {
  const ownerSet = await owners()
  return ownerSet.size === 2 && !ownerSet.has(undefined)
})

const testAgent = await TestAgent.open(t, first.urls as unknown as NodeProcess, 'Harbor')
const chatAt = (node: RunningNode) => `${node.urls.gateway}/v4/webchat/demo.${testAgent.agentPath.split('/').at(-1)}`
const text = (words: string) => ({ spec: 'amf/1', parts: [{ type: 'text', text: words }] })

/** As many visitors as make it likely that every node keeps the record of some. */
const people = 6

async function arrive(node: RunningNode): Promise<{ page: Page; token: string; userId: string }> {
  const { token } = await createVisitor(chatAt(node))
  const page = await Page.open(chatAt(node), { token })
  await page.text('Hello')
  await testAgent.nextContentEvents(t, 2)
  return { page, token, userId: testAgent.lastPerson() }
}

t.test('A line reaches tabs on every node at once, whichever node stores the record', async (t) => {
  for (let person = 0; person < people; person++) {
    const { page, token, userId } = await arrive(nodes[person % nodes.length]!)
    const tabs = [page, ...(await Promise.all(nodes.map((node) => Page.open(chatAt(node), { token }))))]
    await testAgent.send(userId, text('To all of you'))
    await Promise.all(tabs.map((tab) => tab.waitForLines(2)))
    await tabs.at(-1)!.text('And back')
    await testAgent.nextContentEvents(t, 1)
    await Promise.all(tabs.map((tab) => tab.waitForLines(3)))
    for (const tab of tabs) {
      t.same(tab.entries, page.entries)
      t.notOk(
        tab.frames.some(({ type }) => type === 'ping'),
        'no poll was needed',
      )
    }
    t.same(textsOf(page.entries), ['Hello', 'To all of you', 'And back'])
    await Promise.all(tabs.map((tab) => tab.close()))
  }
})

t.test(
  'When a node stops, its pages resume at another one from their cursor, without loss or duplicates',
  async (t) => {
    const visitors = []
    for (let person = 0; person < people; person++) visitors.push(await arrive(second))
    for (const { page, userId } of visitors) {
      await testAgent.send(userId, text('Before'))
      await page.waitForLines(2)
    }
    const stopped = stop(second)
    for (const { page } of visitors) t.equal(await page.waitForClose(), 1001)
    await stopped
    for (const { userId } of visitors) {
      // A shard that is just moving says so, and is asked again.
      await waitUntil(
        async () => (await testAgent.send(userId, { ...text('Meanwhile'), id: 'once' }))?.[0]?.accepted === true,
      )
    }
    for (const { page, token, userId } of visitors) {
      const back = await Page.open(chatAt(gateway), { token, after: page.cursor })
      await back.waitForLines(1)
      await testAgent.send(userId, text('After'))
      await back.waitForLines(2)
      t.same(textsOf([...page.entries, ...back.entries]), ['Hello', 'Before', 'Meanwhile', 'After'])
      await back.close()
    }
  },
)

/** The backup of a node of a cluster: restored beside servers without data, it founds the cluster again. */
import { join } from 'node:path'
import t from 'tap'
import { TestNats } from '../../harness/nats.js'
import { startNode, testKey } from '../../harness/process.js'
import { exitCode, parley, scratch } from './parley.js'

// Processes start here, on a machine that may be busy.
t.setTimeout(200_000)

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

async function agentsOf(url: string): Promise<string[]> {
  const { json } = await parley(['agents', '--json'], { PARLEY_URL: url, PARLEY_KEY: testKey })
  return json.map(({ id }: { id: string }) => id)
}

t.test('When nodes and servers are lost, one node’s backup restores all its shards', async (t) => {
  const secret = { PARLEY_SHARDS: '3', PARLEY_SECRET_KEY: '33'.repeat(32) }
  const first = await TestNats.start()
  t.teardown(() => first.stop())
  const node = await startNode({ ...secret, PARLEY_NATS_URL: first.url })
  t.teardown(() => node.clean())
  const names = Array.from({ length: 6 }, (_, number) => `agent-${number}`)
  for (const id of names) {
    const answer = await fetch(`${node.mgmt}/v1/orgs/demo/agents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: id, id }),
    })
    t.equal(answer.status, 201)
  }
  const upload = await fetch(`${node.mgmt}/v1/orgs/demo/agents/agent-0/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'image/png' },
    body: png,
  })
  const uploaded = (await upload.json()) as { url: string }
  const folder = join(scratch(t), 'backup')
  const made = await parley(['backup', folder, '--json'], { PARLEY_URL: node.mgmt, PARLEY_KEY: testKey })
  t.equal(made.code, exitCode.done, made.stderr)
  t.match(made.json, { cluster: true, shards: 3, held: [{ shard: 0 }, { shard: 1 }, { shard: 2 }] })
  await node.end('SIGKILL')
  await first.stop()

  const second = await TestNats.start()
  t.teardown(() => second.stop())
  const data = join(scratch(t), 'data')
  const restored = await parley(['restore', folder, '--data', data])
  t.equal(restored.code, exitCode.done, restored.stderr)
  t.match(restored.stderr, /NATS servers that have lost their logs get them from this node/)
  const restoredNode = await startNode({ ...secret, PARLEY_NATS_URL: second.url }, data)
  t.teardown(() => restoredNode.clean())
  t.same(await agentsOf(restoredNode.mgmt), names)
  const served = await fetch(`${restoredNode.gateway}${new URL(uploaded.url).pathname}`)
  t.same(Buffer.from(await served.arrayBuffer()), png, 'media of the cluster was in it, and is the cluster’s again')
})

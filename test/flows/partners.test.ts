/** A node with a partner's adapter that forgets an await, and then loops: it lives, and every message arrives. */
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { generateAdapter, loadAdapter } from '../adapters/kit/generatedadapter.js'
import { waitUntil } from '../harness/clock.js'
import { startNode } from '../harness/process.js'
import { TestAgent } from '../harness/testagent.js'

t.test('A failing partner adapter ends no node, and its messages are retried', async (t) => {
  const { dir } = generateAdapter(t, 'sms', 'pigeon')
  const { samples } = await loadAdapter(dir)
  const loops = join(dir, 'loops')
  const send = join(dir, 'send.js')
  const begin = 'export async function send(payload, { auth, address, id, call }) {'
  const text = readFileSync(send, 'utf8')
  t.ok(text.includes(begin))
  const trouble = `
    const forgotten = async () => { throw new Error('nobody awaits this') }
    forgotten()
    if (existsSync('${loops}')) for (;;) {}`
  writeFileSync(send, `import { existsSync } from 'node:fs'\n${text.replace(begin, begin + trouble)}`)
  const arrived: string[] = []
  const provider = createServer(async (request, response) => {
    arrived.push(Buffer.concat(await request.toArray()).toString())
    response.writeHead(202).end(JSON.stringify({ id: `wire_${arrived.length}` }))
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  t.teardown(() => {
    provider.closeAllConnections()
    provider.close()
  })
  const node = await startNode({ PARLEY_ADAPTERS: dir })
  t.teardown(() => node.clean())
  const testAgent = await TestAgent.open(t, node, 'Harbor')
  const apiUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const auth = { ...(samples.auth as object), apiUrl }
  const { id } = await testAgent.bind('sms', { mode: 'unmanaged', provider: 'pigeon', auth })
  await testAgent.bind('rcs', { mode: 'unmanaged', provider: 'emulator' })
  const body = JSON.stringify({ events: [{ id: 'evt_1', type: 'message', from: '+14155550100', text: 'Hello' }] })
  const headers = samples.sign!({ body: Buffer.from(body), at: Date.now() } as never, auth)
  const reply = await fetch(`${node.gateway}/v4/ingress/${id}`, { method: 'POST', headers, body } as RequestInit)
  t.equal(reply.status, 200)
  await testAgent.nextContentEvents(t, 1)
  const person = testAgent.lastPerson()
  const textMessage = (words: string) => ({ spec: 'amf/1', parts: [{ type: 'text', text: words }] })
  await testAgent.send(person, textMessage('First'))
  await waitUntil(() => arrived.some((each) => each.includes('First')))
  await waitUntil(() => node.stdout().includes('a rejection without a handler'))

  writeFileSync(loops, '')
  await testAgent.send(person, textMessage('Second'))
  await testAgent.phoneAct('rcs', { text: 'Hello' }, '+14155550101')
  await testAgent.nextContentEvents(t, 1)
  t.pass('another binding is served while the adapter loops')
  await waitUntil(() => node.stdout().includes('adapter.thread.ended'))
  rmSync(loops)
  t.notOk(existsSync(loops))
  await waitUntil(() => arrived.some((each) => each.includes('Second')))
  t.equal(arrived.filter((each) => each.includes('Second')).length, 1)
  t.equal(node.process.exitCode, null, 'the node lives')
  t.equal(await node.end('SIGTERM'), 0, 'and stops in good order')
})

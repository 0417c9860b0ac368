/** A node that was killed goes on after its restart as it did before: what it hands over carries its public address. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import twilio from 'twilio'
import { waitUntil } from '../harness/clock.js'
import { startNode } from '../harness/process.js'
import { TestAgent } from '../harness/testagent.js'

const credentials = { accountSid: `AC${'0'.repeat(32)}`, authToken: 'a-token-of-tests', from: '+14155550100' }
const count = 8

t.test('Messages in flight when a node was killed are sent with their public URL after the restart', async (t) => {
  const callbacks: string[] = []
  const hanging: ServerResponse[] = []
  let hangs = true
  const provider = createServer(async (request, response) => {
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
    if (request.method === 'GET') return void response.writeHead(200).end(JSON.stringify({ messages: [] }))
    if (hangs) return void hanging.push(response)
    callbacks.push((form.get('StatusCallback') ?? '').replace(/\?.*$/, ''))
    response
      .writeHead(201)
      .end(JSON.stringify({ sid: `SM${String(callbacks.length).padStart(32, '0')}`, status: 'queued' }))
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  t.teardown(() => {
    provider.closeAllConnections()
    provider.close()
  })
  const env = { PARLEY_EMULATOR: 'false' }
  const node = await startNode(env)
  t.teardown(() => node.clean())
  const testAgent = await TestAgent.open(t, node, 'Harbor')
  const apiUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const { id, ingressUrl } = await testAgent.bind('sms', {
    mode: 'unmanaged',
    provider: 'twilio',
    auth: { ...credentials, apiUrl },
  })
  for (let at = 0; at < count; at++) {
    const form = {
      MessageSid: `SM${String(at).repeat(32)}`,
      From: `+1415555012${at}`,
      To: credentials.from,
      Body: 'Hello',
    }
    const signature = twilio.getExpectedTwilioSignature(credentials.authToken, ingressUrl, form)
    const body = new URLSearchParams(form)
    const headers = { 'x-twilio-signature': signature }
    const answer = await fetch(`${node.gateway}/v4/ingress/${id}`, { method: 'POST', headers, body })
    t.equal(answer.status, 200)
  }
  const events = await testAgent.nextEvents(t, 2 * count)
  for (const userId of new Set(events.map((event) => event.userId))) {
    const [result] = await testAgent.send(userId, {
      spec: 'amf/1',
      parts: [{ type: 'text', text: 'Your table is ready.' }],
    })
    t.equal(result?.accepted, true)
  }
  await waitUntil(() => hanging.length === count)
  await node.end('SIGKILL')
  for (const response of hanging) response.destroy()
  hangs = false
  const restarted = await startNode(env, node.dir)
  t.teardown(() => restarted.clean())
  await waitUntil(() => callbacks.length === count)
  t.same(
    [...new Set(callbacks)],
    [`${restarted.gateway}/v4/ingress/${id}`],
    'every callback is the whole address of the binding',
  )
})

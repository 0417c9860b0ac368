/** A node that is told to stop while the tool of a turn is asked, and the node that goes on with its data. */
import t from 'tap'
import { waitUntil } from '../../harness/clock.js'
import { startNode, testKey } from '../../harness/process.js'
import { answer, hang, openReceiver } from '../../harness/receiver.js'

t.setTimeout(120_000)

const env = { PARLEY_EMULATOR: 'true' }
const exitMs = 10_000

t.test(
  'R4: SIGTERM while a tool is asked ends the node in time, and the person is answered once after it',
  async (t) => {
    const receiver = await openReceiver(t)
    const flow = (id: string, said: string) => ({
      steps: [
        { action: `integration:${id}`, on_error: 'branch' },
        { branch: [{ if: 'error', goto: 'not' }], else: 'done' },
        { id: 'done', say: said },
        { end: { outcome: 'done' } },
        { id: 'not', say: 'It is not known whether that has worked.' },
      ],
    })
    const tool = (id: string, more: object) => {
      receiver.setBehavior(`/${id}`, hang)
      const endpoint = { url: receiver.url(`/${id}`) }
      return { id, description: id, endpoint, parameters: { type: 'object', ...more } }
    }
    const play = (id: string, said: string) => {
      return { id, name: id, uses: [`integration:${id}`], body: '', flow: flow(id, said) }
    }
    const document = {
      format: 'agent/1',
      playbooks: [
        { ...play('charge', 'It is charged.'), isDefault: true },
        { ...play('reserve', 'It is reserved.'), isDefault: false },
      ],
      integrations: { custom: [tool('charge', { 'x-idempotent': true }), tool('reserve', {})] },
    }

    let node = await startNode(env)
    t.teardown(() => node.clean())
    // biome-ignore lint/suspicious/noExplicitAny: what is read is asserted
    async function call(method: string, path: string, json?: unknown): Promise<any> {
      const headers = {
        authorization: `Bearer ${testKey}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
      }
      const body = json === undefined ? {} : { body: JSON.stringify(json) }
      const response = await fetch(`${node.mgmt}/v1${path}`, { method, headers, ...body })
      if (response.status > 299) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      return response.json()
    }
    const { id } = await call('POST', '/orgs/demo/agents', { name: 'Stopped' })
    const agent = `/orgs/demo/agents/${id}`
    await call('POST', `${agent}/import`, document)
    const binding = await call('POST', `${agent}/channels`, { channel: 'sms', mode: 'unmanaged', provider: 'emulator' })
    for (const [from, text] of [
      ['+14155550171', 'charge'],
      ['+14155550172', 'reserve'],
    ]) {
      await call('POST', `/system/emulator/bindings/${binding.id}/_act`, { items: [{ id: text, from, text }] })
      await waitUntil(() => receiver.at(`/${text}`).length === 1)
    }

    const stopped = node
    const began = performance.now()
    t.equal(await stopped.end('SIGTERM'), 0)
    t.ok(performance.now() - began < exitMs, 'the contract promises it')
    await t.rejects(fetch(`${stopped.gateway}/healthz`), 'nothing listens any more')

    for (const path of ['/charge', '/reserve']) receiver.setBehavior(path, answer(200))
    node = await startNode(env, stopped.dir)
    const said = async () =>
      (await call('GET', `${agent}/messages?origin=agent&type=content&limit=200`)).data.map(
        ({ text }: { text: string }) => text,
      )
    await waitUntil(async () => (await said()).length >= 2)
    t.same((await said()).sort(), ['It is charged.', 'It is not known whether that has worked.'])
    const { data: turns } = await call('GET', `${agent}/turns`)
    t.match(
      turns.map(({ state }: { state: string }) => state),
      ['completed', 'completed'],
    )
    t.equal(receiver.at('/reserve').length, 1, 'a call that may have been made is not made again')
    const keys = receiver.at('/charge').map(({ headers }) => headers['idempotency-key'])
    t.equal(keys.length, 2)
    t.equal(new Set(keys).size, 1, 'a repeat that is harmless has the same key')
  },
)

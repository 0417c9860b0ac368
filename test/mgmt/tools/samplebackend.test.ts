/** The sample backend for tools of the catalog, called by a real node's tools for an agent that the API configures. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { openToolsNode } from './toolsnode.js'

interface SampleBackend {
  serve(options: { readonly key?: string }): Promise<Server>
}
const backendFile = new URL('../../../../ops/sample-tools/backend.mjs', import.meta.url)
const { serve }: SampleBackend = await import(backendFile.href)

t.test('decision 14: the sample backend answers the calls of an agent’s tools', async (t) => {
  const server = await serve({ key: 'key-of-the-shop' })
  t.teardown(async () => {
    server.close()
    await once(server, 'close')
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { manage, run } = await openToolsNode(t)
  const bind = (tool: string, config: object) => manage('PUT', `/tool-bindings/${encodeURIComponent(tool)}`, { config })
  await bind('@svc/tool.order-lookup', { baseUrl, apiKey: 'key-of-the-shop', hiddenFields: ['margin'] })
  await bind('@svc/tool.product-search', { baseUrl, apiKey: 'key-of-the-shop', showExactStock: true })
  await bind('@svc/tool.return-request', { baseUrl, apiKey: 'a-wrong-key' })

  t.same(await run('tool:@svc/tool.order-lookup', { orderNumber: '1001', proof: '10115' }), {
    state: 'ok',
    result: { number: '1001', state: 'delivered', items: [{ id: 'tea', count: 2 }] },
  })
  t.match(await run('tool:@svc/tool.order-lookup', { orderNumber: '1001', proof: '99999' }), {
    state: 'failed',
    reason: 'Order lookup answered with status 404.',
  })
  t.match(await run('tool:@svc/tool.product-search', { words: 'tea', limit: 1 }), {
    state: 'ok',
    result: { products: [{ id: 'tea', stock: 12 }] },
  })
  const back = { orderNumber: '1001', proof: '10115', itemId: 'tea', reason: 'faulty', wish: 'refund' }
  t.match(await run('tool:@svc/tool.return-request', back), { state: 'failed', reason: /status 401/ })
  await bind('@svc/tool.return-request', { baseUrl, apiKey: 'key-of-the-shop' })
  const first = await run('tool:@svc/tool.return-request', back, 'call-1')
  t.match(first, { state: 'ok', result: { returnNumber: 'R-1001-1' } })
  t.same(
    await run('tool:@svc/tool.return-request', back, 'call-1'),
    first,
    'a call that comes again is answered as before',
  )
  t.match(await run('tool:@svc/tool.return-request', back, 'call-2'), { result: { returnNumber: 'R-1001-2' } })
})

t.test('R48: an integration of the API is called by its id, with its stored header', async (t) => {
  const server = await serve({ key: 'key-of-the-shop' })
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/order-lookup`
  const { manage, run } = await openToolsNode(t)
  const parameters = { type: 'object', required: ['arguments'], 'x-idempotent': true }
  await manage('PUT', '/integrations/shop', {
    description: 'The shop.',
    parameters,
    endpoint: { url },
    authHeader: 'Bearer key-of-the-shop',
  })
  const given = { arguments: { orderNumber: '1001', proof: '10115' } }
  t.match(await run('integration:shop', given), { state: 'ok', result: { number: '1001' } })
})

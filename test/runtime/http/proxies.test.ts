/** The client address of a request: behind proxies of a node, and with forged proxy headers. */
import { request } from 'node:http'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { prepareUws } from '../../../runtime/http/binary.js'
import { networkOf, type Proxies, trustedProxies } from '../../../runtime/http/proxies.js'
import { listen } from '../../../runtime/http/server.js'
import { createLog } from '../../../runtime/observe/log.js'

prepareUws(false)
const { log } = createLog({ destination: { write: () => {} } })
const proxiesNamed = (...texts: string[]) => trustedProxies(texts.map((text) => networkOf(text)!))

t.test('The client is the last address that is not a trusted proxy', async (t) => {
  const proxies = proxiesNamed('10.0.0.0/8', '127.0.0.1', '2001:db8::/32')
  const cases: readonly (readonly [peer: string, said: string[], client: string, why?: string])[] = [
    ['127.0.0.1', ['203.0.113.9'], '203.0.113.9'],
    ['127.0.0.1', ['203.0.113.9, 10.1.2.3'], '203.0.113.9', 'through two of them'],
    ['127.0.0.1', ['203.0.113.9', '10.1.2.3'], '203.0.113.9', 'each with a line of its own'],
    ['127.0.0.1', ['198.51.100.7, 203.0.113.9'], '203.0.113.9', 'what the client itself wrote is not believed'],
    ['127.0.0.1', ['198.51.100.7', '203.0.113.9'], '203.0.113.9', 'nor in a line of its own'],
    ['203.0.113.9', ['198.51.100.7'], '203.0.113.9', 'who is not trusted is not asked'],
    ['127.0.0.1', [], '127.0.0.1', 'a proxy that says nothing'],
    ['127.0.0.1', ['10.1.2.3'], '10.1.2.3', 'one that calls for itself'],
    ['127.0.0.1', ['203.0.113.9, unknown'], '127.0.0.1', 'and one that does not know'],
    ['127.0.0.1', ['203.0.113.9:4711'], '203.0.113.9', 'with a port'],
    ['127.0.0.1', ['[2001:DB9::1]:4711'], '2001:DB9::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', ['203.0.113.9'], '203.0.113.9'],
    ['0000:0000:0000:0000:0000:ffff:7f00:0001', ['203.0.113.9'], '203.0.113.9', 'IPv4 by a socket of IPv6'],
  ]
  for (const [peer, forwarded, client, why = client] of cases) t.equal(proxies.clientOf(peer, forwarded), client, why)
  fc.assert(
    fc.property(
      fc.ipV4(),
      fc.array(fc.string()),
      (peer, forwarded) => proxiesNamed('10.0.0.1').clientOf(peer, forwarded) !== '',
    ),
  )
})

t.test('Networks are addresses, with or without a number of bits', async (t) => {
  for (const good of ['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '10.0.0.1/32', '::1', '2001:db8::/32', '::/128']) {
    t.ok(networkOf(good), good)
  }
  for (const bad of ['', 'proxy.example', '10.0.0.0/33', '10.0.0/8', '::1/129', '10.0.0.0/', '10.0.0.0/x', '[::1]']) {
    t.equal(networkOf(bad), undefined, bad)
  }
})

/** Whom a real listener takes a call for. */
async function clientFor(t: Test, headers: Record<string, string | string[]>, proxies?: Proxies): Promise<string> {
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    // Asked late, as handlers do.
    serve: (incoming) =>
      void setImmediate(() => incoming.respond({ status: 200, requestId: 'x', body: incoming.remoteAddress() })),
    ...(proxies && { proxies }),
    log,
  })
  t.teardown(() => server.close(0))
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port: server.port, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      answer.on('end', () => resolve(text))
    })
    call.on('error', reject)
    call.end()
  })
}

t.test('A listener trusts the configured proxies, hop by hop, and no others', async (t) => {
  const lines = { 'x-forwarded-for': ['198.51.100.7', '203.0.113.9'] }
  t.equal(await clientFor(t, lines), '127.0.0.1')
  t.equal(await clientFor(t, lines, proxiesNamed('10.0.0.0/8')), '127.0.0.1')
  t.equal(await clientFor(t, lines, proxiesNamed('127.0.0.0/8')), '203.0.113.9')
  t.equal(await clientFor(t, {}, proxiesNamed('127.0.0.0/8')), '127.0.0.1')
})

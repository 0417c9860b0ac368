/** The peer of the http scenario: Fastify with the same schema on both sides and a hook that checks the token. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { serveCandidate } from '../../harness/rpc.js'
import { Order, orderRequest } from './order.js'

const token = randomBytes(24).toString('base64url')
const digestOf = (header: string) => createHash('sha256').update(header).digest()
const keys = new Map([[digestOf(token).toString('hex').slice(0, 16), { digest: digestOf(token), org: 'bench' }]])

// Fastify's default drops unknown properties and converts wrong types; here the schema refuses both.
const app = fastify({ ajv: { customOptions: { removeAdditional: false, coerceTypes: false } } })

app.addHook('onRequest', (request, reply, done) => {
  const header = request.headers.authorization
  if (header?.startsWith('Bearer ')) {
    const digest = digestOf(header.slice(7))
    const key = keys.get(digest.toString('hex').slice(0, 16))
    if (key && timingSafeEqual(key.digest, digest)) return done()
  }
  reply.code(401).send({ message: 'Unauthorized' })
})

app.post('/v1/bench/orders', { schema: { body: Order, response: { 200: Order } } }, (request, reply) => {
  reply.send(request.body)
})

await app.listen({ host: '127.0.0.1', port: 0 })
serveCandidate({
  ready: {
    port: (app.server.address() as AddressInfo).port,
    request: orderRequest('/v1/bench/orders', token),
  },
  close: () => app.close(),
})

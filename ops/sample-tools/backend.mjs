/**
 * A backend for tools of the catalog in one file, as a business would write it: Node alone, no package. It answers
 * `order-lookup`, `product-search` and `return-request` for a small shop; README.md beside it describes the wire.
 *
 *   API_KEY=… PORT=9100 node backend.mjs
 *
 * The key is what the operator stores in the tools' configs. Without one nothing is checked.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const bodyMaxBytes = 64 * 1024
/** Answers that are kept for calls that come again. */
const keptAnswers = 1_000

const products = [
  { id: 'tea', name: 'Green tea', price: '7.50', stock: 12 },
  { id: 'pot', name: 'Tea pot', price: '34.00', stock: 0 },
]
const orders = new Map([
  [
    '1001',
    { number: '1001', postalCode: '10115', state: 'delivered', items: [{ id: 'tea', count: 2 }], margin: '3.10' },
  ],
])

/** What is wrong with a call is for the agent to read, so it is a sentence. */
const refuse = (status, message) => ({ status, body: { message } })

function findOrder({ orderNumber, proof }) {
  const order = orders.get(orderNumber)
  return order?.postalCode === proof ? order : undefined
}

/** A function for each tool: arguments and the operator's config in, status and JSON out. */
const tools = {
  'order-lookup'(given) {
    const order = findOrder(given)
    if (!order) return refuse(404, 'There is no order of that number and postal code.')
    const { postalCode: _checked, ...shown } = order
    return { status: 200, body: shown }
  },

  'product-search'({ words = '', productId, limit = 5 }, { showExactStock = false }) {
    const found = products.filter(({ id, name }) => (productId ? id === productId : hasWords(name, words)))
    const view = ({ stock, ...product }) => ({ ...product, stock: showExactStock ? stock : stock > 0 })
    return { status: 200, body: { products: found.slice(0, limit).map(view) } }
  },

  'return-request'({ itemId, checkOnly = false, ...given }, { returnWindowDays = 30 }) {
    const order = findOrder(given)
    if (!order?.items.some(({ id }) => id === itemId)) return refuse(404, 'There is no such item in that order.')
    if (checkOnly) return { status: 200, body: { possible: true, returnWindowDays } }
    order.returns = [...(order.returns ?? []), { itemId, reason: given.reason, wish: given.wish }]
    return { status: 200, body: { returnNumber: `R-${order.number}-${order.returns.length}` } }
  },
}

function hasWords(name, words) {
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.toLowerCase().includes(word))
}

/** Digests have one length, so the comparison takes the same time for every key. */
function isAllowed(headers, key) {
  const digest = (text) => createHash('sha256').update(text).digest()
  return key === '' || timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${key}`))
}

/** Answers each call once: a call that comes again under its key gets the first answer again. */
function answerOnce(answers, idempotencyKey, answer) {
  const known = answers.get(idempotencyKey)
  if (known) return known
  const fresh = answer()
  if (idempotencyKey) answers.set(idempotencyKey, fresh)
  if (answers.size > keptAnswers) answers.delete(answers.keys().next().value)
  return fresh
}

function answerCall(answers, name, headers, body) {
  const { arguments: given, config = {} } = JSON.parse(body)
  return answerOnce(answers, headers['idempotency-key'], () => tools[name](given, config))
}

async function bodyOf(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > bodyMaxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Resolves with the server once it listens. */
export async function serve({ port = 0, host = '127.0.0.1', key = '' } = {}) {
  const answers = new Map()
  const server = createServer(async (request, response) => {
    const { status, body } = await respond(request).catch(() => refuse(400, 'The body is not read.'))
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  async function respond(request) {
    const name = new URL(request.url, 'http://backend').pathname.slice(1)
    if (!isAllowed(request.headers, key)) return refuse(401, 'The key is not accepted.')
    if (request.method !== 'POST' || !Object.hasOwn(tools, name)) return refuse(404, 'There is no such tool.')
    const body = await bodyOf(request)
    return body ? answerCall(answers, name, request.headers, body) : refuse(413, 'The body is too large.')
  }
  await new Promise((done, failed) => server.once('listening', done).once('error', failed).listen(port, host))
  return server
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await serve({ port: Number(process.env.PORT ?? 9100), key: process.env.API_KEY })
  console.log(`The sample tools listen at http://127.0.0.1:${server.address().port}/`)
}

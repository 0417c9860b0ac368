/**
 * The HTTP front: how paths are matched, how bodies are read, and what every kind of bad input gets, over real sockets.
 */
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import t from 'tap'
import Type from 'typebox'
import { isRefusal } from '../../core/errors.js'
import { budgets, http } from '../../core/limits/index.js'
import { systemClock } from '../../runtime/clock.js'
import { readConfig } from '../../runtime/config/config.js'
import { createBatch } from '../../runtime/http/batch.js'
import { prepareUws } from '../../runtime/http/binary.js'
import { readJson } from '../../runtime/http/json.js'
import { createMatcher } from '../../runtime/http/matcher.js'
import { createPageTokens } from '../../runtime/http/pagetokens.js'
import { readQuery } from '../../runtime/http/query.js'
import { json, route } from '../../runtime/http/route.js'
import { runNode } from '../../runtime/node/listen.js'
import { createLog } from '../../runtime/observe/log.js'
import { StoreFailed } from '../../runtime/store/contract.js'
import { webPath, webQuery } from '../harness/arbitraries.js'
import { injectInto } from '../harness/injection.js'
import { testKey } from '../harness/process.js'

const open = { plane: 'mgmt', tag: 'Test', summary: 'Test', access: { who: 'public' } } as const
const produced = { pieces: 0 }
const seen = { aborted: 0 }
/** Sources of replies, as they were when they were given. */
const sources: Readable[] = []
const Anything = Type.Object({}, { additionalProperties: true })
/** Two answers that are given again and again, and how often each was written. */
const written = { small: 0, large: 0 }
const countingJson = (size: keyof typeof written, chars: number) => ({
  text: 'ä'.repeat(chars),
  toJSON() {
    written[size]++
    return { text: this.text }
  },
})
const cachedReplies = {
  small: { status: 200, json: countingJson('small', 10), headers: { etag: '"s"' }, cachedText: {} },
  large: { status: 200, json: countingJson('large', http.cachedTextChars), cachedText: {} },
}
const Order = Type.Object(
  {
    name: Type.String(),
    lines: Type.Optional(Type.Array(Type.Object({ count: Type.Integer() }, { additionalProperties: false }))),
  },
  { additionalProperties: false },
)
const extraRoutes = [
  route({
    ...open,
    method: 'POST',
    path: '/echo',
    body: Anything,
    reply: { 200: Anything },
    handler: ({ body }) => json(200, body),
  }),
  route({
    ...open,
    method: 'POST',
    path: '/order',
    body: Order,
    reply: { 200: Order },
    handler: ({ body }) => json(200, body),
  }),
  route({
    ...open,
    method: 'POST',
    path: '/old',
    style: 'classic',
    malformedStatus: 400,
    body: Order,
    reply: { 200: Order },
    handler: ({ body }) => json(200, body),
  }),
  route({
    ...open,
    method: 'POST',
    path: '/raw',
    rawTypes: ['text/csv'],
    reply: { 200: 'text/plain' },
    handler: ({ body }) => ({ status: 200, type: 'text/plain', body: String((body as unknown as Uint8Array).length) }),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/things/{id}',
    reply: { 200: Anything },
    handler: ({ params }) => json(200, params),
  }),
  route({
    ...open,
    method: 'PUT',
    path: '/things/{id}',
    reply: { 200: Anything },
    handler: ({ params }) => json(200, params),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/told/{cached}',
    reply: { 200: Anything },
    handler: ({ params: { cached } }) =>
      json(200, {}, { etag: '"1-2"', 'x-more': 'a, b', ...(cached === 'yes' && { 'cache-control': 'max-age=60' }) }),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/again/{size}',
    reply: { 200: Anything },
    handler: ({ params: { size } }) => cachedReplies[size as keyof typeof cachedReplies],
  }),
  route({
    ...open,
    method: 'GET',
    path: '/throws',
    reply: { 200: Anything },
    handler: () => {
      throw new Error('secret inside')
    },
  }),
  route({
    ...open,
    method: 'GET',
    path: '/full',
    reply: { 200: Anything },
    handler: async () => {
      throw new StoreFailed('disk full')
    },
  }),
  route({
    ...open,
    method: 'POST',
    path: '/send',
    budget: 'send',
    access: { who: 'any' },
    body: Order,
    reply: { 200: Order },
    handler: ({ body }) => json(200, body),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/stream',
    reply: { 200: 'text/plain' },
    handler: () => ({ status: 200, type: 'text/plain', body: pieces(600) }),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/counted/{length}',
    reply: { 200: 'text/plain' },
    handler: ({ params: { length } }) => ({
      status: 200,
      type: 'text/plain',
      body: pieces(100),
      bodyBytes: 100 * 65_536 + (length === 'less' ? -1 : Number(length)),
    }),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/file/{when}',
    reply: { 200: 'text/plain' },
    async handler({ params: { when }, connection: { signal } }) {
      if (when === 'late') await new Promise((resolve) => signal.addEventListener('abort', resolve))
      const source = createReadStream(fileURLToPath(import.meta.url))
      sources.push(source)
      return { status: 200, type: 'text/plain', body: source as AsyncIterable<Buffer> }
    },
  }),
  route({
    ...open,
    method: 'GET',
    path: '/large',
    reply: { 200: 'text/plain' },
    handler: () => ({ status: 200, type: 'text/plain', body: Buffer.alloc(20_000_000, 'b') }),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/waits',
    reply: { 200: Anything },
    handler: ({ connection }) =>
      new Promise((resolve) =>
        connection.signal.addEventListener('abort', () => {
          seen.aborted++
          resolve(json(200, {}))
        }),
      ),
  }),
]

async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) {
    produced.pieces++
    yield Buffer.alloc(65_536, 'a')
  }
}

prepareUws(false)
const dir = await mkdtemp(join(tmpdir(), 'parley-'))
const read = readConfig({
  PARLEY_DATA_DIR: dir,
  PARLEY_MGMT_PORT: '0',
  PARLEY_GATEWAY_PORT: '0',
  PARLEY_BOOTSTRAP_KEY: testKey,
})
if ('problems' in read) throw new Error(read.problems.join())
const { log } = createLog({ destination: { write: () => {} } })
const running = await runNode(read.config, { clock: systemClock, log, extraRoutes })
const { mgmt, gateway } = running.urls
const port = Number(new URL(mgmt).port)
t.teardown(async () => {
  await running.stop()
  await rm(dir, { recursive: true, force: true })
})

const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  fetch(`${mgmt}/v1${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })

/** Sends bytes as they are; resolves when the server closes, or when `until` is in what came. */
function raw(bytes: string | Uint8Array, until?: string, to = port): Promise<{ text: string; closed: boolean }> {
  return new Promise((resolve) => {
    const socket = connect(to, '127.0.0.1')
    let text = ''
    const end = (closed: boolean) => {
      socket.destroy()
      resolve({ text, closed })
    }
    socket.on('error', () => {})
    socket.on('close', () => end(true))
    socket.on('data', (piece) => {
      text += piece.toString('latin1')
      if (until && text.includes(until)) end(false)
    })
    socket.write(bytes)
  })
}

const head = (method: string, path: string, ...headers: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, 'host: x', ...headers].join('\r\n')}\r\n\r\n`

t.test(
  'A path is matched whole, fixed segments before parameters, and an encoded slash stays in its segment',
  async (t) => {
    const matcher = createMatcher<string>()
    for (const [method, path] of [
      ['GET', '/a'],
      ['GET', '/a/{x}'],
      ['POST', '/a/fixed'],
      ['GET', '/a/{x}/b:do'],
      ['GET', '/a/{x}/{y}'],
    ]) {
      matcher.add(method!, path!, `${method} ${path}`)
    }
    t.match(matcher.find('GET', '/a/%40svc%2Fplaybook.x'), { entry: 'GET /a/{x}', params: { x: '@svc/playbook.x' } })
    t.match(
      matcher.find('GET', '/a/fixed'),
      { entry: 'GET /a/{x}', params: { x: 'fixed' } },
      'where the fixed one lacks the method',
    )
    t.match(matcher.find('POST', '/a/fixed'), { entry: 'POST /a/fixed' })
    t.match(matcher.find('GET', '/a/1/b:do'), { entry: 'GET /a/{x}/b:do', params: { x: '1' } })
    t.match(matcher.find('GET', '/a/1/2'), { params: { x: '1', y: '2' } })
    t.same(matcher.find('PUT', '/a/fixed'), { allow: ['GET', 'POST'] })
    for (const path of ['', 'a', '/', '/a/', '/a//b:do', '//a', '/b', '/a/%ff', '/a/%', '/a/1/2/3']) {
      t.same(matcher.find('GET', path), { allow: [] }, `${path} is nowhere`)
    }
    t.throws(() => matcher.add('GET', '/a/{other}', 'again'))
    const segment = fc.stringMatching(/^[a-z{}0-9]{1,4}$/).filter((text) => !/[{}]/.test(text))
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`)),
        (paths) => {
          const all = createMatcher<string>()
          for (const path of paths) all.add('GET', path, path)
          return paths.every((path) => (all.find('GET', path) as { entry: string }).entry === path)
        },
      ),
    )
  },
)

t.test('A JSON body is parsed as JSON.parse does, or refused with the position of the error', async (t) => {
  const refused: [string | Uint8Array, string][] = [
    ['', 'body'],
    ['{', 'body'],
    ['{"a":1,}', 'body'],
    ['{"a":NaN}', 'body'],
    ['\ufeff{}', 'body'],
    [Buffer.from('{"a":1}', 'utf16le'), 'body'],
    [Uint8Array.of(123, 34, 255, 34, 58, 49, 125), 'body'],
    ['{"a":"\u0000"}', 'body'],
    ['{"optIn":false,"optIn":true}', 'optIn'],
    ['{"a":[{"b":1,"c":2},{"b":1,"\\u0062":2}]}', 'a[1].b'],
    ['{"a":{"__proto__":{"x":1}}}', 'a.__proto__'],
    ['{"\\u005f_proto__":1}', '__proto__'],
    ['{"a":["\\ud800"]}', 'a[0]'],
    ['1e400', 'body'],
    ['{"a":[1,{"b":-1E+999}]}', 'a[1].b'],
    ['[2.5,1.5e400]', '[1]'],
    [`{"a":{"b":${'9'.repeat(400)}}}`, 'a.b'],
    [`[${'9'.repeat(309)}.5]`, '[0]'],
    [`${'['.repeat(33)}${']'.repeat(33)}`, 'body'],
    [`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'body'],
  ]
  for (const [text, field] of refused) {
    const parsed = readJson(Buffer.from(text as string))
    t.match(parsed, { problem: { field } }, `${String(text).slice(0, 40)} is refused at ${field}`)
  }
  t.match(readJson(Buffer.from(`${'['.repeat(32)}${']'.repeat(32)}`)), { value: [] }, 'thirty-two levels are fine')
  t.match(readJson(Buffer.from('{"a\\"b":":{","a":"\\\\","\\ud83d\\ude00":1}')), {
    value: { 'a"b': ':{', a: '\\', '😀': 1 },
  })
  for (const text of [
    '1e308',
    '-1.5E-400',
    '[0e9999,1e-9999]',
    '"1e400"',
    '{"1e400":"9"}',
    '{"e":true,"a":[1.25e3]}',
  ]) {
    t.strictSame(readJson(Buffer.from(text)), { value: JSON.parse(text) }, text)
  }
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const parsed = readJson(Buffer.from(text))
      return (
        text.includes('__proto__') ||
        /\\ud[89a-f]/.test(text) ||
        ('value' in parsed && JSON.stringify(parsed.value) === JSON.stringify(value))
      )
    }),
  )
  const digits = fc.stringMatching(/^[1-9][0-9]{0,400}(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,3})?$/)
  fc.assert(
    fc.property(fc.array(digits, { minLength: 1, maxLength: 4 }), (numbers) => {
      const first = numbers.findIndex((each) => !Number.isFinite(Number(each)))
      const parsed = readJson(Buffer.from(`{"a":[${numbers}]}`))
      return first < 0 ? 'value' in parsed : 'problem' in parsed && parsed.problem.field === `a[${first}]`
    }),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      readJson(Buffer.from(bytes))
      return true
    }),
  )
})

t.test('Parsing a body takes time in proportion to its bytes, for any content', async (t) => {
  const half = 200_000
  const bodies = {
    'colons behind a long text': `"${'a'.repeat(half)}"${':'.repeat(half)}`,
    'colons behind a text that never ends': `"${'a'.repeat(half)}${':'.repeat(half)}`,
    'a text of quotes': `"${'\\"'.repeat(half)}"`,
    'a text of backslashes': `"${'\\'.repeat(2 * half)}"`,
    'a long text with a quote now and then': `"${`${'a'.repeat(70)}\\"`.repeat(half / 70)}"`,
    'quotes alone': '"'.repeat(2 * half),
  }
  for (const [name, text] of Object.entries(bodies)) {
    const began = performance.now()
    readJson(Buffer.from(text))
    t.ok(performance.now() - began < 2000, name)
  }
})

t.test('A JSON body that is too deep, or holds too many values or names, is refused before it is parsed', async (t) => {
  const manyKeys = (count: number, names: number) =>
    Array.from({ length: count }, (_, index) => `"k${index % names}":1`).join(',')
  const refused: [string, string][] = [
    // None of these is closed, so JSON.parse would have called it invalid.
    ['['.repeat(http.jsonDepth + 1), 'is nested more than 32 levels deep'],
    ['{"a":'.repeat(http.jsonDepth + 1), 'is nested more than 32 levels deep'],
    [`["\\u0041",${'['.repeat(http.jsonDepth)}`, 'is nested more than 32 levels deep'],
    [`[${'1,'.repeat(http.jsonValues)}`, `holds more than ${http.jsonValues} values`],
    [`[${'{},'.repeat(http.jsonValues / 2)}`, `holds more than ${http.jsonValues} values`],
    [`{${manyKeys(500_000, 500_000)}`, `uses more than ${http.jsonNames} names`],
    // Names that differ in their last letter alone are different names.
    [`{${manyKeys(3 * http.jsonNames, 500_000)}`, `uses more than ${http.jsonNames} names`],
    [`[{${'"\\u0041":1},{'.repeat(http.jsonValues / 2)}`, `holds more than ${http.jsonValues} values`],
  ]
  for (const [text, message] of refused) {
    t.match(readJson(Buffer.from(text)), { problem: { field: 'body', message } }, `${text.slice(0, 20)}… ${message}`)
  }
  const rows = `[${Array.from({ length: 10_000 }, () => `{${manyKeys(10, 10)}}`).join(',')}]`
  t.ok('value' in readJson(Buffer.from(rows)), 'a hundred thousand keys of ten names are read')
  const wide = `{${manyKeys(http.jsonNames, http.jsonNames)}}`
  t.ok('value' in readJson(Buffer.from(wide)), 'so is an object of as many names as may be')
  t.ok('value' in readJson(Buffer.from(wide)), 'and the next one, which begins to count anew')
  const reply = await post('/echo', `${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  t.match([reply.status, await reply.json()], [422, { errors: [{ field: 'body' }] }], 'over HTTP as well')
})

t.test('Requests of one turn are all decided before the first is answered, in order of arrival', async (t) => {
  const batch = createBatch()
  const seen: string[] = []
  const request = (name: string) => ({
    decide: () => seen.push(`decide ${name}`),
    answer: () => seen.push(`answer ${name}`),
  })
  batch.add(request('a'))
  batch.add(request('b'))
  t.same(seen, [], 'no decision is made while requests still come in')
  await new Promise(setImmediate)
  t.same(seen, ['decide a', 'decide b', 'answer a', 'answer b'])
  batch.add(request('c'))
  await new Promise(setImmediate)
  t.same(seen.slice(4), ['decide c', 'answer c'])
})

t.test('A query has each name once, only known names, and valid numbers', async (t) => {
  const schema = Type.Object({
    limit: Type.Optional(Type.Integer()),
    on: Type.Optional(Type.Boolean()),
    q: Type.Optional(Type.String()),
  })
  t.same(readQuery('limit=10&on=true&q=a%20b', schema), { value: { limit: 10, on: true, q: 'a b' } })
  t.match(readQuery('limit=1&limit=2', schema), { problem: { field: 'limit' } })
  t.match(readQuery('lmit=1', schema), { problem: { field: 'lmit' } })
  t.match(readQuery('x=1', undefined), { problem: { field: 'x' } })
  t.match(readQuery('__proto__=1', schema), { problem: { field: '__proto__' } })
  for (const text of ['1e3', ' 1', '0x1', '1.5', '', 'NaN'])
    t.same(readQuery(`limit=${text}`, schema), { value: { limit: text } })
})

t.test('A page token opens only the list it was issued for, and only unchanged', async (t) => {
  const pages = createPageTokens(Buffer.alloc(32, 1))
  const token = pages.write('demo/keys', ['a', 7])
  t.same(pages.read('demo/keys', token), ['a', 7])
  t.equal(pages.read('demo/keys', undefined), undefined)
  const refusal = { refused: 'request.invalid', errors: [{ field: 'pageToken' }] }
  t.match(pages.read('other/keys', token), refusal)
  t.match(createPageTokens(Buffer.alloc(32, 2)).read('demo/keys', token), refusal)
  fc.assert(
    fc.property(fc.string(), (text) => isRefusal(pages.read('demo/keys', text)) || text === token),
    { numRuns: 300 },
  )
  for (let at = 0; at < token.length; at++) {
    const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
    t.match(pages.read('demo/keys', changed), refusal, 'a changed character is noticed')
  }
})

t.test('Invalid input gets the documented error with the field, never a 500', async (t) => {
  const cases: [string, string | Uint8Array, Record<string, string>, number, string][] = [
    ['/order', '{"name":1}', {}, 422, 'name'],
    ['/order', '{"name":"a","lines":[{"count":1},{"count":"2"}]}', {}, 422, 'lines[1].count'],
    ['/order', '{"name":"a","lines":[{"count":1e400}]}', {}, 422, 'lines[0].count'],
    ['/order', '{"name":"a","constructor":{"prototype":{}}}', {}, 422, 'constructor'],
    ['/order', '{"name":"a","toString":1}', {}, 422, 'toString'],
    ['/order', 'null', {}, 422, 'body'],
    ['/order', '[]', {}, 422, 'body'],
    ['/order', '"x"', {}, 422, 'body'],
    ['/order', '', {}, 422, 'body'],
    ['/order', '{"name":"a"', {}, 422, 'body'],
    ['/order?x=1', '{"name":"a"}', {}, 422, 'x'],
  ]
  for (const [path, body, headers, status, field] of cases) {
    const answer = await post(path, body, headers)
    t.equal(answer.status, status, `${path} ${body}`)
    t.equal(answer.headers.get('content-type'), 'application/problem+json; charset=utf-8')
    const problem = (await answer.json()) as {
      code: string
      errors: { field: string; message: string }[]
      status: number
      title: string
    }
    t.match(problem, { code: 'request.invalid', status, title: /./ })
    t.ok(
      problem.errors.some((error) => error.field === field && error.message),
      `names ${field}`,
    )
  }
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
  const several = (await (await post('/order', '{"lines":[{},{"count":1,"x":2}]}')).json()) as {
    errors: { field: string }[]
  }
  t.same(several.errors.map((error) => error.field).sort(), ['lines[0].count', 'lines[1].x', 'name'], 'all at once')
})

t.test('The classic style and the status of malformed bodies follow the route', async (t) => {
  const answer = await post('/old', '{')
  t.equal(answer.status, 400)
  t.same(await answer.json(), { statusCode: 400, message: 'body: is not valid JSON' })
})

t.test('Unsupported content types are refused, and JSON is read with any parameters', async (t) => {
  const status = async (path: string, type: string, body = '{"name":"a"}') =>
    (await post(path, body, { 'content-type': type })).status
  t.equal(await status('/order', 'application/json; charset=UTF-8'), 200)
  t.equal(await status('/order', 'application/merge-patch+json'), 200)
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'multipart/form-data',
  ]) {
    t.equal(await status('/order', type), 415, type)
  }
  t.equal(await status('/raw', 'text/csv; header=present', 'a,b'), 200)
  t.equal(await status('/raw', 'application/json', '{}'), 415)
})

t.test('A body at the limit is read, and one byte more is 413 and closes the connection, in any framing', async (t) => {
  const body = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
  t.equal((await post('/echo', body(http.bodyBytes))).status, 200)
  const long = body(http.bodyBytes + 1)
  const counted = await raw(`${head('POST', '/v1/echo', `content-length: ${long.length}`)}${long}`)
  t.match(counted, { text: /^HTTP\/1.1 413 [\s\S]*request.too_large/, closed: true })
  const announced = await raw(head('POST', '/v1/echo', 'content-length: 99999999'))
  t.match(announced, { text: /^HTTP\/1.1 413 /, closed: true }, 'as soon as it is announced')
  const chunked = await raw(
    `${head('POST', '/v1/echo', 'transfer-encoding: chunked')}${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`,
  )
  t.match(chunked, { text: /^HTTP\/1.1 413 /, closed: true })
})

t.test('Ambiguous framing is refused and the connection closed', async (t) => {
  for (const request of [
    `${head('POST', '/v1/echo', 'content-length: 3', 'transfer-encoding: chunked')}0\r\n\r\n`,
    `${head('POST', '/v1/echo', 'content-length: -3')}abc`,
    `${head('POST', '/v1/echo', 'content-length: 99999999999999999999999')}abc`,
    'nonsense\r\n\r\n',
  ]) {
    t.match(await raw(request), { text: /^HTTP\/1.1 (4|5)\d\d /, closed: true }, request.slice(0, 60))
  }
})

t.test('Headers of thirty kilobytes are read, even in two pieces', async (t) => {
  const long = head('GET', '/v1/things/1', `x-long: ${'a'.repeat(30_000)}`)
  t.match(await raw(long, '"id":"1"'), { text: /^HTTP\/1.1 200 / })
  const socket = connect(port, '127.0.0.1')
  socket.write(long.slice(0, 9_000))
  await new Promise((resolve) => setTimeout(resolve, 50))
  socket.write(long.slice(9_000))
  t.match(await firstOf(socket), /^HTTP\/1.1 200 /)
})

t.test('A connection that never finishes its request is closed, and others are served meanwhile', async (t) => {
  const half = [head('GET', '/v1/things/1').slice(0, 20), `${head('POST', '/v1/echo', 'content-length: 30')}abc`].map(
    (bytes) => raw(bytes),
  )
  t.equal((await fetch(`${mgmt}/v1/things/1`)).status, 200)
  for (const { closed } of await Promise.all(half)) t.ok(closed)
})

t.test('Unknown paths are 404, and a path with another method is 405 with Allow', async (t) => {
  for (const path of [
    '/v1/nothing',
    '/v1/things/',
    '/v1//things/1',
    '/v1/things/%2e%2e',
    '/v1/things/a%00b',
    '/v1/things/%C0%80',
    '/v2/things/1',
    `/v1/things/${'a'.repeat(201)}`,
    `/v1/${'a'.repeat(9_000)}`,
  ]) {
    const answer = await raw(head('GET', path), '"code"')
    t.match(answer.text, /^HTTP\/1.1 404 [\s\S]*resource.not_found/, path.slice(0, 30))
  }
  t.same(await (await fetch(`${mgmt}/v1/things/@svc%2Fx.y`)).json(), { id: '@svc/x.y' })
  const wrong = await fetch(`${mgmt}/v1/things/1`, { method: 'DELETE' })
  t.equal(wrong.status, 405)
  t.equal(wrong.headers.get('allow'), 'GET, PUT, HEAD, OPTIONS')
  t.match(await wrong.json(), { code: 'request.method_not_allowed' })
  t.match(await raw(head('TRACE', '/v1/things/1'), '"code"'), { text: /^HTTP\/1.1 405 / })
})

t.test('The root and /docs of both ports redirect browsers to a page and give others a link', async (t) => {
  for (const [url, path, leads] of [
    [mgmt, '/', '/emulator'],
    [mgmt, '/docs', '/v1/docs'],
    [gateway, '/', '/v4/docs'],
    [gateway, '/docs', '/v4/docs'],
  ] as const) {
    const reply = await fetch(url + path)
    t.equal(reply.status, 200, path)
    t.equal(reply.url, url + leads)
    t.match(reply.headers.get('content-type'), /^text\/html/)
  }
})

t.test('HEAD answers like GET without the body, and OPTIONS lists what is allowed', async (t) => {
  const get = await fetch(`${mgmt}/v1/things/1`)
  const headed = await fetch(`${mgmt}/v1/things/1`, { method: 'HEAD' })
  t.equal(headed.status, 200)
  t.equal(headed.headers.get('content-length'), get.headers.get('content-length'))
  t.equal(await headed.text(), '')
  const options = await fetch(`${mgmt}/v1/things/1`, { method: 'OPTIONS' })
  t.equal(options.status, 204)
  t.equal(options.headers.get('allow'), 'GET, PUT, HEAD, OPTIONS')
})

t.test('Only our own pages may call across our listeners', async (t) => {
  const from = (origin: string) => fetch(`${mgmt}/v1/things/1`, { headers: { origin } })
  t.equal((await from(gateway)).headers.get('access-control-allow-origin'), gateway)
  t.equal((await from('http://evil.example')).headers.get('access-control-allow-origin'), null)
  const preflight = await fetch(`${mgmt}/v1/order`, {
    method: 'OPTIONS',
    headers: { origin: gateway, 'access-control-request-method': 'POST' },
  })
  t.match(preflight.headers.get('access-control-allow-methods'), /POST/)
})

t.test('Every response has a request id, the caller’s own if it is well formed', async (t) => {
  const id = async (countingJson: string) =>
    (await fetch(`${mgmt}/v1/things/1`, { headers: { 'x-request-id': countingJson } })).headers.get('x-request-id')
  t.equal(await id('my-id_1.2'), 'my-id_1.2')
  t.not(await id('not allowed'), 'not allowed')
  t.not(await id('a'.repeat(65)), 'a'.repeat(65))
  t.not(await id('x'), await id('y'))
})

t.test('A response has its own headers after the common ones, and may set its own caching', async (t) => {
  const { text } = await raw(head('GET', '/v1/told/no', 'x-request-id: me'), '{}')
  const lines = text.split('\r\n')
  t.same(lines.slice(0, 7), [
    'HTTP/1.1 200 OK',
    'x-request-id: me',
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    'content-type: application/json; charset=utf-8',
    'etag: "1-2"',
    'x-more: a, b',
  ])
  const cached = await fetch(`${mgmt}/v1/told/yes`)
  t.same(
    ['cache-control', 'etag', 'x-more', 'x-content-type-options'].map((name) => cached.headers.get(name)),
    ['max-age=60', '"1-2"', 'a, b', 'nosniff'],
  )
})

t.test('A repeated response is serialized once, unless it is long', async (t) => {
  for (let times = 0; times < 3; times++) {
    const small = await fetch(`${mgmt}/v1/again/small`)
    t.strictSame(await small.json(), { text: 'ä'.repeat(10) })
    t.equal(small.headers.get('etag'), '"s"')
    const large = await fetch(`${mgmt}/v1/again/large`)
    t.strictSame(await large.json(), { text: 'ä'.repeat(http.cachedTextChars) })
  }
  t.same(written, { small: 1, large: 3 })
})

t.test('A bug answers 500 without internals, a store that cannot write 503 with Retry-After', async (t) => {
  const failed = await fetch(`${mgmt}/v1/throws`)
  t.equal(failed.status, 500)
  const text = await failed.text()
  t.match(text, /service.failed/)
  t.notMatch(text, /secret inside|\.js|\.ts/)
  const full = await fetch(`${mgmt}/v1/full`)
  t.equal(full.status, 503)
  t.equal(full.headers.get('retry-after'), '1')
})

t.test('A limited route counts each API key, reports what is left, and refuses with Retry-After', async (t) => {
  const send = (token: string) => post('/send', '{"name":"a"}', { authorization: `Bearer ${token}` })
  const first = await send(testKey)
  t.equal(first.status, 200)
  t.equal(first.headers.get('ratelimit-limit'), '100')
  t.equal(first.headers.get('ratelimit-remaining'), '99')
  t.equal(first.headers.get('ratelimit-reset'), '1')
  const invalid = await post('/send', '{}', { authorization: `Bearer ${testKey}` })
  t.equal(invalid.headers.get('ratelimit-limit'), '100', 'the reply to an invalid body has it, too')
  const answers = await Promise.all(Array.from({ length: 250 }, () => send(testKey)))
  const refused = answers.filter((answer) => answer.status === 429)
  t.ok(refused.length > 0, 'the burst ends')
  t.ok(Number(refused[0]!.headers.get('retry-after')) >= 1)
  t.match(await refused[0]!.json(), { code: 'request.rate_limited' })
  const session = (await (
    await fetch(`${mgmt}/v1/session`, { method: 'POST', headers: { authorization: `Bearer ${testKey}` } })
  ).json()) as { idToken: string }
  t.equal((await send(session.idToken)).headers.get('ratelimit-limit'), null, 'a signed-in user is not limited')
})

t.test('A request that can be refused without its body is refused before the body arrives', async (t) => {
  const gatewayPort = Number(new URL(gateway).port)
  const part = (path: string, ...lines: string[]) => `${head('POST', path, 'content-length: 1000', ...lines)}{`
  const noBinding = await raw(part('/v4/ingress/bnd_nothing'), '}', gatewayPort)
  t.match(noBinding.text, /^HTTP\/1.1 404 /, 'a call for a binding that does not exist')
  const noTicket = await raw(part('/v1/system/emulator/stage/sample/_say'), '}')
  t.match(noTicket.text, /^HTTP\/1.1 403 /, 'a call of the emulator page without a ticket')
  const beyond = Array.from({ length: 3 * budgets.send.burstCalls }, async () => {
    const { text } = await raw(part('/v1/send', `authorization: Bearer ${testKey}`), '}')
    if (!text.startsWith('HTTP/1.1 429 ')) throw new Error(text)
    return text
  })
  t.match(await Promise.any(beyond), /request.rate_limited/, 'a call beyond the budget')
})

t.test('A streamed reply is produced only as fast as it is read, and arrives completely', async (t) => {
  produced.pieces = 0
  const socket = connect(port, '127.0.0.1')
  socket.write(head('GET', '/v1/stream'))
  socket.pause()
  await new Promise((resolve) => setTimeout(resolve, 300))
  const whilePaused = produced.pieces
  t.ok(whilePaused < 600, `the client reads nothing, so the source waits (at ${whilePaused})`)
  socket.destroy()
  const unaborted = await fetch(`${mgmt}/v1/stream`)
  t.equal((await unaborted.arrayBuffer()).byteLength, 600 * 65_536)
})

t.test('A streamed reply of known length announces it, to HEAD as well, and arrives completely', async (t) => {
  const bytes = 100 * 65_536
  const headed = await fetch(`${mgmt}/v1/counted/0`, { method: 'HEAD' })
  t.equal(headed.headers.get('content-length'), String(bytes))
  const got = await fetch(`${mgmt}/v1/counted/0`)
  t.equal(got.headers.get('content-length'), String(bytes))
  t.equal(got.headers.get('transfer-encoding'), null)
  t.equal((await got.arrayBuffer()).byteLength, bytes)
  produced.pieces = 0
  const socket = connect(port, '127.0.0.1')
  socket.write(head('GET', '/v1/counted/0'))
  socket.pause()
  await new Promise((resolve) => setTimeout(resolve, 300))
  t.ok(produced.pieces < 100, `the client reads nothing, so the source waits (at ${produced.pieces})`)
  const all = new Promise<number>((resolve) => {
    let read = 0
    socket.on('data', (part) => {
      read += part.length
      if (read > bytes) resolve(read)
    })
  })
  socket.resume()
  t.ok((await all) > bytes, 'and goes on when it reads')
  socket.destroy()
})

t.test('A streamed reply shorter or longer than announced ends its connection', async (t) => {
  for (const length of ['1', 'less']) {
    await t.rejects(async () => (await fetch(`${mgmt}/v1/counted/${length}`)).arrayBuffer())
  }
})

t.test('A streamed reply that is not sent releases its source: to HEAD, and when the client disconnects', async (t) => {
  sources.length = 0
  t.equal((await fetch(`${mgmt}/v1/file/now`, { method: 'HEAD' })).status, 200)
  const socket = connect(port, '127.0.0.1')
  socket.write(head('GET', '/v1/file/late'))
  await new Promise((resolve) => setTimeout(resolve, 100))
  socket.destroy()
  const isLetGo = () => sources.length === 2 && sources.every(({ closed }) => closed)
  for (let left = 1_000; left > 0 && !isLetGo(); left--) await new Promise((resolve) => setTimeout(resolve, 5))
  t.ok(isLetGo())
  t.match(await (await fetch(`${mgmt}/v1/file/now`)).text(), /createReadStream/)
})

t.test('A large reply arrives completely', async (t) => {
  t.equal((await (await fetch(`${mgmt}/v1/large`)).arrayBuffer()).byteLength, 20_000_000)
})

t.test('A handler learns that its client disconnected, and the connection is released', async (t) => {
  const socket = connect(port, '127.0.0.1')
  socket.write(head('GET', '/v1/waits'))
  await new Promise((resolve) => setTimeout(resolve, 100))
  socket.destroy()
  while (seen.aborted === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  t.equal(seen.aborted, 1)
  const partial = connect(port, '127.0.0.1')
  partial.write(`${head('POST', '/v1/echo', 'content-length: 100')}{`)
  await new Promise((resolve) => setTimeout(resolve, 50))
  partial.destroy()
  t.equal((await post('/echo', '{}')).status, 200, 'a truncated body affects no other request')
})

t.test('Ten thousand fuzzed requests get no 5xx and no internals', async (t) => {
  const paths = ['/order', '/echo', '/old', '/orgs/demo/api-keys', '/orgs/demo/webhooks', '/session', '/catalogs/tools']
  const inject = injectInto(running.node.planes.mgmt.serve)
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'BREW'),
    path: fc.oneof(
      fc.constantFrom(...paths).map((path) => `/v1${path}`),
      webPath(),
    ),
    query: fc.oneof(fc.constant(''), webQuery()),
    body: fc.oneof(fc.json(), fc.string(), fc.constant('{"name":"x"}')),
    token: fc.constantFrom('', `Bearer ${testKey}`, 'Bearer x', 'Basic x'),
    type: fc.constantFrom('', 'application/json', 'text/plain'),
  })
  const fuzzed = await fc.check(
    fc.asyncProperty(request, async ({ method, path, query, body, token, type }) => {
      const reply = await inject(method, `${path}?${query}`, {
        body,
        headers: { authorization: token, 'content-type': type },
      })
      return reply.status < 500 && !/\bat \S+\.js|node_modules/.test(reply.text)
    }),
    { numRuns: 10_000 },
  )
  t.notOk(fuzzed.failed, fc.defaultReportMessage(fuzzed) ?? 'every answer was fit to be seen')
})

t.test('Two nodes cannot share a port', async (t) => {
  const other = await mkdtemp(join(tmpdir(), 'parley-'))
  t.teardown(() => rm(other, { recursive: true, force: true }))
  const second = readConfig({ PARLEY_DATA_DIR: other, PARLEY_MGMT_PORT: String(port), PARLEY_GATEWAY_PORT: '0' })
  if ('problems' in second) throw new Error('unexpected')
  await t.rejects(runNode(second.config, { clock: systemClock, log }), { name: 'ListenError' })
})

function firstOf(socket: Socket): Promise<string> {
  return new Promise((resolve) =>
    socket.once('data', (piece) => {
      socket.destroy()
      resolve(piece.toString())
    }),
  )
}

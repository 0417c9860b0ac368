/** What an operator sees of a node: its log, with nothing private in it, its metrics and its health. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { idFromBytes } from '../../core/ids.js'
import { log as limits, metrics as metricLimits } from '../../core/limits/index.js'
import { createRouteMeters } from '../../runtime/http/metrics.js'
import { answerReady, answerUp } from '../../runtime/node/operations.js'
import { createHealth } from '../../runtime/observe/health.js'
import { createLineWriter } from '../../runtime/observe/linewriter.js'
import { createLog, type Fields, type Log } from '../../runtime/observe/log.js'
import { createMetrics } from '../../runtime/observe/metrics.js'
import { registerProcessMetrics } from '../../runtime/observe/process.js'
import { redact, redactJson } from '../../runtime/observe/redaction.js'
import { anyText } from '../harness/arbitraries.js'

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

/** The one line that a call writes. */
function lineOf(write: (log: Log) => void): string {
  const lines: string[] = []
  const { log } = createLog({ destination: { write: (line) => lines.push(line) }, level: 'debug', now: () => at })
  write(log)
  if (lines.length !== 1) throw new Error(`wrote ${lines.length} lines`)
  return lines[0]!
}

function recordOf(fields: Fields): Record<string, unknown> {
  return JSON.parse(lineOf((log) => log.info('test.event', fields)))
}

t.test('A line is JSON with its level in words, an ISO time, the event and the fields only', async (t) => {
  const line = lineOf((log) =>
    log.warn('http.request', { status: 200, durationSeconds: 0.0012345678, path: '/orgs/{org}' }),
  )
  t.equal(
    line,
    '{"level":"warn","time":"2026-01-02T03:04:05.678Z","status":200,"durationSeconds":0.001235,"path":"/orgs/{org}","event":"http.request"}\n',
  )
  t.equal(JSON.parse(lineOf((log) => log.error('node.failed'))).event, 'node.failed', 'fields may be left out')
})

t.test('A child adds its fields to every line, a field of the call wins, and reserved names stay', async (t) => {
  const line = lineOf((log) =>
    log
      .child({ node: 'a', plane: 'mgmt' })
      .child({ shard: 3 })
      .debug('x.y', { node: 'b', level: 9, time: 1, event: 'z' }),
  )
  t.strictSame(JSON.parse(line), {
    level: 'debug',
    time: '2026-01-02T03:04:05.678Z',
    node: 'b',
    plane: 'mgmt',
    shard: 3,
    level_: 9,
    time_: 1,
    event_: 'z',
    event: 'x.y',
  })
  t.equal(line.match(/"node"/g)?.length, 1, 'no name occurs twice')
})

t.test('Lines below the level are not written', async (t) => {
  const lines: string[] = []
  const { log } = createLog({ destination: { write: (line) => lines.push(line) } })
  log.debug('a.b')
  log.info('c.d')
  t.match(lines, [/"event":"c\.d"/])
})

t.test('No logged value makes the log throw', async (t) => {
  const circular: Record<string, unknown> = { name: 'ring' }
  circular.self = circular
  const trap = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('no keys')
      },
    },
  )
  const throwing = {
    get bad() {
      throw new Error('no value')
    },
    good: 1,
  }
  const failure = Object.assign(new Error('it broke', { cause: new RangeError('deeper') }), {
    code: 'E_BROKE',
    request: { headers: {} },
  })
  const record = recordOf({
    circular,
    trap,
    throwing,
    error: failure,
    big: 12n,
    nan: Number.NaN,
    symbol: Symbol('s'),
    call: () => 1,
    nothing: undefined,
    empty: null,
    date: new Date(at),
    never: new Date(Number.NaN),
    bytes: Buffer.alloc(5),
    map: new Map<unknown, unknown>([
      ['a', 1],
      [{}, 2],
    ]),
    set: new Set([1, undefined]),
    url: new URL('https://x.example/a'),
    bare: Object.assign(Object.create(null), { a: 1 }),
    ['__proto__']: { polluted: true },
    deep: { a: { b: { c: { d: { e: { f: 1 } } } } } },
  })
  t.match(record, {
    circular: { name: 'ring', self: '[circular]' },
    trap: '[unreadable]',
    throwing: { bad: '[unreadable]', good: 1 },
    error: { message: 'it broke', code: 'E_BROKE', stack: /^Error: it broke\n {4}at /, cause: { message: 'deeper' } },
    big: '12',
    nan: 'NaN',
    symbol: 'Symbol(s)',
    empty: null,
    date: '2026-01-02T03:04:05.678Z',
    never: 'Invalid Date',
    bytes: '[5 bytes]',
    map: { a: 1, '[object]': 2 },
    set: [1, null],
    url: 'https://x.example/a',
    bare: { a: 1 },
    deep: { a: { b: { c: { d: { e: '[too deep]' } } } } },
  })
  t.notOk('call' in record || 'nothing' in record)
  t.notOk('request' in (record.error as object), 'an error brings no members that may hold a request')
  const { log } = createLog({
    destination: {
      write: () => {
        throw new Error('disk full')
      },
    },
  })
  log.info('a.b', { a: 1 })
  log.child(null as unknown as Fields).error('a.b', 'text' as unknown as Fields)
  log.info('a.b', trap as Fields)
  t.pass('even when the line has nowhere to go')
})

t.test('A line is bounded, for any fields', async (t) => {
  const huge = 'word '.repeat(1_000_000)
  const record = recordOf({
    huge,
    list: Array.from({ length: 10_000 }, (_, i) => i),
    wide: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i])),
  })
  t.ok((record.huge as string).length <= limits.fieldChars + 40)
  t.match(record.huge, / more characters\]$/)
  t.equal((record.list as unknown[]).length, limits.entriesPerObject + 1)
  t.equal((record.list as unknown[]).at(-1), `[${10_000 - limits.entriesPerObject} more]`)
  t.equal((record.wide as Record<string, unknown>).more, 5_000 - limits.entriesPerObject)
  const bushy = (depth: number): unknown => (depth === 0 ? huge : Array.from({ length: 60 }, () => bushy(depth - 1)))
  const line = lineOf((log) => log.info('a.b', { bushy: bushy(2), [huge]: huge }))
  t.ok(line.length < 2 * limits.lineChars, `${line.length} characters`)
})

t.test('Truncation never leaves half of a secret behind', async (t) => {
  for (const secret of ['+1 (555) 867-5309', 'ada.lovelace@analytical.example', `sk-svc-${'q'.repeat(40)}`]) {
    for (let cut = 1; cut < secret.length; cut++) {
      const text = `${'x '.repeat(limits.fieldChars).slice(0, limits.fieldChars - cut - 1)} ${secret} and more`
      const logged = recordOf({ said: text }).said as string
      t.match(logged.slice(-60), /x\[\d\d+ more characters\]$/)
    }
  }
})

t.test('No line can forge another or drive a terminal', async (t) => {
  const nasty = 'a\r\n{"level":"info"}\u001b[31mred\u009b31m\u2028\u202e\u0000'
  const line = lineOf((log) => log.info(nasty, { [nasty]: nasty }))
  t.equal(line.indexOf('\n'), line.length - 1)
  for (const char of '\r\u001b\u009b\u2028\u202e\0') t.notOk(line.includes(char), `character ${char.charCodeAt(0)}`)
  t.equal(JSON.parse(line).event, nasty, 'and no field is lost')
})

t.test('A field with a secret’s name is hidden with any value, and counts are not', async (t) => {
  const secret = 'correct horse'
  const names = [
    'password',
    'Authorization',
    'set-cookie',
    'x-api-key',
    'apiKey',
    'accessToken',
    'signingSecret',
    'secretKeyHex',
    'private_key',
    'modelKey',
    'credentials',
    'text',
    'body',
  ]
  for (const name of names) {
    t.strictSame(recordOf({ [name]: secret })[name], '[redacted]', name)
    t.strictSame(recordOf({ deep: [{ [name]: { inner: secret } }] }).deep, [{ [name]: '[redacted]' }], name)
  }
  t.match(recordOf({ tokens: 512, hasSecret: true, accessTokenPrefix: 'at', path: '/x' }), {
    tokens: 512,
    hasSecret: true,
    accessTokenPrefix: 'at',
    path: '/x',
  })
})

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((all) => all.join(''))
const recordOfShape = (shape: string) =>
  digits(15).map((pool) => {
    let used = 0
    return shape.replace(/9/g, () => pool[used++]!)
  })
const phone = fc.oneof(
  ...[
    '+9999999',
    '+999999999999999',
    '+9 999 999 9999',
    '(999) 999-9999',
    '999-999-9999',
    '999-9999',
    '999 9999',
    '+99 99 9999 9999',
    '+99 (9) 99 9999 9999',
    '99 99 99 99 99',
    '0099 999 999999',
    '+9.999.999.9999',
    '999.999.9999',
    '9999999999',
    '+99-999-9999999',
    '9 (999) 999-99-99',
    '%2B99999999999',
    '%2B9%20999%20999%209999',
    '+99 9999/999999',
    '(99) 99999-9999',
    '+9\u00a0999\u2011999\u20119999',
  ].map(recordOfShape),
)
const tokenChars = fc.string({ unit: fc.constantFrom(...'abcXYZ019_-'), minLength: 24, maxLength: 60 })
const token = fc.oneof(
  tokenChars.map((chars) => `sk-svc-${chars}`),
  tokenChars.map((chars) => `at-svc-${chars}`),
  tokenChars.map((chars) => `ws-svc-${chars}`),
  fc.tuple(fc.constantFrom('v1.', 'v2.'), tokenChars).map(([kind, chars]) => kind + chars),
  fc.tuple(tokenChars, tokenChars).map(([body, seal]) => `eyJhbGciOiJFUzI1NiJ9.${body}.${seal}`),
)
const bareToken = tokenChars.map((chars) => `Q${chars}`)

/** A secret, and the text it travels in. */
const planted = fc.oneof(
  phone.map((secret) => ({ secret, text: secret })),
  fc.emailAddress().map((secret) => ({ secret, text: secret })),
  fc
    .emailAddress()
    .filter((secret) => !/[/?#%]/.test(secret))
    .map((address) => ({
      secret: encodeURIComponent(address),
      text: `https://x.example/find?q=${encodeURIComponent(address)}&n=1`,
    })),
  token.map((secret) => ({ secret, text: secret })),
  bareToken.map((secret) => ({ secret, text: `/v4/agents?access_token=${secret}&x=1` })),
  bareToken.map((secret) => ({ secret, text: `Authorization: Bearer ${secret}` })),
  bareToken.map((secret) => ({ secret, text: `{"refresh_token":"${secret}"}` })),
  bareToken.map((secret) => ({ secret, text: `redis://user:${secret}@cache.example:6379/0` })),
  bareToken.map((secret) => ({ secret, text: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----` })),
)
const words = fc.string({ unit: fc.constantFrom(...'abc XYZ,:;=/\\"\'<>{}\n\t-_éß漢🙂\u202a'), maxLength: 12 })
const wrappers: readonly ((inner: unknown, name: string) => unknown)[] = [
  (inner, name) => ({ [name]: inner }),
  (inner) => [1, inner, 'x'],
  (inner) => new Map([['held', inner]]),
  (inner) => new Set([inner]),
  (inner) => new Error('outer', { cause: inner }),
  (inner) => (typeof inner === 'string' ? new Error(inner) : { error: inner }),
  (inner) => (typeof inner === 'string' ? { [inner]: true } : [inner]),
  (inner) => (typeof inner === 'string' ? JSON.stringify({ inner }) : [inner]),
  (inner) => (typeof inner === 'string' ? inner : { a: inner, b: inner }),
]
const nesting = fc.array(fc.tuple(fc.constantFrom(...wrappers), words), { maxLength: 4 })

t.test('No phone number, e-mail address or token reaches a line, in any nesting, name or surrounding', async (t) => {
  const hidden = fc.property(planted, words, words, nesting, words, ({ secret, text }, before, after, layers, name) => {
    const value = layers.reduce<unknown>((inner, [wrap, called]) => wrap(inner, called), before + text + after)
    for (const fields of [{ [name]: value }, { [before + text + after]: 1 }]) {
      const line = lineOf((log) => log.child(fields).info('test.event', fields))
      JSON.parse(line)
      if (line.includes(secret) || JSON.stringify(JSON.parse(line)).includes(secret)) return false
    }
    return !lineOf((log) => log.info(before + text + after)).includes(secret)
  })
  t.doesNotThrow(() => fc.assert(hidden, { numRuns: 500 }))
})

t.test('Runs of seven digits or more reach a line only inside an id, a hash or a time', async (t) => {
  const runs = fc.property(phone, words, nesting, (number, before, layers) => {
    const value = layers.reduce<unknown>((inner, [wrap, called]) => wrap(inner, called), before + number)
    return !/\d{7}/.test(lineOf((log) => log.info('test.event', { value, alone: number.replace(/\D/g, '') })))
  })
  t.doesNotThrow(() => fc.assert(runs))
})

t.test('A phone number logged as a number is hidden too', async (t) => {
  const asNumber = fc.property(
    fc.bigInt({ min: 1_000_000n, max: 999_999_999_999_999n }),
    fc.boolean(),
    (number, negative) => {
      const value = negative ? -Number(number) : Number(number)
      const line = lineOf((log) =>
        log.info('test.event', { value, deep: [{ value }], exact: number, half: value / 2 ** 20 }),
      )
      return !line.includes(String(number)) && JSON.parse(line) !== undefined
    },
  )
  t.doesNotThrow(() => fc.assert(asNumber))
  t.match(recordOf({ to: 15551234567, status: 999_999 }), { to: '1********67', status: 999_999 })
})

t.test('Phone numbers are masked so that two can be distinguished', async (t) => {
  const masks: Readonly<Record<string, string>> = {
    '+15550123400': '+1********00',
    '+1 (555) 012-3400': '+1********00',
    'call 555-0123 now': 'call 5****23 now',
    'to=%2B15550123400&x=1': 'to=+1********00&x=1',
    'tel:+15550123400;ext=2': 'tel:+1********00;ext=2',
    '٠١٢٣٤٥٦٧٨٩': '٠*******٨٩',
    sms15550123400x: 'sms1********00x',
    'at 2026-01-02T03:04:05Z +15550123400 wrote': 'at 2026-01-02T03:04:05Z +1********00 wrote',
    '1.2.3 555-012-3400': '1.2.3 5*******00',
    '4111 1111 1111 1111': '4*************11',
  }
  for (const [text, masked] of Object.entries(masks)) t.equal(redact(text), masked)
})

t.test('E-mail addresses and tokens leave the text around them legible', async (t) => {
  const redacted: Readonly<Record<string, string>> = {
    'to ada@x.example, bob.b+tag@mail.x.example.': 'to [email], [email]',
    '<ada@x.example>': '<[email]>',
    'https://x.example/find?mail=ada@x.example&n=1': 'https://x.example/find?mail=[email]&n=1',
    'q=ada%40x.example&n=1': 'q=[email]&n=1',
    '"ada lovelace"@x.example': '[email]',
    'jürgen@müller.example': '[email]',
    'a@b@c.example': '[email][email]',
    'ada/@x.example': '[email]',
    'nats://u:p@a:4222,nats://b:4222': 'nats://[credentials]@a:4222,nats://b:4222',
    'sk-svc-abcdef0123456789 was revoked': 'sk-svc-[token] was revoked',
    'authorization: bearer abcdefgh1234': 'authorization: bearer [token]',
    'Basic dXNlcjpwYXNz': 'Basic [token]',
    'xoxb-1234567890-abcdefghijkl': 'xoxb-[token]',
    'key sk-proj-abcdefghijklmnop': 'key sk-[token]',
    'grant v2.abcdefghijklmnop.qrst used': 'grant v2.[token] used',
  }
  for (const [text, clean] of Object.entries(redacted)) t.equal(redact(text), clean)
})

t.test('Ids, times, versions, host addresses and plain words stay readable', async (t) => {
  const survivors = [
    '2026-01-02T03:04:05.678Z',
    '2026-01-02T03:04:05.123456789+02:00',
    '2026-01-02 03:04:05',
    'on 2026-01-02 200 in 1234 ms',
    '123e4567-e89b-12d3-a456-426614174000',
    '00000000-0000-0000-0000-000000000001',
    '217a773841bbd49b412b53d7ad11937b9e99f627',
    'v20.41.0',
    '3.0.6',
    '20.19.43',
    'nats-server 2.10.27',
    'Chrome/131.0.6778.86',
    '6.8.0-1017-aws',
    '0.001234 s',
    '12.345678 ms',
    '127.0.0.1:8080',
    '192.168.100.200',
    '::ffff:10.20.30.40',
    '2001:db8::1',
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'PARLEY_SHARDS is "0". It wants a whole number from 1 to 4096.',
    'status 200 in 12 ms',
    '1,234,567 rows',
    'a@',
    '@svc/kind.name',
    'pino@10.4.0',
    'The token is missing or not accepted',
    'It wants sk-svc- and then at least 24 letters',
    'http://127.0.0.1:8081/v1/docs',
    '/v1/orgs/{org}/api-keys',
    'Basic authentication',
  ]
  for (const text of survivors) t.equal(redact(text), text)
  const ids = fc.property(
    fc.uint8Array({ minLength: 17, maxLength: 17 }),
    fc.constantFrom('org', 'key', 'wh', 'evt'),
    (bytes, prefix) => {
      const id = idFromBytes(prefix, bytes)
      return redact(id) === id && redact(`/orgs/${id}/x: ${id}.`) === `/orgs/${id}/x: ${id}.`
    },
  )
  t.doesNotThrow(() => fc.assert(ids))
  const moments = fc.property(
    fc.date({ min: new Date('1990-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
    (moment) => redact(moment.toISOString()) === moment.toISOString(),
  )
  t.doesNotThrow(() => fc.assert(moments))
  const hashes = fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
    const hash = `${Buffer.from(bytes).toString('hex').slice(0, -8)}1234567f`
    return redact(`blob ${hash}`) === `blob ${hash}`
  })
  t.doesNotThrow(() => fc.assert(hashes))
  t.doesNotThrow(() => fc.assert(fc.property(fc.uuid(), (id) => redact(id) === id)))
})

t.test('Redaction accepts any text, and takes linear time for hostile ones', async (t) => {
  t.doesNotThrow(() => fc.assert(fc.property(anyText(), (text) => typeof redact(text) === 'string')))
  const attacks = [
    '1',
    '1 ',
    '1.',
    '1.2.',
    '12.',
    '(',
    '%2',
    '%20',
    'v1.',
    'eyJ',
    'eyJ.',
    '@',
    'a@',
    '@a',
    '"@',
    'a',
    '://',
    '://a',
    'Bearer ',
    'Basic a',
    'token=',
    'token":"',
    '-----BEGIN PRIVATE KEY-----',
    'sk-',
    'sk-svc-',
    'ab_',
    '0f',
    '00:00',
    '2026-01-01',
    '\\"',
    '"',
    '00000000-0000-',
  ]
  // One pattern that took quadratic time would keep this test busy until the runner gives it up.
  for (const attack of attacks) t.type(redact(attack.repeat(Math.ceil(200_000 / attack.length))), 'string', attack)
})

t.test('The last line before the process ends is written by the flush', async (t) => {
  const module = new URL('../../runtime/observe/log.js', import.meta.url).href
  const script = `const { createLog } = await import(${JSON.stringify(module)})
    const { log, flush } = createLog()
    for (let i = 0; i < 500; i++) log.info('child.line', { i, pad: 'x'.repeat(500) })
    await flush()
    process.exit(3)`
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', maxBuffer: 1e7 })
  t.equal(child.status, 3)
  const lines = child.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.equal(lines.length, 500)
  t.equal(lines.at(-1).i, 499)
})

const scrape = async (metrics: ReturnType<typeof createMetrics>) => (await metrics.render()).text.split('\n')

t.test('A route is counted by status class and timed in buckets, from its first call on', async (t) => {
  const metrics = createMetrics()
  const { meterOf } = createRouteMeters(metrics)
  const meter = meterOf({ plane: 'mgmt', method: 'GET', path: '/orgs/{org}' })
  meterOf({ plane: 'gateway', method: 'POST', path: '/messages' })
  t.notMatch((await metrics.render()).text, /\/messages|\/orgs/)
  for (const [status, seconds] of [
    [200, 0.0004],
    [204, 0.0005],
    [404, 0.3],
    [503, 99],
    [0, Number.NaN],
  ] as const)
    meter.observe(status, seconds)
  const lines = await scrape(metrics)
  const labels = 'plane="mgmt",method="GET",path="/orgs/{org}"'
  for (const [status, count] of [
    ['2xx', 2],
    ['4xx', 1],
    ['5xx', 1],
    ['none', 1],
  ]) {
    t.ok(lines.includes(`parley_http_requests_total{${labels},status="${status}"} ${count}`), `${status}`)
  }
  const bucket = (le: string) =>
    lines
      .find((line) => line.startsWith(`parley_http_request_duration_seconds_bucket{le="${le}",`))
      ?.split(' ')
      .at(-1)
  t.equal(bucket('0.0005'), '3', 'a bucket holds its own bound')
  t.equal(bucket('0.25'), '3')
  t.equal(bucket('0.5'), '4')
  t.equal(bucket('10'), '4')
  t.equal(bucket('+Inf'), '5')
  t.ok(lines.includes(`parley_http_request_duration_seconds_count{${labels}} 5`))
  t.ok(lines.includes(`parley_http_request_duration_seconds_sum{${labels}} 99.3009`))
  t.ok(lines.includes('# TYPE parley_http_request_duration_seconds histogram'))
  t.ok(lines.includes('# TYPE parley_http_requests_total counter'))
  t.notOk(lines.some((line) => line.includes('/messages')))
})

t.test('Counters only grow, gauges are read at scrape, and a throwing gauge affects only itself', async (t) => {
  const metrics = createMetrics()
  const tries = metrics.counter('parley_webhook_tries_total', 'Tries', { outcome: 'ok' })
  let depth = 3
  metrics.gauge('parley_shard_mailbox_commands', 'Waiting commands', () => depth, { shard: '0' })
  metrics.gauge('parley_broken_bytes', 'Broken', () => {
    throw new Error('no')
  })
  t.ok((await scrape(metrics)).includes('parley_webhook_tries_total{outcome="ok"} 0'), 'a counter shows from the start')
  tries.add()
  metrics.counter('parley_webhook_tries_total', 'Tries', { outcome: 'ok' }).add(2)
  tries.add(-5)
  tries.add(Number.NaN)
  depth = 7
  const lines = await scrape(metrics)
  t.ok(lines.includes('parley_webhook_tries_total{outcome="ok"} 3'))
  t.ok(lines.includes('parley_shard_mailbox_commands{shard="0"} 7'))
  t.notOk(lines.some((line) => line.startsWith('parley_broken_bytes')))
})

t.test('A metric with an invalid name, another kind or other labels throws at once', async (t) => {
  const metrics = createMetrics()
  metrics.counter('parley_a_total', 'A', { x: '1' })
  t.throws(() => metrics.counter('parley_a', 'A'), /no name for a counter/)
  t.throws(() => metrics.counter('requests_total', 'A'), /no name for a counter/)
  t.throws(() => metrics.gauge('parley_b_total', 'B', () => 1), /no name for a gauge/)
  t.throws(() => metrics.histogram('parley_a_total', 'A', { x: '1' }), /is a counter, not a histogram/)
  t.throws(() => metrics.counter('parley_a_total', 'A', { y: '1' }), /has the labels "x"/)
})

t.test('Labels from outside cannot grow a metric without bound', async (t) => {
  const metrics = createMetrics()
  const over = 50
  for (let i = 0; i < metricLimits.seriesPerMetric + over; i++)
    metrics.counter('parley_a_total', 'A', { who: `n${i}` }).add()
  const lines = (await scrape(metrics)).filter((line) => line.startsWith('parley_a_total{'))
  t.equal(lines.length, metricLimits.seriesPerMetric + 1)
  t.ok(lines.includes(`parley_a_total{who="other"} ${over}`))
  metrics.counter('parley_a_total', 'A', { who: 'n0' }).add()
  t.ok((await scrape(metrics)).includes('parley_a_total{who="n0"} 2'), 'those known before go on as they were')
})

t.test('Each node has its own metrics, with those of its process', async (t) => {
  const [one, other] = [createMetrics(), createMetrics()]
  registerProcessMetrics(one)
  one.counter('parley_a_total', 'A').add()
  const { type, text } = await one.render()
  t.match(type, /^text\/plain; version=0\.0\.4/)
  t.match(text, /^parley_process_resident_memory_bytes \d+/m)
  t.match(text, /^parley_event_loop_delay_p99_seconds \d/m)
  t.match(text, /^parley_a_total 1$/m)
  t.notMatch((await other.render()).text, /parley_a_total/)
})

t.test('A node whose checks all pass is ready', async (t) => {
  const health = createHealth([{ name: 'store', critical: true, check: () => undefined }])
  t.strictSame(answerReady(health), { status: 200, json: { status: 'ok', checks: [{ name: 'store', status: 'ok' }] } })
  t.strictSame(answerUp(), { status: 200, json: { status: 'ok' } })
})

t.test('A node without an optional service stays ready and says so; without its store it is not ready', async (t) => {
  let redis: string | undefined = 'Redis at redis://u:hunter2@cache is away; limits are kept in this process.'
  let store: string | undefined
  const health = createHealth()
  health.add({ name: 'store', critical: true, check: () => store })
  health.add({ name: 'limits', critical: false, check: () => redis })
  t.strictSame(answerReady(health), {
    status: 200,
    json: {
      status: 'degraded',
      checks: [
        { name: 'store', status: 'ok' },
        {
          name: 'limits',
          status: 'degraded',
          detail: 'Redis at redis://[credentials]@cache is away; limits are kept in this process.',
        },
      ],
    },
  })
  store = 'The disk is full.'
  t.match(answerReady(health), {
    status: 503,
    json: { status: 'unavailable', checks: [{ status: 'failed', detail: 'The disk is full.' }] },
  })
  t.equal(answerUp().status, 200, 'the process itself is up all the while')
  store = redis = undefined
  t.match(answerReady(health), { status: 200, json: { status: 'ok' } })
  health.drain()
  t.match(answerReady(health), { status: 503, json: { status: 'draining' } })
  t.equal(answerUp().status, 200)
})

t.test('A check that throws counts as failed and reveals nothing', async (t) => {
  const broken = {
    name: 'bus',
    critical: true,
    check: () => {
      throw new Error('password hunter2')
    },
  }
  const health = createHealth([broken])
  t.match(answerReady(health), {
    status: 503,
    json: { checks: [{ name: 'bus', status: 'failed', detail: 'The check itself failed.' }] },
  })
  t.throws(() => health.add(broken), /already/)
})

t.test('Lines that cannot be written are dropped, and flushing still ends', async (t) => {
  const full = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(full))
  const lost = createLineWriter(full)
  for (let count = 0; count < 100; count++) lost.write('a line\n')
  await lost.flush()
  lost.write('one more\n')
  await lost.flush()
  const dir = mkdtempSync(join(tmpdir(), 'parley-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const file = openSync(join(dir, 'log'), 'w')
  const lineWriter = createLineWriter(file)
  for (let count = 0; count < 1_000; count++) lineWriter.write(`${count}\n`)
  await lineWriter.flush()
  closeSync(file)
  const written = readFileSync(join(dir, 'log'), 'utf8')
  t.equal(written, Array.from({ length: 1_000 }, (_, count) => `${count}\n`).join(''), 'in order and whole')
})

t.test('The JSON of a value shows no address, number or secret, and stays JSON', async (t) => {
  const value = {
    guest: {
      name: 'Ann',
      email: 'ann@example.com',
      phone: '+12025550123',
      number: 12025550123,
      apiKey: 'abc',
      list: [1],
    },
    'access-token': { nested: 'abc' },
  }
  t.same(JSON.parse(redactJson(value)), {
    guest: {
      name: 'Ann',
      email: '[email]',
      phone: '+1********23',
      number: '1********23',
      apiKey: '[secret]',
      list: [1],
    },
    'access-token': '[secret]',
  })
  t.equal(redactJson(undefined), '')
})

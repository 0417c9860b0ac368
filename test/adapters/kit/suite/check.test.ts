/** The suite finds what it is there to find: each way to break the contract fails the sentence that it breaks. */
import fc from 'fast-check'
import t from 'tap'
import { emulatorAdapter, signatureHeader, signatureOf } from '../../../../adapters/emulator/adapter.js'
import { createPhones } from '../../../../adapters/emulator/phones.js'
import {
  type Adapter,
  assertAdapter,
  checkAdapter,
  type Finding,
  type IngressResult,
  report,
  type Samples,
  type SendOutcome,
} from '../../../../adapters/kit/index.js'
import { createRandom } from '../../../../adapters/kit/random.js'
import { corpusFor } from '../../../../adapters/kit/suite/corpus.js'
import { flipBit, mutateBytes, mutateJson } from '../../../../adapters/kit/suite/mutations.js'
import { partTypes, validateMessage } from '../../../../core/amf/index.js'
import { redactSecrets, secretsIn } from '../../../../core/channel/credentialsecrets.js'
import { channelNames } from '../../../../core/channelnames.js'
import { generateAdapter, loadAdapter } from '../generatedadapter.js'

const { dir } = generateAdapter(t, 'rcs', 'pigeon')
const { adapter, samples } = await loadAdapter(dir)
const secret = 'secret-of-the-sample-account'

function failed(findings: readonly Finding[]): string[] {
  return findings.filter(({ ok }) => !ok).map(({ name }) => name)
}

async function failures(
  only: RegExp,
  changes: Partial<Adapter>,
  sampleChanges: Partial<Samples> = {},
): Promise<string[]> {
  return failed(await checkAdapter({ ...adapter, ...changes }, { ...samples, ...sampleChanges }, { only }))
}

const descriptor = (changes: object) => ({ descriptor: { ...adapter.descriptor, ...changes } as Adapter['descriptor'] })
const refused = (more: object): SendOutcome => ({ kind: 'refused', reason: 'sendFailed', retry: 'later', ...more })
const { render, send, receive } = adapter
const traits = adapter.descriptor.traits

const itemBase = { id: 'evt_1', address: samples.address }
const mediaRef = 'held-1'
const pictureItems = [{ ...itemBase, inbound: { kind: 'content', content: { media: [{ mediaRef }] } } }] as const
const openedAt = {
  kind: 'at',
  url: 'https://pigeon.example/held-1',
  headers: { authorization: 'Bearer of-the-sample' },
} as const
const mediaSample = { name: 'a picture', mediaRef, becomes: openedAt }

const { chips: _chips, ...withoutChips } = traits
const ablePeople: Samples['calls'] = samples.calls.map((call) => {
  const { becomes } = call
  if (becomes.kind !== 'items') return call
  const items = becomes.items.map((item) => ('problem' in item ? item : { ...item, deviceCapabilities: ['CHIPS'] }))
  return { ...call, becomes: { kind: 'items', items } }
})

const able = (outcome: SendOutcome): SendOutcome =>
  outcome.kind === 'refused' ? { ...outcome, deviceCapabilities: ['CHIPS'] } : outcome

/** Each row is one way to break the contract, and words of the sentence that must find it. */
const broken: [way: string, finds: RegExp, changes: Partial<Adapter>, given?: Partial<Samples>][] = [
  ['another contract', /names the contract/, descriptor({ contract: 2 })],
  ['a channel without providers', /names the contract/, descriptor({ channel: 'webchat' })],
  ['a provider that is no slug', /names the contract/, descriptor({ provider: 'Pigeon Post' })],
  ['a header in capitals', /lower case/, descriptor({ headers: [...adapter.descriptor.headers, 'X-Other'] })],
  ['no message a second', /lets through a second/, descriptor({ bulkPerSecond: 0 })],
  ['a pace in words', /lets through a second/, descriptor({ bulkPerSecond: 'fast' })],
  ['traits of another channel', /traits are those/, descriptor({ traits: { ...traits, channel: 'sms' } })],
  [
    'texts without an end',
    /traits are those/,
    descriptor({ traits: { ...traits, text: { ...traits.text, max: 1e9 } } }),
  ],
  ['an open form', /closed JSON Schema/, descriptor({ form: formWith({ additionalProperties: true }) })],
  ['a secret that can be read again', /write-only/, descriptor({ form: formWith({}, { apiKey: { type: 'string' } }) })],
  ['a form that is no schema', /closed JSON Schema/, descriptor({ form: formWith({ required: 'all' }) })],
  ['credentials that do not fit', /credentials fit the form/, {}, { auth: { accountId: 1 } }],
  ['good credentials refused', /credentials fit/, { validateAuth: () => ({ field: 'apiKey', message: 'no' }) }],
  ['a field that nobody has', /Judging any/, { validateAuth: () => ({ field: 'apikey', message: 'no' }) }],
  ['a secret repeated', /Judging any/, { validateAuth: () => ({ field: 'apiKey', message: `not ${secret}` }) }],
  ['judging that throws', /Judging any/, { validateAuth: (auth) => JSON.parse((auth as { apiKey: string }).apiKey) }],
  ['wrong credentials taken', /will not do/, {}, { invalidAuths: [{ auth: samples.auth, field: 'apiKey' }] }],
  ['a render that throws', /renders, to a bounded/, { render: throwing }],
  [
    'functions in wires',
    /plain data/,
    { render: (...args) => render(...args).map((payload) => ({ payload, f() {} })) },
  ],
  ['a changed block', /renders/, { render: (blocks, about) => render([Object.assign(blocks[0]!, { x: 1 })], about) }],
  ['nothing sent', /renders/, { render: () => [] }],
  ['another one each time', /same requests/, { render: (...args) => [...render(...args), { at: Math.random() }] }],
  ['the first request lost', /should read/, { render: (...args) => render(...args).slice(1) }],
  ['the last first', /in the order|brings back/, { render: (...args) => [...render(...args)].reverse() }],
  ['labels lost', /should read/, { render: (...args) => without(render(...args), 'label') }],
  ['postbacks lost', /brings back/, { render: (...args) => without(render(...args), 'postback') }],
  ['all in one', /brings back/, { render: (...args) => [{ all: render(...args) }] }],
  [
    'more for a device than for the channel',
    /no more than those/,
    { traitsForDevice: () => ({ ...traits, typing: true, list: { min: 1, max: 9, labelMax: 9, descriptionMax: 9 } }) },
    { calls: ablePeople },
  ],
  [
    'a device that has more each time',
    /same each time/,
    { traitsForDevice: () => ({ ...traits, text: { ...traits.text, max: Math.floor(60 + Math.random() * 1_000) } }) },
    { calls: ablePeople },
  ],
  ['devices that no sample tells of', /no more than those/, { traitsForDevice: () => traits }],
  ['a device that throws', /no more than those/, { traitsForDevice: throwing }, { calls: ablePeople }],
  [
    'labels lost on a device',
    /rendered for any device/,
    { traitsForDevice: () => withoutChips, render: (...args) => without(render(...args), 'text') },
    { calls: ablePeople },
  ],
  [
    'texts lost on a device with reported capabilities',
    /rendered for any device/,
    {
      traitsForDevice: () => withoutChips,
      render: (blocks, context) =>
        context.deviceCapabilities ? without(render(blocks, context), 'text') : render(blocks, context),
    },
    { deviceCapabilities: ['CHIPS'] },
  ],
  [
    'a device without traits',
    /sample answer/,
    { send: async (payload, sendContext) => able(await adapter.send(payload, sendContext)) },
  ],
  [
    'a refusal for another device',
    /sample answer/,
    {
      traitsForDevice: () => traits,
      send: async (payload, sendContext) => able(await adapter.send(payload, sendContext)),
    },
    {
      answers: samples.answers.map((each) =>
        each.becomes.kind === 'refused'
          ? { ...each, becomes: { ...each.becomes, deviceCapabilities: ['CARDS'] } }
          : each,
      ),
    },
  ],
  ['abilities that are no words', /never rejects/, { send: async () => refused({ deviceCapabilities: [7] as never }) }],
  ['typing that is not sent', /Typing/, { signal: () => undefined }],
  ['a send that rejects', /never rejects/, { send: async () => throwing() }],
  ['a send that throws', /never rejects/, { send: throwing }],
  ['an outcome that is none', /never rejects/, { send: async () => ({ kind: 'ok' }) as never }],
  ['a reason of many words', /never rejects/, { send: async () => refused({ reason: 'it did not go' }) }],
  ['a secret in a detail', /never rejects/, { send: async () => refused({ detail: `with ${secret}` }) }],
  ['no call', /address of the web/, { send: async () => refused({}) }],
  ['everything is sent', /tried again later/, { send: async () => ({ kind: 'sent', providerId: 'x' }) }],
  ['every refusal is sent', /counts as sent/, { send: async () => ({ kind: 'sent', providerId: 'x' }) }],
  ['trouble that is final', /tried again later/, { send: async () => refused({ retry: 'never' }) }],
  ['a key that nobody renews', /operator/, { send: async () => refused({ retry: 'otherChannel' }) }],
  ['an answer misread', /sample answer/, { send: async () => refused({}) }],
  ['words of the provider repeated', /repeats a secret/, { send: sendRepeatedly }],
  ['a probe that guesses', /probe/, { probe: async (addresses) => ({ reachable: addresses, unreachable: [] }) }],
  ['a probe of others', /probe/, { probe: async () => ({ reachable: ['other'], unreachable: [] }) }],
  ['a bold claim', /Taking back/, { revoke: async () => 'revoked' }],
  ['a receive that throws', /No bytes/, { receive: throwing }],
  ['a body that is trusted', /one byte/, { receive: (request, auth) => receiveUnverified(request, auth) }],
  ['no signature needed', /without its signature/, { receive: () => ({ kind: 'items', items: [] }) }],
  ['nothing understood', /read as what/, { receive: (...args) => withItems(receive(...args), () => []) }],
  [
    'an id of our own',
    /id that it had before/,
    { receive: (...args) => withItems(receive(...args), renamed(args[0].at)) },
  ],
  ['one id for all', /id of its own/, { receive: (...args) => withItems(receive(...args), renamed(0)) }],
  [
    'items out of bounds',
    /read as what/,
    { receive: (...args) => withItems(receive(...args), () => [{ id: '' } as never]) },
  ],
  ['headers that nobody declared', /declared headers/, descriptor({ headers: ['x-pigeon-signature'] })],
  ['one bad item loses all', /read as what/, { receive: (...args) => withItems(receive(...args), allOrNone) }],
  ['no bad item among the samples', /does not lose/, {}, { calls: samples.calls.slice(0, 3) }],
  ['no receipts among the samples', /the traits promise/, {}, { calls: [samples.calls[0]!, samples.calls[3]!] }],
  ['media that nobody opens', /can open it/, { receive: () => ({ kind: 'items', items: pictureItems }) }],
  ['media without a sample', /its sample says/, { openMedia: async () => openedAt }],
  [
    'media that opens elsewhere',
    /its sample says/,
    { openMedia: async () => ({ ...openedAt, url: 'https://pigeon.example/other' }) },
    { media: [mediaSample] },
  ],
  [
    'media that opens without credentials',
    /its sample says/,
    { openMedia: async () => ({ ...openedAt, headers: {} }) },
    { media: [mediaSample] },
  ],
  [
    'a secret in the address of media',
    /its sample says/,
    { openMedia: async () => ({ ...openedAt, url: `https://pigeon.example/?key=${secret}` }) },
    { media: [{ ...mediaSample, becomes: { ...openedAt, url: `https://pigeon.example/?key=${secret}` } }] },
  ],
  ['opening that rejects', /Opening never rejects/, { openMedia: async () => throwing() }, { media: [mediaSample] }],
  [
    'a refusal that repeats the answer',
    /Opening never rejects/,
    {
      async openMedia(_mediaRef, { call }) {
        const answer = await call({ method: 'GET', url: openedAt.url })
        return { kind: 'refused', detail: answer.kind === 'none' ? answer.detail : `It said ${answer.body}` }
      },
    },
    { media: [mediaSample] },
  ],
]

function formWith(changes: object, properties: object = {}): object {
  const { form } = adapter.descriptor
  const { credentials } = form
  return {
    ...form,
    credentials: { ...credentials, properties: { ...credentials.properties, ...properties }, ...changes },
  }
}

function throwing(): never {
  throw new Error(`broken, and it says ${secret}`)
}

function without(value: unknown, name: string): unknown[] {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === name ? undefined : inner)))
}

async function sendRepeatedly(payload: unknown, sendContext: Parameters<Adapter['send']>[1]): Promise<SendOutcome> {
  const bodies: string[] = []
  const outcome = await send(payload, {
    ...sendContext,
    call: async (request) => {
      const answer = await sendContext.call(request)
      if (answer.kind === 'answer') bodies.push(answer.body)
      return answer
    },
  })
  return outcome.kind === 'sent' ? outcome : { ...outcome, detail: bodies.join().slice(0, 300) }
}

/** Signed or not, as long as there is something where the signature should be. */
function receiveUnverified(...[request, auth]: Parameters<Adapter['receive']>): IngressResult {
  const header = (name: string) =>
    name.endsWith('signature') && request.header(name) ? proof(name) : request.header(name)
  const proof = (name: string) => samples.sign({ ...request, body: request.body }, auth)[name] ?? ''
  return receive({ ...request, header }, auth)
}

type Items = Extract<IngressResult, { kind: 'items' }>['items']

function withItems(received: IngressResult, change: (items: Items) => Items): IngressResult {
  return received.kind === 'items' ? { kind: 'items', items: change(received.items) } : received
}

const renamed = (at: number) => (items: Items) =>
  items.map((item) => ('id' in item ? { ...item, id: `call.${at}` } : item))
const allOrNone = (items: Items): Items =>
  items.some((item) => 'problem' in item) ? [{ problem: 'something is wrong' }] : items

t.test('A correct adapter has no findings', async (t) => {
  const findings = await checkAdapter(adapter, samples)
  t.same(failed(findings), [])
  t.equal(new Set(findings.map(({ name }) => name)).size, findings.length, 'each sentence is checked once')
  await assertAdapter(adapter, samples)
})

t.test('Every violation of the contract is found by the sentence that it violates', async (t) => {
  for (const [way, finds, changes, sampleChanges] of broken) {
    const problems = await failures(finds, changes, sampleChanges)
    t.ok(problems.length > 0, `${way} is found`)
  }
})

t.test('Findings never contain the secrets of the samples', async (t) => {
  const findings = await checkAdapter({ ...adapter, render: throwing, receive: throwing, send: throwing }, samples)
  const text = report(findings)
  t.match(text, /a secret stands in an exception/)
  t.notMatch(text, secret)
  t.match(text, /^TAP version 14\nok 1 - /)
  t.match(text, new RegExp(`1\\.\\.${findings.length}\n$`))
  await t.rejects(
    assertAdapter({ ...adapter, receive: throwing }, samples),
    /does not keep its contract[\s\S]*No bytes/,
  )
})

t.test('An adapter of any shape leads to findings, not to an exception', async (t) => {
  for (const odd of [{}, { descriptor: {} }, { descriptor: null }, null]) {
    t.ok(failed(await checkAdapter(odd as never, samples)).length > 5)
  }
})

t.test('The emulator fulfils the contract on every channel', async (t) => {
  const key = Buffer.from('a key of the phones')
  for (const channel of channelNames.filter((name) => name !== 'webchat')) {
    const emulated = emulatorAdapter(channel, createPhones(10), key) as Adapter
    const from = '+14155550100'
    const receipt = (state: string) => ({ id: `r.${state}`, from, receipt: { messageId: 'm', state } })
    const became = (state: 'delivered' | 'read') => ({
      id: `r.${state}`,
      address: from,
      inbound: { kind: 'receipt' as const, receipt: { providerId: 'm', state } },
    })
    const findings = await checkAdapter(emulated, {
      auth: {},
      address: from,
      sign: ({ body }) => ({ [signatureHeader]: signatureOf(key, 'cb_sample', body) }),
      calls: [
        {
          name: 'a tap, a text, receipts and what cannot be read',
          body: {
            items: [
              { id: 'a', from, postback: 'p1.m.0' },
              { id: 'b', from, text: 'Hi' },
              receipt('delivered'),
              receipt('read'),
              {},
            ],
          },
          becomes: {
            kind: 'items',
            items: [
              { id: 'a', address: from, inbound: { kind: 'tap', messageId: 'm', tapIndex: 0 } },
              { id: 'b', address: from, inbound: { kind: 'content', content: { text: 'Hi' } } },
              became('delivered'),
              became('read'),
              { problem: true },
            ],
          },
        },
      ],
      answers: [],
    })
    // It calls nobody, so whatever a provider would answer is never asked for.
    const aboutProviders = /address of the web|tried again later|counts as sent|sample answer|only declared/i
    t.same(
      findings.filter(({ name, ok }) => !ok && !aboutProviders.test(name)),
      [],
      channel,
    )
  }
})

t.test('The corpus is valid and contains every kind of part', async (t) => {
  const corpus = Object.values(corpusFor('rcs'))
  for (const [name, message] of Object.entries(corpusFor('rcs'))) t.ok('message' in validateMessage(message), name)
  const kinds = new Set(corpus.flatMap(({ parts }) => parts.map(({ type }) => type)))
  t.same([...kinds].sort(), [...partTypes].sort())
})

t.test('Mutated bodies are the same for the same seed, and always differ where they claim to', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), (bytes, seed) => {
      const at = seed % bytes.length
      const other = flipBit(bytes, at)
      const isRepeatable = Buffer.from(mutateBytes(createRandom(seed), bytes)).equals(
        mutateBytes(createRandom(seed), bytes),
      )
      return isRepeatable && other.filter((byte, index) => byte !== bytes[index]).length === 1
    }),
  )
  fc.assert(
    fc.property(fc.object(), fc.nat(), (value, seed) => {
      const bytes = Buffer.from(JSON.stringify(value))
      return JSON.parse(Buffer.from(mutateJson(createRandom(seed), bytes)!).toString()) !== undefined
    }),
  )
  t.equal(mutateJson(createRandom(1), Buffer.from('x=1')), undefined)
})

t.test('Secrets are all fields marked write-only, at any depth, and each line of a key', async (t) => {
  const form = {
    properties: {
      name: { type: 'string' },
      key: { type: 'string', writeOnly: true },
      inner: { properties: { pem: { writeOnly: true } } },
      list: { items: { properties: { token: { writeOnly: true } } } },
    },
  }
  const pem = '-----BEGIN KEY-----\nabcdefgh\n-----END KEY-----'
  const auth = { name: 'nobody', key: 'k-123456', inner: { pem }, list: [{ token: 't-123456' }], other: 'o-123456' }
  t.same(secretsIn(form, auth), ['k-123456', pem, 'abcdefgh', 't-123456'])
  t.equal(redactSecrets('a k-123456 b abcdefgh', secretsIn(form, auth)), 'a … b …')
  t.equal(redactSecrets('x'.repeat(5_000), []).length, 300)
  for (const odd of [undefined, null, 1, 'x', []]) t.same(secretsIn(odd, odd), [])
})

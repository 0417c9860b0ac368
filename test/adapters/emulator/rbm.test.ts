/** The emulated RCS Business Messaging, called as its documents say. */
import { createHmac, createSign, randomUUID } from 'node:crypto'
import t from 'tap'
import type { Account } from '../../../adapters/emulator/contract.js'
import type { Received } from '../../harness/receiver.js'
import { asJson, type EmulatorHarness, openEmulatorHarness } from './emulatorharness.js'

// Keys are made and many messages sent here, on a machine that may be busy.
t.setTimeout(120_000)

const person = '+15550100001'
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

interface Auth {
  readonly agentId: string
  readonly clientToken: string
  readonly apiUrl: string
  readonly serviceAccount: { readonly client_email: string; readonly private_key: string; readonly token_uri: string }
}
const authOf = (account: Account) => account.auth as unknown as Auth

function assertion({ serviceAccount }: Auth, claims: object = {}): string {
  const now = Math.floor(Date.now() / 1_000)
  const scope = 'https://www.googleapis.com/auth/rcsbusinessmessaging'
  const { client_email: iss, token_uri: aud, private_key: key } = serviceAccount
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iss, aud, scope, iat: now, exp: now + 3_600, ...claims })}`
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`
}

function mint({ call }: EmulatorHarness, auth: Auth, token = assertion(auth)) {
  const body = new URLSearchParams({ grant_type: grant, assertion: token })
  return call(auth.serviceAccount.token_uri, { method: 'POST', body })
}

async function openAccount(emulated: EmulatorHarness, more = {}) {
  const account = emulated.account('rbm', more)
  const auth = authOf(account)
  const { json } = await mint(emulated, auth)
  const headers = { authorization: `Bearer ${json.access_token}` }
  const url = (path: string, query: Record<string, string> = {}) =>
    `${auth.apiUrl}/v1/${path}?${new URLSearchParams({ agentId: auth.agentId, ...query })}`
  const send = (body: unknown, messageId: string = randomUUID(), to = person) =>
    emulated.call(url(`phones/${to}/agentMessages`, { messageId }), asJson(body, headers))
  return { account, auth, headers, url, send }
}

/** What an agent would do: the signature over the decoded data, then the data. */
function eventIn({ body, headers }: Received, { clientToken }: Auth) {
  const data = Buffer.from(JSON.parse(body.toString()).message.data, 'base64')
  const mac = createHmac('sha512', clientToken).update(data).digest('base64')
  if (headers['x-goog-signature'] !== mac) throw new Error('the signature is not good')
  return JSON.parse(data.toString())
}

const textBody = (text: string, suggestions?: unknown[]) => ({
  contentMessage: { text, ...(suggestions && { suggestions }) },
})
const acting = (action: object) => ({ text: 'Tea', suggestions: [{ action: { text: 'Go', ...action } }] })
const reply = (text: string, postbackData = 'x') => ({ reply: { text, postbackData } })

t.test('A service account gets a token for a signed assertion only', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const auth = authOf(emulated.account('rbm'))
  const { status, json } = await mint(emulated, auth)
  t.equal(status, 200)
  t.equal(json.token_type, 'Bearer')
  t.ok(json.expires_in > 3_000)
  const flipped = assertion(auth).replace(/..$/, (end) => (end === 'AA' ? 'BB' : 'AA'))
  const stale = Math.floor(Date.now() / 1_000) - 7_200
  for (const wrong of [
    flipped,
    assertion(auth, { aud: 'https://elsewhere.example' }),
    assertion(auth, { iat: stale, exp: stale + 3_600 }),
    assertion(auth, { iss: 'somebody@else.example' }),
    'nonsense',
    '',
  ]) {
    t.match(await mint(emulated, auth, wrong), { status: 400, json: { error: 'invalid_grant' } })
  }
  t.match(await mint(emulated, auth, assertion(auth, { scope: 'else' })), { json: { error: 'invalid_scope' } })
})

t.test('A message is accepted, stored unchanged, and its signed receipts follow', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth, send } = await openAccount(emulated)
  const id = randomUUID()
  const body = textBody('Hello', [reply('Yes', 'p1.m.0')])
  const { status, json } = await send(body, id)
  t.equal(status, 200)
  t.equal(json.name, `phones/${person}/agentMessages/${id}`)
  const [record] = emulated.emulator.sent(0)
  t.match(record, { account: 'rbm', provider: 'rbm', address: person, providerId: id, body })
  const events = (await emulated.waitForCalls('/rbm', 2)).map((each) => eventIn(each, auth))
  t.match(events, [
    { eventType: 'DELIVERED', messageId: id, senderPhoneNumber: person, agentId: auth.agentId },
    { eventType: 'READ', messageId: id },
  ])
})

t.test('A message with a used id, even the id of an event, is ignored silently', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { headers, url, send } = await openAccount(emulated)
  const [first, second] = [randomUUID(), randomUUID()]
  await send(textBody('one'), first)
  t.equal((await send(textBody('again'), first)).status, 200)
  const typing = await emulated.call(
    url(`phones/${person}/agentEvents`, { eventId: second }),
    asJson({ eventType: 'IS_TYPING' }, headers),
  )
  t.equal(typing.status, 200)
  t.equal((await send(textBody('lost'), second)).status, 200)
  t.same(
    emulated.emulator.sent(0).map(({ body }) => body),
    [textBody('one')],
  )
})

t.test('A message over a limit or of an unknown shape is an error, and it is not stored', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send, headers, url, auth } = await openAccount(emulated)
  const card = (more: object = {}) => ({ title: 'T', ...more })
  const carousel = (cards: unknown[]) => ({
    contentMessage: { richCard: { carouselCard: { cardWidth: 'MEDIUM', cardContents: cards } } },
  })
  const many = <T>(count: number, each: T) => Array.from({ length: count }, () => each)
  const chip = (action: object) => textBody('x', [{ action: { text: 'Go', ...action } }])
  for (const [why, body] of [
    ['text over 3,072', textBody('a'.repeat(3_073))],
    ['12 chips', textBody('x', many(12, reply('a')))],
    ['a label of 26', textBody('x', [reply('a'.repeat(26))])],
    ['postbackData of 2,049', textBody('x', [reply('a', 'b'.repeat(2_049))])],
    ['five chips in a card', carousel([card({ suggestions: many(5, reply('a')) }), card()])],
    ['a title of 201', carousel([{ title: 'a'.repeat(201) }, card()])],
    ['a description of 2,001', carousel([{ description: 'a'.repeat(2_001) }, card()])],
    ['a carousel of one', carousel([card()])],
    ['a carousel of eleven', carousel(many(11, card()))],
    ['an empty card', carousel([{}, card()])],
    ['two contents', { contentMessage: { text: 'a', contentInfo: { fileUrl: 'https://a.example/b.png' } } }],
    ['no content', { contentMessage: {} }],
    ['an unknown name', { ...textBody('a'), priority: 1 }],
    ['ttl and expireTime', { ...textBody('a'), ttl: '10s', expireTime: '2030-01-01T00:00:00Z' }],
    ['a ttl over 15 days', { ...textBody('a'), ttl: '1296001s' }],
    ['two actions', chip({ dialAction: { phoneNumber: '+1' }, openUrlAction: { url: 'https://a.example' } })],
    ['a calendar title of 101', chip({ createCalendarEventAction: event('a'.repeat(101)) })],
    ['no JSON object', 'text'],
  ] as const) {
    const answer = await send(body)
    t.match(answer, { status: 400, json: { error: { code: 400, status: 'INVALID_ARGUMENT' } } }, why)
  }
  t.equal((await send(textBody('a'), 'not-a-uuid')).status, 400)
  t.equal((await send(textBody('a'), randomUUID(), '5550100')).status, 400)
  t.equal(
    (await emulated.call(url(`phones/${person}/agentMessages`, { messageId: randomUUID() }), asJson(textBody('a'))))
      .status,
    401,
  )
  const foreign = `${auth.apiUrl}/v1/phones/${person}/agentMessages?messageId=${randomUUID()}&agentId=other`
  t.equal((await emulated.call(foreign, asJson(textBody('a'), headers))).status, 403)
  t.same(emulated.emulator.sent(0), [])
})

function event(title: string) {
  return { startTime: '2030-01-01T10:00:00Z', endTime: '2030-01-01T11:00:00Z', title }
}

t.test('A message at a limit is accepted', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send } = await openAccount(emulated)
  const media = { height: 'TALL', contentInfo: { fileUrl: 'https://a.example/b.png' } }
  const full = {
    title: 'a'.repeat(200),
    description: '😀'.repeat(2_000),
    media,
    suggestions: Array.from({ length: 4 }, () => reply('a'.repeat(25), 'b'.repeat(2_048))),
  }
  const cards = Array.from({ length: 10 }, () => full)
  for (const body of [
    textBody(
      'a'.repeat(3_072),
      Array.from({ length: 11 }, () => reply('a')),
    ),
    { contentMessage: { richCard: { carouselCard: { cardWidth: 'MEDIUM', cardContents: cards } } } },
    { contentMessage: { richCard: { standaloneCard: { cardOrientation: 'VERTICAL', cardContent: full } } } },
    { ...textBody('a'), ttl: '1296000s', messageTrafficType: 'TRANSACTION' },
    textBody('a', [
      { action: { text: 'Call', postbackData: 'x', dialAction: { phoneNumber: '+15550100' } } },
      { action: { text: 'Map', viewLocationAction: { latLong: { latitude: 1, longitude: 2 }, label: 'Pin' } } },
      { action: { text: 'Where', shareLocationAction: {} } },
      { action: { text: 'Save', createCalendarEventAction: event('Dinner'), fallbackUrl: 'https://a.example' } },
    ]),
  ]) {
    const answer = await send(body)
    t.equal(answer.status, 200, answer.text.slice(0, 200))
  }
})

t.test('A number without RCS is not found by a message or by either capability check', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send, url, headers } = await openAccount(emulated)
  const other = '+15550100002'
  emulated.emulator.faults.add({ account: 'rbm', address: person, kind: 'unreachable' })
  t.match(await send(textBody('a')), { status: 404, json: { error: { status: 'NOT_FOUND' } } })
  t.equal((await send(textBody('a'), randomUUID(), other)).status, 200)
  const check = (phone: string) =>
    emulated.call(url(`phones/${phone}/capabilities`, { requestId: randomUUID() }), { headers })
  t.equal((await check(person)).status, 404)
  t.ok((await check(other)).json.features.includes('RICHCARD_CAROUSEL'))
  const batch = await emulated.call(url('users:batchGet'), asJson({ users: [person, other] }, headers))
  t.same(batch.json, { reachableUsers: [other], totalRandomSampleUserCount: 0, reachableRandomSampleUserCount: 0 })
})

t.test('A phone has the features that its person chose, and gets nothing that needs others', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send, url, headers } = await openAccount(emulated)
  const { emulator } = emulated
  const other = '+15550100002'
  const featuresOf = async (phone: string) =>
    (await emulated.call(url(`phones/${phone}/capabilities`, { requestId: randomUUID() }), { headers })).json.features
  const card = {
    title: 'Tea',
    suggestions: [{ action: { text: 'Open', openUrlAction: { url: 'https://a.example' } } }],
  }
  const plainCard = { cardOrientation: 'VERTICAL', cardContent: { title: 'Tea' } }
  const needing: Readonly<Record<string, object>> = {
    RICHCARD_STANDALONE: { richCard: { standaloneCard: plainCard } },
    RICHCARD_CAROUSEL: {
      richCard: { carouselCard: { cardWidth: 'MEDIUM', cardContents: [{ title: 'Tea' }, { title: 'Water' }] } },
    },
    ACTION_OPEN_URL: { richCard: { standaloneCard: { ...plainCard, cardContent: card } } },
    ACTION_DIAL: acting({ dialAction: { phoneNumber: '+15550100' } }),
    ACTION_SHARE_LOCATION: acting({ shareLocationAction: {} }),
    ACTION_VIEW_LOCATION: acting({ viewLocationAction: { query: 'Pier 4' } }),
    ACTION_CREATE_CALENDAR_EVENT: acting({
      createCalendarEventAction: {
        startTime: '2026-11-20T12:00:00Z',
        endTime: '2026-11-20T13:00:00Z',
        title: 'Dinner',
      },
    }),
  }
  const all: readonly string[] = await featuresOf(person)
  t.same([...all].sort(), ['REVOCATION', ...Object.keys(needing)].sort())
  for (const [feature, contentMessage] of Object.entries(needing)) {
    const abilities = all.filter((each) => each !== feature)
    t.match(await emulator.act('rbm', person, { kind: 'device', abilities }), { kind: 'performed', calls: 0 })
    t.same(await featuresOf(person), abilities)
    const { status, json } = await send({ contentMessage })
    t.match({ status, json }, { status: 400, json: { error: { status: 'INVALID_ARGUMENT' } } }, feature)
    t.equal((await send({ contentMessage }, undefined, other)).status, 200, 'one person is not another')
    t.equal((await send(textBody('Tea', [reply('Yes')]))).status, 200, 'words and replies show everywhere')
  }
  await emulator.act('rbm', person, { kind: 'device', abilities: ['REVOCATION'] })
  const id = randomUUID()
  t.equal((await send({ contentMessage: needing.RICHCARD_CAROUSEL }, id)).status, 400)
  await emulator.act('rbm', person, { kind: 'device', abilities: all })
  t.equal((await send({ contentMessage: needing.RICHCARD_CAROUSEL }, id)).status, 200)
  t.match(emulator.sent(0, { address: person }).at(-1), { providerId: id }, 'a refused message uses no id')
  t.match(await emulator.act('rbm', person, { kind: 'device', abilities: ['FLY'] }), { kind: 'impossible' })
})

t.test('A message can be revoked while the phone is off, and not after it arrived', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth, send, url, headers } = await openAccount(emulated)
  const revoke = (id: string) =>
    emulated.call(url(`phones/${person}/agentMessages/${id}`), { method: 'DELETE', headers })
  const [first, second] = [randomUUID(), randomUUID()]
  await send(textBody('arrives'), first)
  await emulated.waitForCalls('/rbm', 2)
  t.equal((await revoke(first)).status, 404)
  await emulated.emulator.act('rbm', person, { kind: 'offline' })
  await send(textBody('waits'), second)
  t.equal((await revoke(second)).status, 200)
  await emulated.emulator.act('rbm', person, { kind: 'online' })
  const third = randomUUID()
  await send(textBody('arrives too'), third)
  const events = (await emulated.waitForCalls('/rbm', 4)).map((each) => eventIn(each, auth).messageId)
  t.same(events, [first, first, third, third], 'a revoked message has no receipt')
})

t.test('Every action of a person arrives as a signed event of its kind', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { account, auth, send, headers, url } = await openAccount(emulated, { reads: false })
  const { emulator } = emulated
  await send(
    textBody('Choose', [
      reply('Tea', 'p1.m.0'),
      { action: { text: 'Where', postbackData: 'p1.m.1', shareLocationAction: {} } },
    ]),
  )
  await emulated.waitForCalls('/rbm', 1)
  const acts = [
    { kind: 'text', text: 'héllo' },
    { kind: 'tap', label: 'Tea' },
    { kind: 'tap', index: 1 },
    { kind: 'location', latitude: 1.5, longitude: 2.5 },
    { kind: 'media', url: 'https://a.example/c.png', type: 'image/png', name: 'c.png' },
    { kind: 'typing' },
    { kind: 'read' },
    { kind: 'stop' },
    { kind: 'optOut' },
  ] as const
  for (const act of acts)
    t.match(await emulator.act(account.id, person, act), { kind: 'performed', taken: true }, act.kind)
  const events = (await emulated.waitForCalls('/rbm', 11)).slice(1).map((each) => eventIn(each, auth))
  t.match(events, [
    { text: 'héllo', senderPhoneNumber: person, agentId: auth.agentId },
    { suggestionResponse: { postbackData: 'p1.m.0', text: 'Tea', type: 'REPLY' } },
    { suggestionResponse: { postbackData: 'p1.m.1', text: 'Where', type: 'ACTION' } },
    { location: { latitude: 1.5, longitude: 2.5 } },
    { userFile: { payload: { mimeType: 'image/png', fileUri: 'https://a.example/c.png', fileName: 'c.png' } } },
    { eventType: 'IS_TYPING' },
    { eventType: 'READ', messageId: emulator.sent(0)[0]!.providerId },
    { text: 'STOP' },
    { eventType: 'UNSUBSCRIBE' },
    { text: 'STOP' },
  ])
  t.equal((await send(textBody('a'))).status, 403, 'an unsubscribed person gets no message')
  await emulator.act(account.id, person, { kind: 'optIn' })
  t.equal((await send(textBody('a'))).status, 200)
  const mark = (messageId: string) =>
    emulated.call(
      url(`phones/${person}/agentEvents`, { eventId: randomUUID() }),
      asJson({ eventType: 'READ', messageId }, headers),
    )
  t.equal((await mark(events[0].messageId)).status, 200)
  t.equal((await mark('unknown')).status, 404)
})

t.test('The platform validates the webhook with the client token and expects its secret back', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth } = await openAccount(emulated)
  emulated.receiver.setBehavior('/rbm', (response) => {
    const { clientToken, secret } = JSON.parse(emulated.receiver.at('/rbm').at(-1)!.body.toString())
    t.equal(clientToken, auth.clientToken)
    response.end(secret)
  })
  t.equal(await emulated.emulator.accounts.greet('rbm'), 'taken')
  emulated.receiver.setBehavior('/rbm', (response) => void response.end('something else'))
  t.equal(await emulated.emulator.accounts.greet('rbm'), 'refused')
})

t.test('An account that is opened again by another emulator with the same key has the same credentials', async (t) => {
  const [one, two] = [await openEmulatorHarness(t), await openEmulatorHarness(t)]
  const [first, second] = [authOf(one.account('rbm')), authOf(two.account('rbm'))]
  t.equal(first.serviceAccount.private_key, second.serviceAccount.private_key)
  t.equal(first.clientToken, second.clientToken)
  const other = await openEmulatorHarness(t, { key: Buffer.alloc(32, 8) })
  t.not(authOf(other.account('rbm')).clientToken, first.clientToken)
})

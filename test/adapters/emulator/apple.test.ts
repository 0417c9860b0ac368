/** The emulated Apple Messages for Business, called as its documents say. */
import { createHmac, randomUUID } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import type { Account } from '../../../adapters/emulator/contract.js'
import type { Received } from '../../harness/receiver.js'
import { asJson, type EmulatorHarness, openEmulatorHarness } from './emulatorharness.js'

const person = 'urn:mbid:AQAAY0000001'
const bid =
  'com.apple.messages.MSMessageExtensionBalloonPlugin:0000000000:com.apple.icloud.apps.messages.business.extension'

interface Auth {
  readonly businessId: string
  readonly mspId: string
  readonly secret: string
  readonly apiUrl: string
}
const authOf = (account: Account) => account.auth as unknown as Auth

function token(secret: string, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256' })}.${part(claims)}`
  return `${signed}.${createHmac('sha256', Buffer.from(secret, 'base64')).update(signed).digest('base64url')}`
}
const seconds = () => Math.floor(Date.now() / 1_000)

function openAccount(emulated: EmulatorHarness) {
  const auth = authOf(emulated.account('apple'))
  const { businessId, mspId, secret, apiUrl } = auth
  const send = (content: object, headers: Record<string, string> = {}) => {
    const id = randomUUID()
    const body = { v: 1, id, sourceId: businessId, destinationId: person, ...content }
    const authorization = `Bearer ${token(secret, { iss: mspId, iat: seconds() })}`
    const given = { authorization, id, 'source-id': businessId, 'destination-id': person, ...headers }
    return emulated.call(`${apiUrl}/v1/message`, asJson(body, given))
  }
  return { auth, send }
}

/** What a platform would do: the token, its audience, then the body. */
function bodyIn({ body, headers }: Received, { secret, mspId }: Auth) {
  const [head, claims, signature] = String(headers.authorization).replace('Bearer ', '').split('.')
  const expected = createHmac('sha256', Buffer.from(secret, 'base64')).update(`${head}.${claims}`).digest('base64url')
  if (signature !== expected) throw new Error('the signature is not good')
  if (JSON.parse(Buffer.from(claims!, 'base64url').toString()).aud !== mspId) throw new Error('not for us')
  return JSON.parse(gunzipSync(body).toString())
}

const data = (picker: object) => ({ version: '1.0', requestIdentifier: randomUUID(), ...picker })
const interactive = (picker: object, more: object = { receivedMessage: { title: 'Choose', style: 'icon' } }) => ({
  type: 'interactive',
  interactiveData: { bid, data: data(picker), ...more },
})
const item = (index: number, title = `Item ${index}`) => ({ identifier: `p1.m.${index}`, order: index, title })
const listOf = (...items: object[]) => interactive({ listPicker: { sections: [{ title: 'All', order: 0, items }] } })
const quickOf = (...titles: string[]) =>
  interactive({ 'quick-reply': { items: titles.map((title, index) => ({ identifier: `p1.m.${index}`, title })) } }, {})
const timesOf = (...starts: string[]) =>
  interactive({
    event: {
      identifier: '1',
      timeslots: starts.map((startTime, index) => ({ identifier: `p1.m.${index}`, startTime, duration: 1_800 })),
    },
  })

t.test('A person who has not written cannot be reached; later sends are answered 200 without a receipt', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send } = openAccount(emulated)
  t.equal((await send({ type: 'text', body: 'Hello' })).status, 404)
  await emulated.emulator.act('apple', person, { kind: 'text', text: 'Hi' })
  const answer = await send({ type: 'text', body: 'Hello' })
  t.match(answer, { status: 200, text: '' })
  t.equal((await send({ type: 'typing_start' })).status, 200)
  t.match(emulated.emulator.sent(0), [{ address: person, body: { type: 'text', body: 'Hello' } }])
})

t.test('A token that is missing, forged, foreign or old is refused', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth, send } = openAccount(emulated)
  const text = { type: 'text', body: 'Hello' }
  const other = Buffer.alloc(32, 9).toString('base64')
  t.equal((await send(text, { authorization: '' })).status, 401)
  t.equal(
    (await send(text, { authorization: `Bearer ${token(other, { iss: auth.mspId, iat: seconds() })}` })).status,
    403,
  )
  t.equal(
    (await send(text, { authorization: `Bearer ${token(auth.secret, { iss: 'else', iat: seconds() })}` })).status,
    403,
  )
  const old = token(auth.secret, { iss: auth.mspId, iat: seconds() - 3_600 })
  t.equal((await send(text, { authorization: `Bearer ${old}` })).status, 403)
  t.equal((await send(text, { 'source-id': 'another-business' })).status, 403)
})

t.test('A message over a limit or of an unknown shape is refused', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send } = openAccount(emulated)
  await emulated.emulator.act('apple', person, { kind: 'text', text: 'Hi' })
  const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.alloc(200 * 1024)])
  const withImage = (bytes: Buffer) =>
    interactive({
      images: [{ identifier: '1', data: bytes.toString('base64') }],
      listPicker: { sections: [{ items: [item(0)] }] },
    })
  for (const [why, content] of [
    ['no text', { type: 'text' }],
    ['a string of 201', listOf(item(0, 'a'.repeat(201)))],
    ['one quick reply', quickOf('Yes')],
    ['six quick replies', quickOf('a', 'b', 'c', 'd', 'e', 'f')],
    ['no bubble', interactive({ listPicker: { sections: [{ items: [item(0)] }] } }, {})],
    [
      'two pickers',
      interactive({ listPicker: { sections: [{ items: [item(0)] }] }, 'quick-reply': { items: [item(0), item(1)] } }),
    ],
    ['a picture over 200 KB', withImage(png)],
    ['a picture that is no PNG', withImage(Buffer.from('GIF89a'))],
    ['a time without a zone', timesOf('2030-01-01T10:00')],
    ['an unknown type', { type: 'poll' }],
    ['an unknown name', { type: 'text', body: 'a', priority: 1 }],
    ['another destination than the header says', { type: 'text', body: 'a', destinationId: 'urn:mbid:other' }],
  ] as const) {
    t.equal((await send(content)).status, 400, why)
  }
  t.equal((await send({ type: 'text', body: 'a' }, { id: 'not-a-uuid' })).status, 400)
  t.same(emulated.emulator.sent(0), [])
  for (const content of [
    listOf(item(0, 'a'.repeat(200)), item(1)),
    quickOf('a', 'b', 'c', 'd', 'e'),
    timesOf('2030-01-01T10:00+0000'),
    { type: 'richLink', richLinkData: { url: 'https://a.example', title: 'A' } },
    withImage(png.subarray(0, 1_000)),
  ]) {
    const answer = await send(content)
    t.equal(answer.status, 200, answer.text)
  }
})

t.test('A choice of a person returns at the position where it was offered', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth, send } = openAccount(emulated)
  const { emulator, receiver } = emulated
  await emulator.act('apple', person, { kind: 'text', text: 'Hi' })
  await send(listOf(item(0, 'Tea'), item(1, 'Coffee')))
  await emulator.act('apple', person, { kind: 'row', label: 'Coffee' })
  await send(quickOf('Yes', 'No'))
  await emulator.act('apple', person, { kind: 'tap', label: 'No' })
  await send(timesOf('2030-01-01T10:00+0000', '2030-01-01T11:00+0000'))
  await emulator.act('apple', person, { kind: 'tap', index: 1 })
  await emulator.act('apple', person, {
    kind: 'media',
    url: 'https://a.example/b.png',
    type: 'image/png',
    name: 'b.png',
  })
  await emulator.act('apple', person, { kind: 'typing' })
  const messages = receiver.at('/apple/message').map((each) => bodyIn(each, auth))
  t.match(messages, [
    { type: 'text', body: 'Hi', sourceId: person, destinationId: auth.businessId },
    {
      interactiveData: { data: { listPicker: { sections: [{ items: [{ identifier: 'p1.m.1', title: 'Coffee' }] }] } } },
    },
    { interactiveData: { data: { 'quick-reply': { selectedIdentifier: 'p1.m.1', selectedIndex: 1 } } } },
    { interactiveData: { data: { event: { timeslots: [{ identifier: 'p1.m.1' }] } } } },
    { attachments: [{ url: /^https:/, owner: /./, signature: /./, key: /^00/, mimeType: 'image/png', name: 'b.png' }] },
    { type: 'typing_start' },
  ])
  t.match(receiver.at('/apple/message')[0]!.headers['capability-list'], /LIST/)
  for (const kind of ['read', 'optIn'] as const)
    t.match(await emulator.act('apple', person, { kind }), { kind: 'impossible' })
})

t.test('A person’s action reports the device capabilities: all of them, unless the person chose others', async (t) => {
  const emulated = await openEmulatorHarness(t)
  emulated.account('apple')
  emulated.account('rbm')
  const { emulator, receiver } = emulated
  const lastCapabilityList = () => receiver.at('/apple/message').at(-1)?.headers['capability-list']
  await emulator.act('apple', person, { kind: 'text', text: 'Hi' })
  t.equal(lastCapabilityList(), 'LIST,TIME,QUICK,AUTH,AUTH2,FORM')
  t.same(await emulator.act('apple', person, { kind: 'device', abilities: ['QUICK', 'TIME'] }), {
    kind: 'performed',
    calls: 0,
    taken: true,
  })
  t.equal(receiver.at('/apple/message').length, 1, 'no other person is reported')
  await emulator.act('apple', person, { kind: 'typing' })
  t.equal(lastCapabilityList(), 'QUICK,TIME')
  await emulator.act('apple', 'urn:mbid:somebody-else', { kind: 'text', text: 'Hi' })
  t.match(lastCapabilityList(), /LIST/)
  t.match(await emulator.act('apple', person, { kind: 'device', abilities: ['FLY'] }), { kind: 'impossible' })
  t.match(await emulator.act('rbm', '+15550100', { kind: 'device', abilities: ['LIST'] }), { kind: 'impossible' })
  emulated.account('twilio')
  t.match(await emulator.act('twilio', '+15550100', { kind: 'device', abilities: ['LIST'] }), { kind: 'impossible' })
})

t.test('A person who closes the thread is unreachable until they write again', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth, send } = openAccount(emulated)
  const { emulator, receiver } = emulated
  await emulator.act('apple', person, { kind: 'text', text: 'Hi' })
  await emulator.act('apple', person, { kind: 'optOut' })
  t.match(bodyIn(receiver.at('/apple/message')[1]!, auth), { type: 'close', sourceId: person })
  t.equal((await send({ type: 'text', body: 'Hello' })).status, 404)
  await emulator.act('apple', person, { kind: 'text', text: 'Hi again' })
  t.equal((await send({ type: 'text', body: 'Hello' })).status, 200)
})

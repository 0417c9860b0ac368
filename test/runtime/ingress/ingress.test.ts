/**
 * Providers calling in: believed only with a good signature, on record before it is acknowledged, each item heard once.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { signatureHeader, signatureOf } from '../../../adapters/emulator/adapter.js'
import { ingress } from '../../../core/limits/index.js'
import { conversationTable, seenTable, trafficTable } from '../../../runtime/conversation/tables.js'
import { createAgents } from '../../harness/agents.js'
import { openTestNode } from '../../harness/node.js'
import { type GatewayFixture, openGatewayFixture } from '../conversation/fixture.js'

const ann = '+15550101'
const ben = '+15550102'
const batch = (...items: unknown[]) => JSON.stringify({ items })
const text = (id: string, from: string, words: string) => ({ id, from, text: words })

const recordsOf = (fixture: GatewayFixture) =>
  [conversationTable, seenTable, trafficTable].map((table) => fixture.rows(table as typeof seenTable).length)

t.test('A call with a wrong, missing or malformed signature is refused and leaves nothing', async (t) => {
  const fixture = await openGatewayFixture(t)
  const body = batch(text('1', ann, 'hello'))
  const good = (await fixture.ingress('sms', body)).status
  t.equal(good, 200)
  await fixture.waitForWebhook()
  const before = recordsOf(fixture)
  const other = batch(text('2', ben, 'hello'))
  const signed = fixture.sign('sms', other)
  const badSignatures = [
    '',
    'x',
    '0'.repeat(64),
    signed.slice(1),
    `${signed}0`,
    `v0=${signed}`,
    signatureOf(Buffer.alloc(32, 6), fixture.bindingId('sms'), Buffer.from(other)),
    fixture.sign('rcs', other),
    fixture.sign('sms', body),
    'ÿ'.repeat(64),
  ]
  for (const wrong of badSignatures)
    t.equal((await fixture.ingress('sms', other, wrong)).status, 401, wrong.slice(0, 20))
  const bare = await fixture.inject('POST', `/v4/ingress/${fixture.bindingId('sms')}`, { body: other })
  t.equal(bare.status, 401)
  t.type(bare.json.message, 'string')
  t.same(recordsOf(fixture), before)
})

t.test('A call with any one byte changed is refused', async (t) => {
  const fixture = await openGatewayFixture(t)
  const body = Buffer.from(batch(text('1', ann, 'hello')))
  const signed = fixture.sign('sms', body)
  for (let offset = 0; offset < body.length; offset++) {
    const changed = Buffer.from(body)
    changed[offset]! ^= 1
    t.equal((await fixture.ingress('sms', changed, signed)).status, 401)
  }
  t.same(recordsOf(fixture), [0, 0, 0])
  t.equal((await fixture.ingress('sms', body, signed)).status, 200)
})

t.test('An unreadable item does not affect the others of its call', async (t) => {
  const fixture = await openGatewayFixture(t)
  const bad = [
    null,
    7,
    [],
    {},
    { id: 'x', from: ann },
    { id: 'x', text: 'nobody' },
    { from: ann, text: 'no id' },
    { id: 7, from: ann, text: 'a number' },
    { id: 'x', from: ann, receipt: { messageId: 'm', state: 'exploded' } },
    { id: 'x', from: ann, postback: 'not one of ours' },
    { id: 'x'.repeat(300), from: ann, text: 'long id' },
  ]
  const mixed = bad.flatMap((each, n) => [text(`good ${n}`, n % 2 ? ann : ben, `word ${n}`), each])
  const answer = await fixture.ingress('sms', batch(...mixed))
  t.equal(answer.status, 422, 'the provider keeps unread items')
  t.equal((await fixture.ingress('sms', batch(...mixed))).status, 422, 'and the others are known when it calls again')
  await fixture.waitForWebhook()
  const words = (rest: number) => bad.flatMap((_, n) => (n % 2 === rest ? [`word ${n}`] : []))
  t.same(fixture.eventTexts(fixture.asid(ann)), ['conversationStarted', ...words(1)])
  t.same(fixture.eventTexts(fixture.asid(ben)), ['conversationStarted', ...words(0)])
})

t.test('A call with only unreadable items is refused, and an empty call is accepted', async (t) => {
  const fixture = await openGatewayFixture(t)
  for (const body of ['', 'not json', '[]', '{}', '{"items":7}', Buffer.from([0xff, 0xfe])]) {
    const answer = await fixture.ingress('sms', body)
    t.equal(answer.status, 422)
    t.type(answer.json.message, 'string')
  }
  t.equal((await fixture.ingress('sms', batch())).status, 200)
  t.same(recordsOf(fixture), [0, 0, 0])
})

t.test('A repeated item is processed once: in one call, in two, and in two concurrent ones', async (t) => {
  const fixture = await openGatewayFixture(t)
  const once = text('same', ann, 'once')
  await fixture.ingress('sms', batch(once, once, text('other', ann, 'then'), once))
  await fixture.ingress('sms', batch(once))
  await Promise.all(Array.from({ length: 8 }, () => fixture.ingress('sms', batch(text('racing', ann, 'raced')))))
  await fixture.ingress('sms', batch(text('same', ben, 'of another')))
  await fixture.waitForWebhook()
  t.same(fixture.eventTexts(fixture.asid(ann)), ['conversationStarted', 'once', 'then', 'raced'])
  t.same(fixture.eventTexts(fixture.asid(ben)), ['conversationStarted', 'of another'])
  t.equal(fixture.rows(trafficTable).length, 4)
})

t.test('A person’s message is on record under the id of its provider', async (t) => {
  const fixture = await openGatewayFixture(t)
  await fixture.ingress(
    'sms',
    batch(text('first', ann, 'one'), text('second', ann, 'two'), text('third', ben, 'three')),
  )
  await fixture.waitForWebhook()
  const called = fixture.rows(trafficTable).map(({ value }) => `${value.channelMessageId}: ${value.text}`)
  t.same(called.sort(), ['first: one', 'second: two', 'third: three'])
})

t.test('An adapter that fails has read nothing, so the provider has to retry', async (t) => {
  const fixture = await openGatewayFixture(t)
  const adapter = fixture.adapters.find(({ descriptor }) => descriptor.channel === 'sms')!
  const { receive } = adapter
  Object.assign(adapter, {
    receive() {
      throw new Error('a bug of the adapter')
    },
  })
  const failed = await fixture.ingress('sms', batch(text('1', ann, 'hello')))
  t.equal(failed.status, 503)
  t.ok(Number(failed.headers['retry-after']) > 0)
  Object.assign(adapter, { receive })
  t.equal((await fixture.ingress('sms', batch(text('1', ann, 'hello')))).status, 200)
  await fixture.waitForWebhook()
  t.same(fixture.eventTexts(fixture.asid(ann)), ['conversationStarted', 'hello'])
})

t.test(
  'A call to a missing binding is 404; a binding that is switched off still records actions of people',
  async (t) => {
    const node = await openTestNode()
    t.teardown(() => node.close())
    const agent = await createAgents(node).newAgent('sms')
    const body = batch(text('1', ann, 'hello'))
    const status = async () => (await agent.ingress('sms', body)).status
    const headers = { [signatureHeader]: agent.signatureOf('sms', body) }
    const unknown = await node.gateway('POST', '/v4/ingress/cb_nobody', { body, headers })
    t.equal(unknown.status, 404)
    t.type(unknown.json.message, 'string')
    const at = `/channels/${agent.binding('sms')}`
    await agent.manage('POST', `${at}/_disable`)
    t.equal(await status(), 200)
    await agent.manage('DELETE', at)
    t.equal(await status(), 404)
  },
)

t.test('A body over the limit is 413, and one at the limit is read', async (t) => {
  const fixture = await openGatewayFixture(t)
  const bodyOfSize = (bytes: number) => {
    const shell = batch(text('1', ann, 'hello')).length
    return `${batch(text('1', ann, 'hello')).slice(0, -1)}${' '.repeat(bytes - shell)}}`
  }
  const over = await fixture.ingress('sms', bodyOfSize(ingress.bodyBytes + 1))
  t.equal(over.status, 413)
  t.type(over.json.message, 'string')
  t.same(recordsOf(fixture), [0, 0, 0])
  t.equal((await fixture.ingress('sms', bodyOfSize(ingress.bodyBytes))).status, 200)
  await fixture.waitForWebhook()
  t.same(fixture.eventTexts(fixture.asid(ann)), ['conversationStarted', 'hello'])
})

t.test('A provider may call below the URL of its binding, and an unreadable body is refused', async (t) => {
  const node = await openTestNode()
  t.teardown(() => node.close())
  const { newAgent } = createAgents(node)
  const agent = await newAgent()
  const secret = randomBytes(32).toString('base64')
  const auth = { businessId: 'biz-1', mspId: 'msp-1', secret }
  const made = await agent.manage('POST', '/channels', {
    channel: 'vendorMessages',
    mode: 'unmanaged',
    provider: 'apple',
    auth,
  })
  t.match(made, { status: 'Active' })
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ aud: 'msp-1', iat: Math.floor(node.clock.now() / 1_000) })}`
  const proof = createHmac('sha256', Buffer.from(secret, 'base64')).update(signed).digest('base64url')
  const headers = { authorization: `Bearer ${signed}.${proof}` }
  const path = `/v4/ingress/${made.id}/message`
  const message = { v: 1, id: 'a1', sourceId: 'urn:mbid:1', destinationId: 'biz-1', type: 'text', body: 'Hi' }
  const call = async (body: Uint8Array) => (await node.gateway('POST', path, { body, headers })).status
  t.equal(await call(gzipSync(JSON.stringify(message))), 200)
  t.equal(await call(Buffer.from('nothing that is JSON')), 422)
  t.equal(await call(gzipSync(Buffer.alloc(2 ** 21))), 422, 'more than it may unpack to')
  t.equal(await call(gzipSync(JSON.stringify(message)).subarray(0, 20)), 422, 'half of a body')
})

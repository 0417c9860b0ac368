/** What the gateway refuses: calls as a whole, and messages one by one, each with the reason of the contract. */

import t from 'tap'
import { rejectionReasons } from '../../../core/conversation/rejections.js'
import { amf, channelBinding, ingress, conversation as limits } from '../../../core/limits/index.js'
import { createAgents, type Result } from '../../harness/agents.js'
import { advanceUntilAnswered, createLeapingClock, waitUntil } from '../../harness/clock.js'
import { openTestNode, type Response } from '../../harness/node.js'
import { openGatewayFixture, textMessage } from './fixture.js'

const leaping = createLeapingClock()
const clock = { ...leaping, advance: async (ms: number) => leaping.advance(ms) }
const node = await openTestNode({ clock })
t.teardown(() => node.close())
const { newAgent } = createAgents(node)
const ann = '+15550101'
const hour = 3_600_000

/** Reasons that some test here has seen in an answer. */
const met = new Set<string | undefined>()

const refusedFor = (results: readonly Result[]) => {
  for (const { reason } of results) met.add(reason)
  return results.map(({ accepted, reason }) => reason ?? accepted)
}

/** An error of the gateway: its message in words, and nothing of problem details. */
const isGatewayError = ({ json, headers }: Response) =>
  typeof json.message === 'string' && !('type' in json) && /^application\/json/.test(headers['content-type'] ?? '')

/** A STOP is answered once nothing is with the provider any more. */
const stops = (agent: Awaited<ReturnType<typeof newAgent>>, address: string) =>
  advanceUntilAnswered(agent.receiveText('sms', address, 'STOP'), () => leaping.advance(ingress.stopPollMs))

t.test('A message to somebody who opted out is refused as optedOut, until they opt in again', async (t) => {
  const agent = await newAgent('sms', 'rcs')
  const userId = await agent.receiveText('sms', ann)
  const onRcs = await agent.receiveText('rcs', ann)
  await stops(agent, ann)
  t.same(refusedFor(await agent.send(userId, textMessage('one'), textMessage('two'))), ['optedOut', 'optedOut'])
  t.same(refusedFor(await agent.send(userId, { spec: 'amf/1', signal: 'typing' })), ['optedOut'])
  t.same(refusedFor(await agent.send(onRcs, textMessage('one'))), [true], 'the other channel has its own say')
  await agent.receiveText('sms', ann, 'START')
  t.same(refusedFor(await agent.send(userId, textMessage('three'))), [true])
})

t.test('Outside the messaging window a message is refused as windowClosed, or held if it says so', async (t) => {
  const agent = await newAgent('messengerA')
  const userId = await agent.receiveText('messengerA', ann)
  t.same(refusedFor(await agent.send(userId, textMessage('inside'))), [true])
  await clock.advance(24 * hour)
  const queued = textMessage('held', { delivery: { outsideWindow: 'queue' } })
  const explicit = textMessage('no', { delivery: { outsideWindow: 'reject' } })
  const elsewhere = textMessage('no', { delivery: { outsideWindow: 'nextChannel' } })
  t.same(refusedFor(await agent.send(userId, textMessage('no'), queued, explicit, elsewhere)), [
    'windowClosed',
    true,
    'windowClosed',
    'windowClosed',
  ])
  await agent.receiveText('messengerA', ann, 'back')
  t.same(refusedFor(await agent.send(userId, textMessage('inside again'))), [true])
})

t.test('Outside the messaging window a message goes on the next channel that it names, if it says so', async (t) => {
  const agent = await newAgent('messengerA', 'sms')
  const userId = await agent.receiveText('messengerA', ann)
  const elsewhere = (text: string, ...channels: string[]) =>
    textMessage(text, { delivery: { channels, outsideWindow: 'nextChannel' } })
  const last = async () => {
    const { json } = await node.mgmt('GET', '/v1/system/emulator/shown', { token: node.key })
    const addressed = json.data.filter(({ address }: { address: string }) => address === ann)
    return addressed.map((each: { bindingId: string; wire: { block?: { text?: string } } }) => [
      each.bindingId,
      each.wire.block?.text,
    ])
  }
  t.same(refusedFor(await agent.send(userId, elsewhere('inside', 'messengerA', 'sms'))), [true])
  await waitUntil(async () => (await last()).at(-1)?.[1] === 'inside')
  t.equal((await last()).at(-1)[0], agent.binding('messengerA'), 'inside the window it goes on its own channel')
  await clock.advance(24 * hour)
  t.same(refusedFor(await agent.send(userId, elsewhere('outside', 'messengerA', 'sms'))), [true])
  await waitUntil(async () => (await last()).at(-1)?.[1] === 'outside')
  t.equal((await last()).at(-1)[0], agent.binding('sms'))
  t.same(refusedFor(await agent.send(userId, elsewhere('no', 'messengerA'))), ['windowClosed'], 'there is no other')
  await stops(agent, ann)
  t.same(refusedFor(await agent.send(userId, elsewhere('never', 'messengerA', 'sms'))), [true])
  t.notOk(
    (await last()).some(([, text]: [string, string]) => text === 'never'),
    'a STOP there holds',
  )
})

t.test(
  'Media that is sent for itself and cannot be had is mediaUnreachable, and a picture beside words is not',
  async (t) => {
    const agent = await newAgent('rcs')
    const userId = await agent.receiveText('rcs', ann)
    const mediaUrl = 'https://127.0.0.1:1/gone.png'
    const media = { type: 'media', mediaUrl, kind: 'image' }
    const alone = [media, { type: 'native', channel: 'rcs', payload: {}, fallback: [media] }]
    const variants = [
      { type: 'card', card: { title: 'A room', mediaUrl } },
      { type: 'carousel', cards: [{ title: 'A room' }, { title: 'Another', mediaUrl }] },
      { type: 'showcase', intentId: 'a', items: [{ id: 'a', title: 'A', mediaUrl }] },
      { type: 'ask.choice', intentId: 'b', prompt: 'Which?', options: [{ id: 'a', label: 'A', mediaUrl }] },
    ]
    const sent = (parts: readonly object[]) =>
      agent.send(userId, ...parts.map((part) => ({ spec: 'amf/1', parts: [part] })))
    const results = await sent(alone)
    t.same(refusedFor(results), ['mediaUnreachable', 'mediaUnreachable'])
    for (const { detail } of results) t.notMatch(detail, /127\.0\.0\.1/, 'no address is named')
    t.ok((await sent(variants)).every(({ accepted }) => accepted))
  },
)

t.test('What is not AMF/1 is invalidMessage, and the detail names the path', async (t) => {
  const agent = await newAgent('sms')
  const userId = await agent.receiveText('sms', ann)
  const cases: [unknown, RegExp][] = [
    [null, /object/],
    ['hello', /object/],
    [{ spec: 'amf/1' }, /parts or a signal/],
    [{ parts: [{ type: 'text', text: 'x' }] }, /^spec: /],
    [textMessage('x', { spec: 'amf/2' }), /^spec: /],
    [textMessage('x', { colour: 'red' }), /^colour: /],
    [{ spec: 'amf/1', parts: [] }, /^parts: /],
    [
      {
        spec: 'amf/1',
        parts: [
          { type: 'text', text: 'x' },
          { type: 'text', text: 1 },
        ],
      },
      /^parts\[1\]\.text: /,
    ],
    [textMessage('x', { chips: [{ label: 'Go', kind: 'url' }] }), /^chips\[0\]/],
    [textMessage('x', { delivery: { channels: ['telegraph'] } }), /^delivery\.channels\[0\]: /],
    [textMessage('x', { delivery: { outsideWindow: 'whenever' } }), /^delivery\.outsideWindow: /],
  ]
  for (const [message, detail] of cases) {
    const results = await agent.send(userId, message)
    t.same(refusedFor(results), ['invalidMessage'], JSON.stringify(message))
    t.match(results[0]!.detail, detail)
  }
})

t.test('What is larger than a message may be is tooLarge, and so is one more for a line that is full', async (t) => {
  const agent = await newAgent('messengerA')
  const userId = await agent.receiveText('messengerA', ann)
  const large = {
    type: 'native',
    channel: 'rcs',
    payload: { x: 'x'.repeat(amf.nativeBytes) },
    fallback: textMessage('x').parts,
  }
  t.same(refusedFor(await agent.send(userId, { spec: 'amf/1', parts: [large] })), ['tooLarge'])
  await agent.manage('PATCH', `/channels/${agent.binding('messengerA')}`, {
    delivery: { loopGuard: { messages: 1_000 } },
  })
  await clock.advance(24 * hour)
  const queued = (n: number) => textMessage(`waits ${n}`, { delivery: { outsideWindow: 'queue' } })
  for (let count = 0; count < limits.queuedMessages; count += 10) {
    const ten = await agent.send(userId, ...Array.from({ length: 10 }, (_, n) => queued(count + n)))
    t.ok(ten.every(({ accepted }) => accepted))
  }
  const [over] = await agent.send(userId, queued(limits.queuedMessages))
  t.match(over, { reason: 'tooLarge', detail: /200/ })
})

t.test('A signal that there is not is invalidSignal', async (t) => {
  const agent = await newAgent('sms')
  const userId = await agent.receiveText('sms', ann)
  const signal = (name: unknown) => ({ spec: 'amf/1', signal: name })
  t.same(refusedFor(await agent.send(userId, signal('typing'), signal('wave'), signal('read'), signal(7))), [
    true,
    'invalidSignal',
    true,
    'invalidSignal',
  ])
})

t.test('Nobody, and the person of another agent, are unknownRecipient alike', async (t) => {
  const agent = await newAgent('sms')
  const other = await newAgent('sms')
  const theirs = await other.receiveText('sms', ann)
  const stranger = agent.userId('sms', '+15550999')
  for (const userId of [theirs, stranger, 'usr_nobody', ann, '../x']) {
    const results = await agent.send(userId, textMessage('one'), { not: 'a message' })
    t.same(refusedFor(results), ['unknownRecipient', 'unknownRecipient'])
    t.same(results[0], { messageId: '', accepted: false, reason: 'unknownRecipient' })
    t.equal((await agent.call('GET', `/capabilities?userId=${encodeURIComponent(userId)}`)).status, 404)
  }
  t.same(refusedFor(await other.send(theirs, textMessage('one'))), [true])
})

t.test('A channel that is switched off is bindingNotReady, one that is not bound is noBinding', async (t) => {
  const agent = await newAgent('sms')
  const userId = await agent.receiveText('sms', ann)
  const at = `/channels/${agent.binding('sms')}`
  t.same(refusedFor(await agent.send(userId, textMessage('x', { delivery: { channels: ['rcs'] } }))), ['noBinding'])
  await agent.manage('POST', `${at}/_disable`)
  t.same(refusedFor(await agent.send(userId, textMessage('x'))), ['bindingNotReady'])
  await agent.manage('POST', `${at}/_enable`)
  t.same(refusedFor(await agent.send(userId, textMessage('x'))), [true])
  await agent.manage('DELETE', at)
  t.same(refusedFor(await agent.send(userId, textMessage('x'))), ['noBinding'])
})

t.test('A provider that cannot show a part says so in the status: unsupportedPart', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await fixture.receiveText(ann, 'hello')
  fixture.setProvider(() => ({ kind: 'refused', reason: 'unsupportedPart', retry: 'never' }))
  await fixture.send(asid, [textMessage('x')])
  const states = () => fixture.eventTexts(asid).filter((each) => each.startsWith('failed'))
  while (states().length === 0) await fixture.waitForWebhook()
  t.same(states(), ['failed sms unsupportedPart'])
  met.add('unsupportedPart')
})

t.test('A message that a rule of the operator blocks is blockedByRule, and the detail names the rule', async (t) => {
  const agent = await newAgent('sms')
  const userId = await agent.receiveText('sms', ann)
  const check = { kind: 'pattern', patterns: ['forbidden'] }
  await agent.manage('PUT', '/rules', { rules: [{ id: 'no-such-word', text: 'Never say it', check }] })
  const results = await agent.send(userId, textMessage('This is FORBIDDEN'), textMessage('fine'))
  t.same(refusedFor(results), ['blockedByRule', true])
  t.match(results[0]!.detail, /no-such-word/)
})

t.test('A message that the rules cannot judge in time is blockedByRule, and the detail says so', async (t) => {
  const agent = await newAgent('sms')
  const userId = await agent.receiveText('sms', ann)
  // Whether a letter is an a or a b is hardly ever told by those before it.
  const text = Array.from({ length: 3_999 }, (_, at) => ((at * at * 7 + (at >> 3)) % 11 < 5 ? 'a' : 'b')).join('')
  const check = { kind: 'pattern', patterns: ['/[ab]*a[ab]{450}c/', '/[ab]*b[ab]{450}c/'] }
  await agent.manage('PUT', '/rules', { rules: [{ id: 'large', text: 'Never say it', check, replacement: 'Sorry.' }] })
  const long = { spec: 'amf/1', parts: Array.from({ length: 15 }, () => ({ type: 'text', text })) }
  const results = await agent.send(userId, long, textMessage('fine'))
  t.same(refusedFor(results), ['blockedByRule', true])
  t.match(results[0]!.detail, /The rule large takes too long/)
})

t.test('Rules look at every text of a payload that only one channel reads, and at its fallback', async (t) => {
  const agent = await newAgent('rcs')
  const userId = await agent.receiveText('rcs', ann)
  const check = { kind: 'pattern', patterns: ['forbidden'] }
  await agent.manage('PUT', '/rules', { rules: [{ id: 'no-such-word', text: 'Never say it', check }] })
  const native = (payload: object, fallback = 'fine') => ({
    spec: 'amf/1',
    parts: [{ type: 'native', channel: 'rcs', payload, fallback: [{ type: 'text', text: fallback }] }],
  })
  const card = (title: string) => ({ contentMessage: { richCard: { cards: [{ title, tags: ['a', 'b'] }] } } })
  t.same(
    refusedFor(
      await agent.send(
        userId,
        native(card('FORBIDDEN')),
        native(card('fine')),
        native(card('fine'), 'a forbidden word'),
      ),
    ),
    ['blockedByRule', true, 'blockedByRule'],
  )
})

t.test('One more message than a person may be sent without a word from them is loopDetected', async (t) => {
  const agent = await newAgent('sms')
  const userId = await agent.receiveText('sms', ann)
  const { messages, seconds } = channelBinding.loopGuard
  const one = async () => refusedFor(await agent.send(userId, textMessage('hi'))).at(0)
  for (let count = 0; count < messages; count++) t.equal(await one(), true)
  const many = await agent.send(userId, textMessage('hi'), { spec: 'amf/1', signal: 'typing' }, textMessage('again'))
  t.same(refusedFor(many), ['loopDetected', true, 'loopDetected'])
  await clock.advance(seconds * 1000)
  t.equal(await one(), true)
})

t.test('Messages of one call are judged one by one, and answered in their order', async (t) => {
  const agent = await newAgent('sms')
  const userId = await agent.receiveText('sms', ann)
  const list = [
    textMessage('a'),
    { spec: 'amf/1' },
    textMessage('b'),
    { spec: 'amf/1', signal: 'wave' },
    textMessage('c', { id: 'mine' }),
    7,
  ]
  const results = await agent.send(userId, ...list)
  t.same(refusedFor(results), [true, 'invalidMessage', true, 'invalidSignal', true, 'invalidMessage'])
  const ids = results.filter(({ accepted }) => accepted).map(({ messageId }) => messageId)
  t.equal(new Set(ids).size, 3)
  t.equal((await agent.send(userId, textMessage('c', { id: 'mine' })))[0]!.messageId, results[4]!.messageId)
})

t.test('Every reason of the contract has been met', (t) => {
  met.delete(undefined)
  t.same([...met].sort(), [...rejectionReasons].sort())
  t.end()
})

t.test('A call that is not one is refused as a whole, in the words of the gateway', async (t) => {
  const agent = await newAgent('sms')
  const userId = await agent.receiveText('sms', ann)
  const ten = Array.from({ length: amf.messagesPerCall }, (_, n) => textMessage(`${n}`))
  const cases: [unknown, number][] = [
    [{ userId, messages: [...ten, textMessage('one more')] }, 422],
    [{ userId, messages: [] }, 422],
    [{ userId }, 422],
    [{ messages: ten }, 422],
    [{ userId: 7, messages: ten }, 422],
    [{ userId, messages: ten, priority: 'high' }, 422],
    [{ userId, messages: ten, priority: '' }, 422],
    [{ userId, messages: ten, urgent: true }, 422],
    [{ userId, messages: [textMessage('x'.repeat(amf.callBytes))] }, 413],
  ]
  for (const [body, status] of cases) {
    const refused = await agent.call('POST', '/messages', body)
    t.equal(refused.status, status, JSON.stringify(body).slice(-80))
    t.ok(isGatewayError(refused), refused.text)
  }
  t.equal((await agent.call('POST', '/messages', { userId, messages: ten })).status, 200, 'ten are fine')
})

t.test(
  'A call of which nothing is accepted is 422 with its results, and one of which something is accepted is 200',
  async (t) => {
    const agent = await newAgent('sms')
    const userId = await agent.receiveText('sms', ann)
    const call = (...messages: unknown[]) => agent.call('POST', '/messages', { userId, messages })
    const bad = { spec: 'amf/1', parts: [] }
    const refused = await call(bad, { spec: 'amf/1', signal: 'dance' })
    t.equal(refused.status, 422)
    t.ok(isGatewayError(refused))
    t.same(Object.keys(refused.json), ['message', 'results'])
    t.match(refused.json, {
      message: /^No message was accepted: /,
      results: [
        { accepted: false, messageId: '', reason: 'invalidMessage' },
        { accepted: false, messageId: '', reason: 'invalidSignal' },
      ],
    })
    const partly = await call(bad, textMessage('good'))
    t.equal(partly.status, 200)
    t.match(partly.json, { results: [{ accepted: false }, { accepted: true }] })
    const stranger = await agent.call('POST', '/messages', { userId: 'usr_nobody', messages: [textMessage('x')] })
    t.equal(stranger.status, 422)
    t.match(stranger.json, { message: /unknownRecipient/, results: [{ reason: 'unknownRecipient' }] })
    await stops(agent, ann)
    const stopped = await call(textMessage('x'))
    t.equal(stopped.status, 422)
    t.match(stopped.json, { results: [{ reason: 'optedOut' }] })
  },
)

t.test('Half of a character fails its own message, and nothing else of the call', async (t) => {
  const agent = await newAgent('sms')
  const userId = await agent.receiveText('sms', ann)
  const half = { ...textMessage('x'), parts: [{ type: 'text', text: 'half \ud83d' }] }
  const inName = { ...textMessage('x'), 'half \ud83d': 1 }
  const inPayload = {
    spec: 'amf/1',
    parts: [{ type: 'native', channel: 'rcs', payload: { a: ['\udc00'] }, fallback: [{ type: 'text', text: 'x' }] }],
  }
  const inId = { ...textMessage('x'), id: '\ud83d' }
  const { status, json } = await agent.call('POST', '/messages', {
    userId,
    messages: [half, textMessage('whole 👍'), inName, inPayload, inId],
  })
  t.equal(status, 200)
  t.same(
    json.results.map(({ accepted, reason }: Result) => reason ?? accepted),
    ['invalidMessage', true, 'invalidMessage', 'invalidMessage', 'invalidMessage'],
  )
  t.match(json.results[0].detail, /^parts\[0\]\.text: /)
  const stranger = await agent.call('POST', '/messages', { userId: `usr_\ud83d`, messages: [textMessage('x')] })
  t.equal(stranger.status, 422)
})

t.test('A part of a kind that does not exist is refused as unsupportedPart', async (t) => {
  const agent = await newAgent('sms')
  const userId = await agent.receiveText('sms', ann)
  const poll = {
    spec: 'amf/1',
    parts: [
      { type: 'text', text: 'x' },
      { type: 'ask.poll', intentId: 'p' },
    ],
  }
  const [result] = await agent.send(userId, poll)
  t.match(result, { accepted: false, reason: 'unsupportedPart', detail: /^parts\[1\]\.type: / })
})

t.test('An empty list of chips or details is the same as none', async (t) => {
  const agent = await newAgent('sms')
  const userId = await agent.receiveText('sms', ann)
  const parts = [
    { type: 'card', card: { title: 'x', chips: [] } },
    { type: 'confirm', intentId: 'sure', prompt: 'Sure?', details: [] },
  ]
  t.same(refusedFor(await agent.send(userId, textMessage('x', { chips: [] }), { spec: 'amf/1', parts, chips: [] })), [
    true,
    true,
  ])
})

t.test('A missing or unknown token is 401, and a token in the query comes before the header', async (t) => {
  const agent = await newAgent('sms')
  const other = await newAgent('sms')
  const userId = await agent.receiveText('sms', ann)
  const json = { userId, messages: [textMessage('x')] }
  const request = (query: string, authorization?: string) =>
    node.gateway('POST', `/v4/messages${query}`, { json, headers: authorization ? { authorization } : {} })
  for (const refused of [
    await request(''),
    await request('', 'bearer at-svc-wrong'),
    await request('', `bearer ${node.key}`),
    await request('', `basic ${agent.token}`),
    await request('?access_token=at-svc-wrong', `bearer ${agent.token}`),
  ]) {
    t.equal(refused.status, 401)
    t.ok(isGatewayError(refused))
  }
  const accepted = ({ json }: Response) => json.results[0].accepted
  t.ok(accepted(await request('', `bearer ${agent.token}`)))
  t.ok(accepted(await request('', `Bearer ${agent.token}`)))
  t.ok(accepted(await request(`?access_token=${agent.token}`)))
  t.ok(accepted(await request(`?access_token=${agent.token}`, `bearer ${other.token}`)))
  t.notOk(accepted(await request(`?access_token=${other.token}`, `bearer ${agent.token}`)), 'it speaks for the other')
})

t.test('Compile answers with the message, its warnings, and what each channel would show', async (t) => {
  const agent = await newAgent('sms')
  const compile = (json: unknown) => agent.call('POST', '/compile', json)
  const aml = 'Pick one.\n[[chips: Red | Blue]]'
  const done = await compile({ aml })
  t.equal(done.status, 200)
  t.match(done.json, { problems: [], warnings: [], message: { spec: 'amf/1', chips: [{ label: 'Red' }, {}] } })
  t.match(done.json.renderings.sms, { encoding: 'gsm7', segments: 1 })
  t.match(done.json.renderings.sms.text, /^Pick one\.\n+1\. Red\n2\. Blue\nReply with a number to choose\.$/)
  for (const [channel, seen] of Object.entries<{ loss: unknown }>(done.json.renderings)) t.same(seen.loss, [], channel)
  const sent = await agent.send(await agent.receiveText('sms', ann), done.json.message)
  t.ok(sent[0]!.accepted, 'and it can be sent as it is')
  const checked = await compile({ aml, validateOnly: true })
  t.equal(checked.status, 200)
  t.same(checked.json, { problems: [], warnings: [] })
  t.match((await compile({ aml: '[[signal: typing]]' })).json, { message: { signal: 'typing' } })
})

t.test('Compile is 400 without a text, and 422 with problems and no message', async (t) => {
  const agent = await newAgent('sms')
  const compile = (json: unknown) => agent.call('POST', '/compile', json)
  for (const body of [{}, { aml: 7 }, { aml: null }, { validateOnly: true }, [], { aml: 'x', more: 1 }]) {
    const refused = await compile(body)
    t.equal(refused.status, 400, JSON.stringify(body))
    t.ok(isGatewayError(refused))
  }
  for (const validateOnly of [false, true]) {
    const refused = await compile({ aml: 'Hi\n[[ask.choice #a | Which?\nr = Red\nr = Rot\n]]', validateOnly })
    t.equal(refused.status, 422)
    t.ok(isGatewayError(refused))
    t.match(refused.json.problems, [{ line: 4, column: Number, code: String, message: String }])
    t.ok(Array.isArray(refused.json.warnings))
    t.notOk('renderings' in refused.json)
  }
  t.equal((await node.gateway('POST', '/v4/compile', { json: { aml: 'x' } })).status, 401)
})

t.test('Capabilities are 400 without a user and 404 for one never seen', async (t) => {
  const agent = await newAgent('sms', 'rcs')
  const request = (query: string) => agent.call('GET', `/capabilities${query}`)
  for (const query of ['', '?userId=']) {
    const refused = await request(query)
    t.equal(refused.status, 400, query)
    t.ok(isGatewayError(refused))
  }
  const unknown = await request(`?userId=${agent.userId('sms', ann)}`)
  t.equal(unknown.status, 404)
  t.ok(isGatewayError(unknown))
  for (const channel of ['sms', 'rcs'] as const) {
    const { status, json } = await request(`?userId=${await agent.receiveText(channel, ann)}`)
    t.equal(status, 200)
    t.match(json, { channel, provider: 'emulator', parts: { text: String, 'ask.choice': String } })
  }
})

/**
 * Events before an agent's webhook: one at a time for each person, tried again, signed as they leave, set aside in the
 * end.
 */
import t from 'tap'
import { agentWebhook } from '../../../core/limits/index.js'
import { attemptTable, conversationTable, messageTable } from '../../../runtime/conversation/tables.js'
import type { Shards } from '../../../runtime/shard/contract.js'
import { waitUntil } from '../../harness/clock.js'
import { answer, type Behavior, isSignedWith } from '../../harness/receiver.js'
import { type GatewayFixture, openGatewayFixture, textMessage } from '../conversation/fixture.js'

const ann = '+15550101'
const ben = '+15550102'

const replies =
  (type: string, ...chunks: string[]): Behavior =>
  (response) => {
    response.writeHead(200, { 'content-type': type })
    for (const chunk of chunks) response.write(chunk)
    response.end()
  }
const line = (text: string) => `${JSON.stringify({ message: textMessage(text) })}\n`

/** Behaves that way for the event with this text, and takes every other. */
const forText =
  (fixture: GatewayFixture, text: string, behave: Behavior): Behavior =>
  (response, nth) => {
    const { event } = fixture.envelopes()[nth - 1]!.event
    if (event.type === 'message' && event.message.text === text) behave(response, nth)
    else response.writeHead(204).end()
  }

/** How often the event with that text was sent so far. */
const triesOf = (fixture: GatewayFixture, text: string) =>
  fixture.envelopes().filter(({ event: { event } }) => event.type === 'message' && event.message.text === text)

const texts = ({ providerRequests: handed }: GatewayFixture) => handed.map(({ text }) => text)

t.test('Each request carries one event, and the events of a person come in order', async (t) => {
  const fixture = await openGatewayFixture(t)
  const words = Array.from({ length: 12 }, (_, n) => `word ${n}`)
  const people = [ann, ben]
  for (const word of words) await Promise.all(people.map((who) => fixture.receiveText(who, word)))
  await fixture.waitForWebhook()
  for (const who of people) t.same(fixture.eventTexts(fixture.asid(who)), ['conversationStarted', ...words])
  const ids = fixture.envelopes().map(({ event }) => event.eventId)
  t.equal(new Set(ids).size, ids.length, 'each once')
})

t.test('An event is retried 1, 5, 25 and 125 seconds after a failure, and then is a dead letter', async (t) => {
  for (const [name, behave] of [
    ['429', answer(429)],
    ['500', answer(500)],
    ['503', answer(503)],
    ['no answer', (response) => void response.socket?.destroy()],
  ] as [string, Behavior][]) {
    const fixture = await openGatewayFixture(t)
    fixture.setWebhookBehavior(forText(fixture, 'hello', behave))
    const asid = await fixture.receiveText(ann, 'hello')
    await fixture.receiveText(ann, 'and more')
    for (const [before, waitMs] of agentWebhook.retryAfterMs.entries()) {
      await waitUntil(() => triesOf(fixture, 'hello').length === before + 1)
      await waitUntil(() => fixture.rows(conversationTable).length > 0 && triedSoFar(fixture) === before + 1)
      fixture.clock.advance(waitMs - 1)
      await new Promise((resolve) => setTimeout(resolve, 20))
      t.equal(triesOf(fixture, 'hello').length, before + 1, `${name}: not before ${waitMs} ms`)
      fixture.clock.advance(1)
    }
    await fixture.waitForWebhook()
    const tries = triesOf(fixture, 'hello')
    t.equal(tries.length, 5)
    t.equal(new Set(tries.map(({ event }) => event.eventId)).size, 1, 'one id for all tries')
    t.same(new Set(tries.map(({ event }) => event.timestamp)).size, 1)
    const [deadLetter, ...others] = fixture.deadLetters()
    t.equal(deadLetter!.event.eventId, tries[0]!.event.eventId)
    t.same(others, [])
    t.same(fixture.eventTexts(asid).at(-1), 'and more', 'the following events are sent')
  }
})

function triedSoFar(fixture: GatewayFixture): number {
  return Math.max(0, ...fixture.waitingEvents().map(({ attempts: tried = 0 }) => tried))
}

t.test('Every attempt is signed when it is sent, with the secret of that moment', async (t) => {
  const fixture = await openGatewayFixture(t)
  const firstSecret = await fixture.rotateSecret()
  fixture.setWebhookBehavior(forText(fixture, 'hello', answer(500)))
  await fixture.receiveText(ann, 'hello')
  await waitUntil(() => triedSoFar(fixture) === 1)
  const secondSecret = await fixture.rotateSecret()
  fixture.clock.advance(1_000)
  await waitUntil(() => triedSoFar(fixture) === 2)
  const [, first, second] = fixture.requests()
  t.ok(isSignedWith(firstSecret, first!))
  t.notOk(isSignedWith(firstSecret, second!))
  t.ok(isSignedWith(secondSecret, second!))
  const stamps = [first, second].map((each) => Number(each!.headers['x-svc-request-timestamp']))
  t.equal(stamps[1]! - stamps[0]!, 1)
})

t.test('A 4xx response makes the event a dead letter at once, and the next one is sent', async (t) => {
  for (const status of [400, 401, 404, 410, 422]) {
    const fixture = await openGatewayFixture(t)
    fixture.setWebhookBehavior(forText(fixture, 'hello', answer(status)))
    const asid = await fixture.receiveText(ann, 'hello')
    await fixture.receiveText(ann, 'next')
    await fixture.waitForWebhook()
    t.same(fixture.eventTexts(asid), ['conversationStarted', 'hello', 'next'])
    t.match(fixture.deadLetters(), [{ asid, why: new RegExp(String(status)) }])
  }
})

t.test('A webhook that hangs for one person does not delay the events of others', async (t) => {
  const fixture = await openGatewayFixture(t)
  const waiting: (() => void)[] = []
  fixture.setWebhookBehavior(
    forText(fixture, 'slow', (response) => void waiting.push(() => response.writeHead(204).end())),
  )
  await fixture.receiveText(ann, 'slow')
  await waitUntil(() => waiting.length === 1)
  await fixture.receiveText(ann, 'after')
  const others = Array.from({ length: 30 }, (_, n) => `+155502${10 + n}`)
  await Promise.all(others.map((who) => fixture.receiveText(who, 'quick')))
  await waitUntil(() => triesOf(fixture, 'quick').length === others.length)
  t.same(fixture.eventTexts(fixture.asid(ann)), ['conversationStarted', 'slow'], 'and their own wait')
  waiting[0]!()
  await fixture.waitForWebhook()
  t.same(fixture.eventTexts(fixture.asid(ann)), ['conversationStarted', 'slow', 'after'])
})

t.test('A webhook that hangs for any number of people does not delay the events of others', async (t) => {
  const fixture = await openGatewayFixture(t)
  const slow = Array.from({ length: 300 }, (_, n) => `+15551${1000 + n}`)
  const slowIds = new Set(slow.map((who) => fixture.asid(who)))
  fixture.setWebhookBehavior((response, nth) => {
    if (!slowIds.has(fixture.envelopes()[nth - 1]!.userId)) response.writeHead(204).end()
  })
  await Promise.all(slow.map((who) => fixture.receiveText(who, 'slow')))
  await waitUntil(() => fixture.requests().length === slow.length)
  const others = Array.from({ length: 20 }, (_, n) => `+155502${10 + n}`)
  await Promise.all(others.map((who) => fixture.receiveText(who, 'quick')))
  await waitUntil(() => triesOf(fixture, 'quick').length === others.length)
  t.same(triesOf(fixture, 'slow'), [], 'while people with a hanging call wait')
})

t.test('A webhook that does not respond in time is retried', async (t) => {
  const fixture = await openGatewayFixture(t, { limits: { ...agentWebhook, totalMs: 100 } })
  fixture.setWebhookBehavior((response, nth) => void (nth === 1 || response.writeHead(204).end()))
  await fixture.receiveText(ann, 'hello')
  await waitUntil(() => triedSoFar(fixture) === 1)
  fixture.clock.advance(1_000)
  await fixture.waitForWebhook()
  t.same(fixture.eventTexts(fixture.asid(ann)), ['conversationStarted', 'conversationStarted', 'hello'])
  t.same(fixture.deadLetters(), [])
})

t.test('The connection of a webhook that refuses and then streams without end is cut', async (t) => {
  const fixture = await openGatewayFixture(t)
  const open = new Set<unknown>()
  fixture.setWebhookBehavior((response) => {
    const drip = setInterval(() => response.write('.'), 20)
    open.add(response)
    response.on('close', () => {
      clearInterval(drip)
      open.delete(response)
    })
    response.writeHead(400)
  })
  await fixture.receiveText(ann, 'hello')
  await waitUntil(() => fixture.deadLetters().length > 0)
  await waitUntil(() => open.size === 0)
  t.pass('nobody listens any more')
})

t.test('Valid lines of a reply are sent in order, whatever is between them', async (t) => {
  const fixture = await openGatewayFixture(t)
  const bad = ['not json\n', '{"message":{"spec":"amf/1"}}\n', '{"other":1}\n', '\n']
  const broken = `${line('three').slice(0, 30)}`
  const chunks = [line('one'), ...bad, line('two'), broken, line('three').slice(30), line('four').trimEnd()]
  fixture.setWebhookBehavior(forText(fixture, 'go', replies('application/x-ndjson; charset=utf-8', ...chunks)))
  const asid = await fixture.receiveText(ann, 'go')
  await waitUntil(() => fixture.providerRequests.length === 4 && fixture.waitingCount() === 0)
  t.same(texts(fixture), ['one', 'two', 'three', 'four'])
  t.match(fixture.deadLetters(), [{ asid, why: /not JSON.*parts.*no `message`/ }])
  t.equal(fixture.deadLetters().length, 1)
})

t.test('An unreadable reply is a dead letter with its reason, and nothing of it is sent', async (t) => {
  const large = 'x'.repeat(agentWebhook.replyBytes)
  const eleven = JSON.stringify({ messages: Array.from({ length: 11 }, () => textMessage('no')) })
  for (const [type, body, why] of [
    ['text/html', '<p>no</p>', /text\/html/],
    ['', 'no', /of no type/],
    ['application/json', '{"messages":', /not JSON/],
    ['application/json', '{"message":{}}', /messages/],
    ['application/json', eleven, /at most 10/],
    ['application/json', JSON.stringify({ messages: [textMessage(large)] }), /larger/],
    ['application/x-ndjson', `${large}${large}`, /larger/],
    ['text/svc-aml', `${large}${large}`, /larger/],
    ['text/svc-aml', 'Hi\n[[ask.choice #a | Which?\n]]', /line 2/],
    ['text/svc-aml', '[[chips: Yes', /line 1, column 1/],
  ] as const) {
    const fixture = await openGatewayFixture(t)
    const headers = type === '' ? {} : { 'content-type': type }
    fixture.setWebhookBehavior(forText(fixture, 'go', (response) => void response.writeHead(200, headers).end(body)))
    await fixture.receiveText(ann, 'go')
    await fixture.receiveText(ann, 'next')
    await fixture.waitForWebhook()
    t.same(texts(fixture), [], `${type} ${body.slice(0, 20)}`)
    t.match(fixture.deadLetters(), [{ why }])
    t.equal(triesOf(fixture, 'next').length, 1, 'the next event goes out')
  }
})

t.test('A dead letter lists the first problems of a reply', async (t) => {
  const fixture = await openGatewayFixture(t)
  const type = { 'content-type': 'application/x-ndjson' }
  const behave: Behavior = (response) => void response.writeHead(200, type).end('{}\n'.repeat(5_000))
  fixture.setWebhookBehavior(forText(fixture, 'go', behave))
  await fixture.receiveText(ann, 'go')
  await fixture.waitForWebhook()
  const [deadLetter] = fixture.deadLetters()
  t.equal(deadLetter!.why.split('no `message`').length - 1, agentWebhook.notesPerReply)
})

t.test('An empty response of any type accepts the event', async (t) => {
  const fixture = await openGatewayFixture(t)
  for (const behave of [replies('text/html'), replies('application/json', '{}'), replies('text/svc-aml', ' ')]) {
    fixture.setWebhookBehavior(behave)
    await fixture.receiveText(ann, 'hello')
    await fixture.waitForWebhook()
  }
  t.same(fixture.deadLetters(), [])
  t.same(fixture.providerRequests, [])
})

t.test('A valid message beside an invalid one in a reply is sent', async (t) => {
  const fixture = await openGatewayFixture(t)
  const body = JSON.stringify({
    messages: [textMessage('one'), textMessage('two', { colour: 'red' }), textMessage('three')],
  })
  fixture.setWebhookBehavior(forText(fixture, 'go', replies('application/json', body)))
  await fixture.receiveText(ann, 'go')
  await waitUntil(() => fixture.providerRequests.length === 2 && fixture.waitingCount() === 0)
  t.same(texts(fixture), ['one', 'three'])
  t.match(fixture.deadLetters(), [{ why: /messages\[1\]\.colour/ }])
})

t.test('An event that is repeated after a crash does not send its replies twice', async (t) => {
  let crashes = 2
  const between = (shards: Shards): Shards => ({
    ...shards,
    async execute(owner, command, input, options) {
      const isOutcome = command.name === 'conversation.webhookOutcome' || command.name === 'conversation.reply'
      if (isOutcome && crashes-- > 0) throw new Error('the process is gone')
      return shards.execute(owner, command, input, options)
    },
  })
  const fixture = await openGatewayFixture(t, { wrapShards: between })
  fixture.setWebhookBehavior(
    forText(
      fixture,
      'go',
      replies('application/json', JSON.stringify({ messages: [textMessage('a'), textMessage('b')] })),
    ),
  )
  crashes = 0
  await fixture.receiveText(ann, 'warm up')
  await fixture.waitForWebhook()
  crashes = 2
  await fixture.receiveText(ann, 'go')
  for (let tries = 1; tries <= 2; tries++) {
    await waitUntil(() => triesOf(fixture, 'go').length === tries && crashes === 2 - tries)
    fixture.clock.advance(60_000)
  }
  await fixture.waitForWebhook()
  t.equal(triesOf(fixture, 'go').length, 3)
  t.same(texts(fixture), ['a', 'b'])
  t.equal(fixture.rows(messageTable).length, 2)
})

t.test('A reply that breaks off is retried, and messages before the break are not sent twice', async (t) => {
  const fixture = await openGatewayFixture(t)
  let isFirst = true
  fixture.setWebhookBehavior(
    forText(fixture, 'go', (response, nth) => {
      if (!isFirst) return replies('application/x-ndjson', line('one'), line('two'), line('three'))(response, nth)
      isFirst = false
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write(line('one'))
      void waitUntil(() => fixture.providerRequests.length === 1).then(() => response.socket?.destroy())
    }),
  )
  await fixture.receiveText(ann, 'go')
  await waitUntil(() => triedSoFar(fixture) === 1)
  fixture.clock.advance(1_000)
  await waitUntil(() => fixture.waitingCount() === 0 && fixture.providerRequests.length >= 3)
  t.same(texts(fixture), ['one', 'two', 'three'])
  t.same(fixture.deadLetters(), [])
})

t.test('A reply that differs at the next attempt is sent as it is, and no part of it is dropped', async (t) => {
  const fixture = await openGatewayFixture(t)
  const own = (text: string, id: string) => `${JSON.stringify({ message: textMessage(text, { id }) })}\n`
  let isFirst = true
  fixture.setWebhookBehavior(
    forText(fixture, 'go', (response, nth) => {
      const retriedLines = [line('same'), own('second try', 'own-2'), own('kept', 'own-1'), line('same')]
      if (!isFirst) return replies('application/x-ndjson', ...retriedLines)(response, nth)
      isFirst = false
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write(line('same') + own('kept', 'own-1'))
      void waitUntil(() => fixture.providerRequests.length === 2).then(() => response.socket?.destroy())
    }),
  )
  await fixture.receiveText(ann, 'go')
  await waitUntil(() => triedSoFar(fixture) === 1)
  fixture.clock.advance(1_000)
  await waitUntil(() => fixture.waitingCount() === 0 && fixture.providerRequests.length >= 4)
  t.same(texts(fixture), ['same', 'kept', 'second try', 'same'])
})

t.test('An agent without a webhook is managed: its events end without a request', async (t) => {
  const fixture = await openGatewayFixture(t, { hasWebhook: false })
  await fixture.receiveText(ann, 'hello')
  await fixture.receiveText(ann, 'again')
  await fixture.waitForWebhook()
  t.same(fixture.requests(), [])
  t.same(fixture.deadLetters(), [])
  const [row] = fixture.rows(conversationTable)
  t.equal(row!.value.firstEvent, row!.value.nextEvent)
})

t.test('A webhook’s Retry-After is respected, within bounds', async (t) => {
  for (const [header, waitMs] of [
    ['30', 30_000],
    ['999999', agentWebhook.retryAfterMaxMs],
    ['0', agentWebhook.retryAfterMs[0]],
    ['soon', agentWebhook.retryAfterMs[0]],
  ] as const) {
    const fixture = await openGatewayFixture(t)
    fixture.setWebhookBehavior(
      (response, nth) => void response.writeHead(nth === 1 ? 429 : 204, { 'retry-after': header }).end(),
    )
    await fixture.receiveText(ann, 'hello')
    await waitUntil(() => fixture.rows(attemptTable).length === 1)
    const { value, key } = fixture.rows(attemptTable)[0]!
    t.match(value, { status: 429, outcome: 'retried', nextAt: key[2] + waitMs }, header)
    fixture.clock.advance(waitMs - 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    t.equal(fixture.requests().length, 1)
    fixture.clock.advance(1)
    await fixture.waitForWebhook()
  }
})

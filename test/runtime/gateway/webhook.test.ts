/** Events before an agent's webhook: one at a time for each person, tried again, signed as they leave, set aside in the end. */
import t from 'tap'
import { agentWebhook } from '../../../core/limits.js'
import { attemptTable, conversationTable, outgoingTable } from '../../../runtime/conversation/tables.js'
import type { Shards } from '../../../runtime/shard/contract.js'
import { until } from '../../harness/clock.js'
import { answer, type Behave, isSignedWith } from '../../harness/receiver.js'
import { type House, openHouse, said } from './house.js'

const ann = '+15550101'
const ben = '+15550102'

const replies =
  (type: string, ...chunks: string[]): Behave =>
  (response) => {
    response.writeHead(200, { 'content-type': type })
    for (const chunk of chunks) response.write(chunk)
    response.end()
  }
const line = (text: string) => `${JSON.stringify({ message: said(text) })}\n`

/** Behaves that way for the event with this text, and takes every other. */
const forText =
  (house: House, text: string, behave: Behave): Behave =>
  (response, nth) => {
    const { event } = house.envelopes()[nth - 1]!.event
    if (event.type === 'message' && event.message.text === text) behave(response, nth)
    else response.writeHead(204).end()
  }

/** How often the event with that text was sent so far. */
const triesOf = (house: House, text: string) =>
  house.envelopes().filter(({ event: { event } }) => event.type === 'message' && event.message.text === text)

const texts = ({ handed }: House) => handed.map(({ text }) => text)

t.test('Each request tells one event, and the events of a person come in their order', async (t) => {
  const house = await openHouse(t)
  const words = Array.from({ length: 12 }, (_, n) => `word ${n}`)
  const people = [ann, ben]
  for (const word of words) await Promise.all(people.map((who) => house.says(who, word)))
  await house.quiet()
  for (const who of people) t.same(house.told(house.asid(who)), ['conversationStarted', ...words])
  const ids = house.envelopes().map(({ event }) => event.eventId)
  t.equal(new Set(ids).size, ids.length, 'each once')
})

t.test('An event is tried again 1, 5, 25 and 125 seconds after a failure, and then is a dead letter', async (t) => {
  for (const [name, behave] of [
    ['429', answer(429)],
    ['500', answer(500)],
    ['503', answer(503)],
    ['no answer', (response) => void response.socket?.destroy()],
  ] as [string, Behave][]) {
    const house = await openHouse(t)
    house.behaves(forText(house, 'hello', behave))
    const asid = await house.says(ann, 'hello')
    await house.says(ann, 'and more')
    for (const [before, waitMs] of agentWebhook.retryAfterMs.entries()) {
      await until(() => triesOf(house, 'hello').length === before + 1)
      await until(() => house.rows(conversationTable).length > 0 && triedSoFar(house) === before + 1)
      house.clock.advance(waitMs - 1)
      await new Promise((resolve) => setTimeout(resolve, 20))
      t.equal(triesOf(house, 'hello').length, before + 1, `${name}: not before ${waitMs} ms`)
      house.clock.advance(1)
    }
    await house.quiet()
    const tries = triesOf(house, 'hello')
    t.equal(tries.length, 5)
    t.equal(new Set(tries.map(({ event }) => event.eventId)).size, 1, 'one id for all tries')
    t.same(new Set(tries.map(({ event }) => event.timestamp)).size, 1)
    const [letter, ...others] = house.deadLetters()
    t.equal(letter!.event.eventId, tries[0]!.event.eventId)
    t.same(others, [])
    t.same(house.told(asid).at(-1), 'and more', 'what came after it goes on')
  }
})

function triedSoFar(house: House): number {
  return Math.max(0, ...house.waitingEvents().map(({ tried = 0 }) => tried))
}

t.test('Every try is signed as it leaves, with the secret of that moment', async (t) => {
  const house = await openHouse(t)
  house.behaves(forText(house, 'hello', answer(500)))
  await house.says(ann, 'hello')
  await until(() => triedSoFar(house) === 1)
  await house.rotateSecret('ws-svc-second')
  house.clock.advance(1_000)
  await until(() => triedSoFar(house) === 2)
  const [, first, second] = house.requests()
  t.ok(isSignedWith('ws-svc-first', first!))
  t.notOk(isSignedWith('ws-svc-first', second!))
  t.ok(isSignedWith('ws-svc-second', second!))
  const stamps = [first, second].map((each) => Number(each!.headers['x-svc-request-timestamp']))
  t.equal(stamps[1]! - stamps[0]!, 1)
})

t.test('An answer of 4xx sets the event aside at once, and the next one goes out', async (t) => {
  for (const status of [400, 401, 404, 410, 422]) {
    const house = await openHouse(t)
    house.behaves(forText(house, 'hello', answer(status)))
    const asid = await house.says(ann, 'hello')
    await house.says(ann, 'next')
    await house.quiet()
    t.same(house.told(asid), ['conversationStarted', 'hello', 'next'])
    t.match(house.deadLetters(), [{ asid, why: new RegExp(String(status)) }])
  }
})

t.test('A webhook that hangs for one person does not hold the events of others', async (t) => {
  const house = await openHouse(t)
  const held: (() => void)[] = []
  house.behaves(forText(house, 'slow', (response) => void held.push(() => response.writeHead(204).end())))
  await house.says(ann, 'slow')
  await until(() => held.length === 1)
  await house.says(ann, 'after')
  const others = Array.from({ length: 30 }, (_, n) => `+155502${10 + n}`)
  await Promise.all(others.map((who) => house.says(who, 'quick')))
  await until(() => triesOf(house, 'quick').length === others.length)
  t.same(house.told(house.asid(ann)), ['conversationStarted', 'slow'], 'and their own wait')
  held[0]!()
  await house.quiet()
  t.same(house.told(house.asid(ann)), ['conversationStarted', 'slow', 'after'])
})

t.test('However many persons a webhook hangs for, the events of others go out', async (t) => {
  const house = await openHouse(t)
  const slow = Array.from({ length: 300 }, (_, n) => `+15551${1000 + n}`)
  const slowIds = new Set(slow.map((who) => house.asid(who)))
  house.behaves((response, nth) => {
    if (!slowIds.has(house.envelopes()[nth - 1]!.userId)) response.writeHead(204).end()
  })
  await Promise.all(slow.map((who) => house.says(who, 'slow')))
  await until(() => house.requests().length === slow.length)
  const others = Array.from({ length: 20 }, (_, n) => `+155502${10 + n}`)
  await Promise.all(others.map((who) => house.says(who, 'quick')))
  await until(() => triesOf(house, 'quick').length === others.length)
  t.same(triesOf(house, 'slow'), [], 'while those who hang wait with their own')
})

t.test('A webhook that does not answer in its time is tried again', async (t) => {
  const house = await openHouse(t, { limits: { ...agentWebhook, totalMs: 100 } })
  house.behaves((response, nth) => void (nth === 1 || response.writeHead(204).end()))
  await house.says(ann, 'hello')
  await until(() => triedSoFar(house) === 1)
  house.clock.advance(1_000)
  await house.quiet()
  t.same(house.told(house.asid(ann)), ['conversationStarted', 'conversationStarted', 'hello'])
  t.same(house.deadLetters(), [])
})

t.test('A webhook that refuses and then goes on and on has its connection cut', async (t) => {
  const house = await openHouse(t)
  const open = new Set<unknown>()
  house.behaves((response) => {
    const drip = setInterval(() => response.write('.'), 20)
    open.add(response)
    response.on('close', () => {
      clearInterval(drip)
      open.delete(response)
    })
    response.writeHead(400)
  })
  await house.says(ann, 'hello')
  await until(() => house.deadLetters().length > 0)
  await until(() => open.size === 0)
  t.pass('nobody listens any more')
})

t.test('Good lines of a reply are sent, in their order, whatever stands between them', async (t) => {
  const house = await openHouse(t)
  const bad = ['not json\n', '{"message":{"spec":"amf/1"}}\n', '{"other":1}\n', '\n']
  const broken = `${line('three').slice(0, 30)}`
  const chunks = [line('one'), ...bad, line('two'), broken, line('three').slice(30), line('four').trimEnd()]
  house.behaves(forText(house, 'go', replies('application/x-ndjson; charset=utf-8', ...chunks)))
  const asid = await house.says(ann, 'go')
  await until(() => house.handed.length === 4 && house.waiting() === 0)
  t.same(texts(house), ['one', 'two', 'three', 'four'])
  t.match(house.deadLetters(), [{ asid, why: /not JSON.*parts.*no `message`/ }])
  t.equal(house.deadLetters().length, 1)
})

t.test('A reply that cannot be read is a dead letter that says why, and nothing of it is sent', async (t) => {
  const large = 'x'.repeat(agentWebhook.replyBytes)
  const eleven = JSON.stringify({ messages: Array.from({ length: 11 }, () => said('no')) })
  for (const [type, body, why] of [
    ['text/html', '<p>no</p>', /text\/html/],
    ['', 'no', /of no type/],
    ['application/json', '{"messages":', /not JSON/],
    ['application/json', '{"message":{}}', /messages/],
    ['application/json', eleven, /at most 10/],
    ['application/json', JSON.stringify({ messages: [said(large)] }), /larger/],
    ['application/x-ndjson', `${large}${large}`, /larger/],
    ['text/svc-aml', `${large}${large}`, /larger/],
    ['text/svc-aml', 'Hi\n[[ask.choice #a | Which?\n]]', /line 2/],
    ['text/svc-aml', '[[chips: Yes', /line 1, column 1/],
  ] as const) {
    const house = await openHouse(t)
    const headers = type === '' ? {} : { 'content-type': type }
    house.behaves(forText(house, 'go', (response) => void response.writeHead(200, headers).end(body)))
    await house.says(ann, 'go')
    await house.says(ann, 'next')
    await house.quiet()
    t.same(texts(house), [], `${type} ${body.slice(0, 20)}`)
    t.match(house.deadLetters(), [{ why }])
    t.equal(triesOf(house, 'next').length, 1, 'the next event goes out')
  }
})

t.test('A dead letter tells the first problems of a reply that has many', async (t) => {
  const house = await openHouse(t)
  const type = { 'content-type': 'application/x-ndjson' }
  const behave: Behave = (response) => void response.writeHead(200, type).end('{}\n'.repeat(5_000))
  house.behaves(forText(house, 'go', behave))
  await house.says(ann, 'go')
  await house.quiet()
  const [letter] = house.deadLetters()
  t.equal(letter!.why.split('no `message`').length - 1, agentWebhook.notedPerReply)
})

t.test('An answer that says nothing is taken, of whatever type', async (t) => {
  const house = await openHouse(t)
  for (const behave of [replies('text/html'), replies('application/json', '{}'), replies('text/svc-aml', ' ')]) {
    house.behaves(behave)
    await house.says(ann, 'hello')
    await house.quiet()
  }
  t.same(house.deadLetters(), [])
  t.same(house.handed, [])
})

t.test('A good message beside a bad one in a reply is sent', async (t) => {
  const house = await openHouse(t)
  const body = JSON.stringify({ messages: [said('one'), said('two', { colour: 'red' }), said('three')] })
  house.behaves(forText(house, 'go', replies('application/json', body)))
  await house.says(ann, 'go')
  await until(() => house.handed.length === 2 && house.waiting() === 0)
  t.same(texts(house), ['one', 'three'])
  t.match(house.deadLetters(), [{ why: /messages\[1\]\.colour/ }])
})

t.test('An event that is told again after a crash does not send its replies twice', async (t) => {
  let crashes = 2
  const between = (shards: Shards): Shards => ({
    ...shards,
    async ask(owner, command, input, options) {
      const isOutcome = command.name === 'conversation.webhookOutcome' || command.name === 'conversation.reply'
      if (isOutcome && crashes-- > 0) throw new Error('the process is gone')
      return shards.ask(owner, command, input, options)
    },
  })
  const house = await openHouse(t, { between })
  house.behaves(forText(house, 'go', replies('application/json', JSON.stringify({ messages: [said('a'), said('b')] }))))
  crashes = 0
  await house.says(ann, 'warm up')
  await house.quiet()
  crashes = 2
  await house.says(ann, 'go')
  for (let tries = 1; tries <= 2; tries++) {
    await until(() => triesOf(house, 'go').length === tries && crashes === 2 - tries)
    house.clock.advance(60_000)
  }
  await house.quiet()
  t.equal(triesOf(house, 'go').length, 3)
  t.same(texts(house), ['a', 'b'])
  t.equal(house.rows(outgoingTable).length, 2)
})

t.test('A reply that breaks off is tried again, and what was said before the break is not said twice', async (t) => {
  const house = await openHouse(t)
  let isFirst = true
  house.behaves(
    forText(house, 'go', (response, nth) => {
      if (!isFirst) return replies('application/x-ndjson', line('one'), line('two'), line('three'))(response, nth)
      isFirst = false
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write(line('one'))
      void until(() => house.handed.length === 1).then(() => response.socket?.destroy())
    }),
  )
  await house.says(ann, 'go')
  await until(() => triedSoFar(house) === 1)
  house.clock.advance(1_000)
  await until(() => house.waiting() === 0 && house.handed.length >= 3)
  t.same(texts(house), ['one', 'two', 'three'])
  t.same(house.deadLetters(), [])
})

t.test('A reply that is another at the next try is sent as it is, and nothing of it is dropped', async (t) => {
  const house = await openHouse(t)
  const own = (text: string, id: string) => `${JSON.stringify({ message: said(text, { id }) })}\n`
  let isFirst = true
  house.behaves(
    forText(house, 'go', (response, nth) => {
      const again = [line('same'), own('second try', 'own-2'), own('kept', 'own-1'), line('same')]
      if (!isFirst) return replies('application/x-ndjson', ...again)(response, nth)
      isFirst = false
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write(line('same') + own('kept', 'own-1'))
      void until(() => house.handed.length === 2).then(() => response.socket?.destroy())
    }),
  )
  await house.says(ann, 'go')
  await until(() => triedSoFar(house) === 1)
  house.clock.advance(1_000)
  await until(() => house.waiting() === 0 && house.handed.length >= 4)
  t.same(texts(house), ['same', 'kept', 'second try', 'same'])
})

t.test('An agent without a webhook is managed: its events are over without a request', async (t) => {
  const house = await openHouse(t, { hasWebhook: false })
  await house.says(ann, 'hello')
  await house.says(ann, 'again')
  await house.quiet()
  t.same(house.requests(), [])
  t.same(house.deadLetters(), [])
  const [row] = house.rows(conversationTable)
  t.equal(row!.value.firstEvent, row!.value.nextEvent)
})

t.test('A webhook that says when to come back is left alone until then, within bounds', async (t) => {
  for (const [header, waitMs] of [
    ['30', 30_000],
    ['999999', agentWebhook.retryAfterMostMs],
    ['0', agentWebhook.retryAfterMs[0]],
    ['soon', agentWebhook.retryAfterMs[0]],
  ] as const) {
    const house = await openHouse(t)
    house.behaves((response, nth) => void response.writeHead(nth === 1 ? 429 : 204, { 'retry-after': header }).end())
    await house.says(ann, 'hello')
    await until(() => house.rows(attemptTable).length === 1)
    const { value, key } = house.rows(attemptTable)[0]!
    t.match(value, { status: 429, outcome: 'retried', nextAt: key[2] + waitMs }, header)
    house.clock.advance(waitMs - 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    t.equal(house.requests().length, 1)
    house.clock.advance(1)
    await house.quiet()
  }
})

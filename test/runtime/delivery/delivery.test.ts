/**
 * Messages on their way to people: in order and at a pace, onto another channel when one fails, and not after a STOP.
 */
import fc from 'fast-check'
import t from 'tap'
import { bulk, ingress } from '../../../core/limits/index.js'
import { conversationTable, messageTable, trafficTable } from '../../../runtime/conversation/tables.js'
import { advanceUntilAnswered, waitUntil } from '../../harness/clock.js'
import {
  acceptAll,
  bulkPerSecond,
  type GatewayFixture,
  openGatewayFixture,
  type Provider,
  type ProviderRequest,
  textMessage,
} from '../conversation/fixture.js'

const ann = '+15550101'
const ben = '+15550102'

const texts = (handed: readonly ProviderRequest[]) => handed.map(({ text }) => text)
const refuses =
  (retry: 'later' | 'otherChannel' | 'never', reason = 'sendFailed'): Provider =>
  () => ({ kind: 'refused', reason, retry })

/** A conversation that the agent knows, with nothing waiting. */
async function openConversation(
  fixture: GatewayFixture,
  address = ann,
  channel: 'sms' | 'rcs' = 'sms',
): Promise<string> {
  const asid = await fixture.receiveText(address, 'hello', channel)
  await fixture.waitForWebhook()
  return asid
}

/** States that the agent was told of one message. */
const statesOf = (fixture: GatewayFixture, messageId: string) =>
  fixture.envelopes().flatMap(({ event: { event } }) => {
    if (event.type !== 'status' || event.status.messageId !== messageId) return []
    const { state, attempt, reason } = event.status
    return [[state, attempt.channel, reason].filter(Boolean).join(' ')]
  })

t.test('Messages of one call, and of calls after it, reach a person in their order', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await openConversation(fixture)
  fixture.setProvider(async (each) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5))
    return acceptAll(each)
  })
  const words = Array.from({ length: 30 }, (_, n) => `word ${n}`)
  for (let first = 0; first < words.length; first += 10) {
    const results = await fixture.send(
      asid,
      words.slice(first, first + 10).map((word) => textMessage(word)),
    )
    t.ok(results.every(({ accepted, messageId }) => accepted && messageId.startsWith('msg_')))
  }
  await waitUntil(() => fixture.providerRequests.length === words.length)
  t.same(texts(fixture.providerRequests), words)
})

t.test('One message is with the provider at a time for a person, and persons do not wait for each other', async (t) => {
  const fixture = await openGatewayFixture(t)
  const [slow, quick] = [await openConversation(fixture, ann), await openConversation(fixture, ben)]
  const queued: (() => void)[] = []
  fixture.setProvider((each) =>
    each.address === ann ? new Promise((resolve) => queued.push(() => resolve(acceptAll(each)))) : acceptAll(each),
  )
  await fixture.send(slow, [textMessage('a1'), textMessage('a2')])
  await waitUntil(() => queued.length === 1)
  await fixture.send(quick, [textMessage('b1'), textMessage('b2')])
  await waitUntil(() => fixture.providerRequests.filter(({ address }) => address === ben).length === 2)
  t.same(texts(fixture.providerRequests.filter(({ address }) => address === ann)), ['a1'])
  queued.shift()!()
  await waitUntil(() => queued.length === 1)
  queued.shift()!()
  await fixture.waitForWebhook()
})

t.test('Between two messages to a person at least the delay of the binding passes', async (t) => {
  const fixture = await openGatewayFixture(t, { minMessageDelayMs: 500 })
  const asid = await openConversation(fixture)
  await fixture.send(asid, [textMessage('one'), textMessage('two'), textMessage('three')])
  for (const count of [1, 2, 3]) {
    await waitUntil(() => fixture.providerRequests.length === count)
    await waitUntil(() => sentCount(fixture) === count)
    fixture.clock.advance(499)
    await new Promise((resolve) => setTimeout(resolve, 20))
    t.equal(fixture.providerRequests.length, count, 'not before its time')
    fixture.clock.advance(1)
  }
  t.same(texts(fixture.providerRequests), ['one', 'two', 'three'])
  const times = fixture.providerRequests.map(({ at }) => at)
  t.ok(times[1]! - times[0]! >= 500 && times[2]! - times[1]! >= 500)
})

function sentCount(fixture: GatewayFixture): number {
  return fixture.rows(messageTable).filter(({ value }) => value.sentAt !== undefined).length
}

t.test('Bulk messages say queued, and leave in order, no faster than the provider of the binding says', async (t) => {
  const fixture = await openGatewayFixture(t)
  const perStep = (bulkPerSecond * bulk.everyMs) / 1_000
  const people = await Promise.all(Array.from({ length: 30 }, (_, n) => openConversation(fixture, `+155503${10 + n}`)))
  const sent: string[] = []
  for (const asid of people) {
    const [result] = await fixture.send(asid, [textMessage(`to ${asid}`)], { priority: 'batch' })
    sent.push(result!.messageId)
  }
  await waitUntil(() => sent.every((id) => statesOf(fixture, id).includes('queued sms')))
  const isDue = (at?: number) => at !== undefined && at <= fixture.clock.now()
  const due = () => fixture.rows(messageTable).filter(({ value }) => isDue(value.leaveAt)).length
  const isIdle = () => fixture.providerRequests.length === due()
  await waitUntil(isIdle)
  const steps = [texts(fixture.providerRequests)]
  while (fixture.providerRequests.length < people.length) {
    const before = fixture.providerRequests.length
    fixture.clock.advance(bulk.everyMs)
    await waitUntil(isIdle)
    if (fixture.providerRequests.length === before) continue
    steps.push(texts(fixture.providerRequests.slice(before)))
  }
  for (const step of steps) t.ok(step.length <= perStep, `${step.length} in one step`)
  // Those of one step leave together, and each goes its own way.
  const peopleOf = steps.map((step) => step.map((text) => people.indexOf(text.slice('to '.length))))
  const inOrder = peopleOf.flatMap((step) => [...step].sort((a, b) => a - b))
  t.same(inOrder, [...people.keys()])
  await waitUntil(() => sent.every((id) => statesOf(fixture, id).length === 2))
  for (const id of sent) t.same(statesOf(fixture, id), ['queued sms', 'sent sms'])
})

t.test('Bulk messages of one person arrive in their order', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await openConversation(fixture)
  const words = Array.from({ length: 25 }, (_, n) => `word ${n}`)
  for (const word of words) await fixture.send(asid, [textMessage(word)], { priority: 'batch' })
  await waitUntil(() => {
    fixture.clock.advance(bulk.everyMs)
    return fixture.providerRequests.length === words.length
  })
  t.same(texts(fixture.providerRequests), words)
})

t.test('A message that rcs refuses goes out on sms, and the statuses say over what', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await openConversation(fixture, ann, 'rcs')
  fixture.setProvider((each) => (each.channel === 'rcs' ? refuses('otherChannel')(each) : acceptAll(each)))
  const delivery = { channels: ['rcs', 'sms'], fallbackOn: ['sendFailed'] }
  const [result] = await fixture.send(asid, [textMessage('hello', { delivery })])
  await waitUntil(() => statesOf(fixture, result!.messageId).length > 0)
  await fixture.waitForWebhook()
  t.same(
    fixture.providerRequests.map(({ channel, address }) => [channel, address]),
    [
      ['rcs', ann],
      ['sms', ann],
    ],
  )
  t.same(statesOf(fixture, result!.messageId), ['sent sms'])
  const messageId = `p-${fixture.providerRequests[1]!.id}`
  const receipt = (state: string) =>
    JSON.stringify({ items: [{ id: state, from: ann, receipt: { messageId, state } }] })
  for (const state of ['delivered', 'read']) await fixture.ingress('sms', receipt(state))
  await waitUntil(() => statesOf(fixture, result!.messageId).length === 3)
  t.same(statesOf(fixture, result!.messageId), ['sent sms', 'delivered sms', 'read sms'])
  t.same(fixture.eventTexts(fixture.asid(ann, 'sms')), [], 'told to the conversation that it was sent in')
})

t.test('A message that every channel refuses has failed, once, on the last of them', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await openConversation(fixture, ann, 'rcs')
  fixture.setProvider(refuses('otherChannel', 'unsupportedPart'))
  const [result] = await fixture.send(asid, [textMessage('hello', { delivery: { channels: ['rcs', 'sms'] } })])
  await waitUntil(() => statesOf(fixture, result!.messageId).length > 0)
  await fixture.waitForWebhook()
  t.same(statesOf(fixture, result!.messageId), ['failed sms unsupportedPart'])
})

t.test('Without a fallback, or where nothing helps, a refused message has failed on its channel', async (t) => {
  for (const [delivery, retry] of [
    [{ channels: ['rcs'] }, 'otherChannel'],
    [{ channels: ['rcs', 'sms'], fallbackOn: [] }, 'otherChannel'],
    [{ channels: ['rcs', 'sms'] }, 'never'],
  ] as const) {
    const fixture = await openGatewayFixture(t)
    const asid = await openConversation(fixture, ann, 'rcs')
    fixture.setProvider(refuses(retry))
    const [result] = await fixture.send(asid, [textMessage('hello', { delivery }), textMessage('next')])
    await waitUntil(() => fixture.providerRequests.length === 2)
    await fixture.waitForWebhook()
    t.same(statesOf(fixture, result!.messageId), ['failed rcs sendFailed'])
    t.same(texts(fixture.providerRequests), ['hello', 'next'], 'and the next one goes out')
  }
})

t.test('A provider that says later is asked again, and the messages behind it wait', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await openConversation(fixture)
  let tries = 0
  fixture.setProvider((each) => (each.text === 'one' && ++tries < 3 ? refuses('later')(each) : acceptAll(each)))
  await fixture.send(asid, [textMessage('one'), textMessage('two')])
  for (const waitMs of [1_000, 5_000]) {
    await waitUntil(() => fixture.rows(conversationTable)[0]?.value.inFlight?.retryAt !== undefined)
    const before = tries
    t.equal(fixture.providerRequests.filter(({ text }) => text === 'two').length, 0)
    fixture.clock.advance(waitMs)
    await waitUntil(() => tries > before)
  }
  await waitUntil(() => fixture.providerRequests.length === 4)
  t.same(texts(fixture.providerRequests), ['one', 'one', 'one', 'two'])
  t.equal(new Set(fixture.providerRequests.slice(0, 3).map(({ id }) => id)).size, 1, 'under one id')
})

t.test('After a STOP nothing more goes out, whatever was on its way', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await openConversation(fixture)
  let release = () => {}
  fixture.setProvider((each) => new Promise((resolve) => (release = () => resolve(acceptAll(each)))))
  const sent = await fixture.send(asid, [textMessage('one'), textMessage('two'), textMessage('three')])
  await waitUntil(() => fixture.providerRequests.length === 1)
  let isAcknowledged = false
  const stopping = fixture.receiveText(ann, 'STOP').then(() => (isAcknowledged = true))
  await waitUntil(() => statesOf(fixture, sent[2]!.messageId).length > 0)
  t.notOk(isAcknowledged, 'it counts before it is acknowledged')
  release()
  await waitUntil(() => {
    fixture.clock.advance(ingress.stopPollMs)
    return isAcknowledged
  })
  await stopping
  await fixture.waitForWebhook()
  t.same(texts(fixture.providerRequests), ['one'], 'what was with the provider already cannot be called back')
  t.same(
    sent.map(({ messageId }) => statesOf(fixture, messageId)),
    [['sent sms'], ['failed sms optedOut'], ['failed sms optedOut']],
  )
  t.match(await fixture.send(asid, [textMessage('four')]), [{ accepted: false, reason: 'optedOut' }])
  fixture.setProvider(acceptAll)
  await fixture.receiveText(ann, 'START')
  const [retry] = await fixture.send(asid, [textMessage('five')])
  await waitUntil(() => statesOf(fixture, retry!.messageId).length > 0)
  t.same(texts(fixture.providerRequests), ['one', 'five'])
})

t.test('A message that waits to be tried again does not go out after a STOP', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await openConversation(fixture)
  fixture.setProvider(refuses('later'))
  const [result] = await fixture.send(asid, [textMessage('one')])
  await waitUntil(() => fixture.providerRequests.length === 1)
  fixture.setProvider(acceptAll)
  await advanceUntilAnswered(fixture.receiveText(ann, 'STOP'), () => fixture.clock.advance(ingress.stopPollMs))
  await waitUntil(() => {
    fixture.clock.advance(1_000)
    return statesOf(fixture, result!.messageId).length > 0
  })
  t.same(statesOf(fixture, result!.messageId), ['failed sms optedOut'])
  t.equal(fixture.providerRequests.length, 1)
})

t.test('Bulk messages that still wait do not go out after a STOP', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await openConversation(fixture)
  const others = await Promise.all(Array.from({ length: 12 }, (_, n) => openConversation(fixture, `+155504${10 + n}`)))
  for (const other of others) await fixture.send(other, [textMessage('bulk')], { priority: 'batch' })
  const [result] = await fixture.send(asid, [textMessage('late')], { priority: 'batch' })
  await fixture.receiveText(ann, 'STOP')
  await waitUntil(() => {
    fixture.clock.advance(bulk.everyMs)
    return statesOf(fixture, result!.messageId).length === 2
  })
  t.same(statesOf(fixture, result!.messageId), ['queued sms', 'failed sms optedOut'])
  t.same(
    fixture.providerRequests.filter(({ address }) => address === ann),
    [],
  )
})

t.test('Whoever opted out is not followed to another channel', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await openConversation(fixture, ann, 'rcs')
  await fixture.receiveText(ann, 'STOP', 'rcs')
  for (const channels of [['rcs', 'sms'], ['sms', 'rcs'], ['sms']]) {
    t.match(await fixture.send(asid, [textMessage('hello', { delivery: { channels } })]), [{ reason: 'optedOut' }])
  }
  await fixture.waitForWebhook()
  t.same(fixture.providerRequests, [])
})

t.test('An opt-out of the person on the other channel is found there, and the message has failed', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await openConversation(fixture, ann, 'rcs')
  await fixture.receiveText(ann, 'STOP', 'sms')
  fixture.setProvider(refuses('otherChannel'))
  const [result] = await fixture.send(asid, [textMessage('hello', { delivery: { channels: ['rcs', 'sms'] } })])
  await waitUntil(() => statesOf(fixture, result!.messageId).length > 0)
  t.same(statesOf(fixture, result!.messageId), ['failed sms optedOut'])
  t.same(
    fixture.providerRequests.map(({ channel }) => channel),
    ['rcs'],
  )
})

t.test('A message under an id of its own is sent once, also when two calls bring it at once', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await openConversation(fixture)
  const message = textMessage('once', { id: 'mine' })
  const answers = await Promise.all([
    fixture.send(asid, [message, message]),
    fixture.send(asid, [message]),
    fixture.send(asid, [message], { priority: 'batch' }),
  ])
  const ids = new Set(answers.flat().map(({ messageId }) => messageId))
  t.equal(ids.size, 1)
  await waitUntil(() => fixture.providerRequests.length === 1)
  fixture.clock.advance(24 * 3_600_000 - 1)
  t.match(await fixture.send(asid, [message]), [{ messageId: [...ids][0] }], 'for a day')
  fixture.clock.advance(1)
  const [sentLater] = await fixture.send(asid, [message])
  t.notOk(ids.has(sentLater!.messageId), 'and no longer')
  await waitUntil(() => fixture.providerRequests.length === 2)
})

t.test('Whatever a provider answers, every accepted message ends sent or failed, in its order', async (t) => {
  const fixture = await openGatewayFixture(t)
  let person = 0
  const answers = fc.constantFrom('sent', 'otherChannel', 'never', 'throws')
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 6 }), async (script) => {
      const address = `+15556${1000 + ++person}`
      const asid = await openConversation(fixture, address)
      fixture.setProvider((each) => {
        const planned = script[Number(each.text)]!
        if (planned === 'throws') throw new Error('a bug of the adapter')
        return planned === 'sent' ? acceptAll(each) : refuses(planned)(each)
      })
      const results = await fixture.send(
        asid,
        script.map((_, n) => textMessage(String(n))),
      )
      await waitUntil(() => results.every(({ messageId }) => statesOf(fixture, messageId).length > 0))
      const mine = fixture.providerRequests.filter((each) => each.address === address)
      const ended = results.map(({ messageId }) => statesOf(fixture, messageId))
      const planned = script.map((each) => [each === 'sent' ? 'sent sms' : 'failed sms sendFailed'])
      return JSON.stringify([texts(mine), ended]) === JSON.stringify([script.map((_, n) => String(n)), planned])
    }),
    { numRuns: 8 },
  )
  const statuses = fixture.rows(trafficTable).filter(({ value }) => value.type === 'status')
  t.ok(statuses.length >= 8, 'and each is on record')
})

t.test('A receipt that comes before the answer to its send counts after it', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await openConversation(fixture)
  fixture.setProvider(async (each) => {
    const receipt = { messageId: `p-${each.id}`, state: 'delivered' }
    await fixture.ingress('sms', JSON.stringify({ items: [{ id: 'early', from: ann, receipt }] }))
    return acceptAll(each)
  })
  const [result] = await fixture.send(asid, [textMessage('hello')])
  await waitUntil(() => statesOf(fixture, result!.messageId).length === 2)
  t.same(statesOf(fixture, result!.messageId), ['sent sms', 'delivered sms'])
})

t.test('A message in pieces goes on at the piece that was refused, and is delivered when all pieces are', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await openConversation(fixture, ann, 'rcs')
  let refusals = 1
  fixture.setProvider((each) => (each.id.endsWith('.1') && refusals-- > 0 ? refuses('later')(each) : acceptAll(each)))
  const parts = [textMessage('first').parts[0], { type: 'card', card: { title: 'Second' } }]
  const [result] = await fixture.send(asid, [{ spec: 'amf/1', parts }])
  const { messageId } = result!
  await waitUntil(() => {
    fixture.clock.advance(1_000)
    return statesOf(fixture, messageId).length > 0
  })
  t.same(
    fixture.providerRequests.map(({ id }) => id),
    [`${messageId}.0`, `${messageId}.1`, `${messageId}.1`],
  )
  const reportDelivered = (piece: number) => {
    const receipt = { messageId: `p-${messageId}.${piece}`, state: 'delivered' }
    return fixture.ingress('rcs', JSON.stringify({ items: [{ id: `of ${piece}`, from: ann, receipt }] }))
  }
  await reportDelivered(1)
  await fixture.waitForWebhook()
  t.same(statesOf(fixture, messageId), ['sent rcs'])
  await reportDelivered(0)
  await waitUntil(() => statesOf(fixture, messageId).length === 2)
  t.same(statesOf(fixture, messageId), ['sent rcs', 'delivered rcs'])
})

t.test('A message that waits for the window goes out when it opens, and has failed after a day', async (t) => {
  const fixture = await openGatewayFixture(t, { channels: ['messengerA'] })
  const hour = 3_600_000
  const asid = await fixture.receiveText(ann, 'hello', 'messengerA')
  await fixture.waitForWebhook()
  fixture.clock.advance(24 * hour)
  await waitUntil(() => fixture.eventTexts(asid).at(-1) === 'windowChanged')
  const queued = (words: string) => textMessage(words, { delivery: { outsideWindow: 'queue' } })
  const [first] = await fixture.send(asid, [queued('one'), queued('two')])
  await waitUntil(() => statesOf(fixture, first!.messageId).length > 0)
  t.same(fixture.providerRequests, [])
  await fixture.receiveText(ann, 'back', 'messengerA')
  await waitUntil(() => fixture.providerRequests.length === 2)
  t.same(texts(fixture.providerRequests), ['one', 'two'])
  await waitUntil(() => statesOf(fixture, first!.messageId).length === 2)
  t.same(statesOf(fixture, first!.messageId), ['queued messengerA', 'sent messengerA'])
  fixture.clock.advance(24 * hour)
  const [last] = await fixture.send(asid, [queued('three')])
  fixture.clock.advance(24 * hour)
  await waitUntil(() => statesOf(fixture, last!.messageId).length === 2)
  t.same(statesOf(fixture, last!.messageId), ['queued messengerA', 'failed messengerA windowClosed'])
  t.equal(fixture.providerRequests.length, 2)
})

t.test('A card that is sent without a picture shows the agent’s own where the channel has cards', async (t) => {
  const own = 'https://x.example/own.png'
  const other = 'https://x.example/other.png'
  const card = (more: object) => ({ spec: 'amf/1', parts: [{ type: 'card', card: { title: 'Plain', ...more } }] })
  const fixture = await openGatewayFixture(t, { identity: { defaultCardImageUrl: own } })
  const [onRcs, onSms] = [await openConversation(fixture, ann, 'rcs'), await openConversation(fixture, ben, 'sms')]
  await fixture.send(onRcs, [card({}), card({ mediaUrl: other })])
  await fixture.send(onSms, [card({})])
  await waitUntil(() => fixture.providerRequests.length === 3)
  const payloadsOn = (channel: string) =>
    fixture.providerRequests.filter((each) => each.channel === channel).map(({ payload }) => JSON.stringify(payload))
  const [plain, pictured] = payloadsOn('rcs')
  t.match(plain, own)
  t.match(pictured, other)
  t.notMatch(pictured, own)
  t.notMatch(payloadsOn('sms')[0], own, 'a channel without cards gets no link that nobody sent')
  const away = await openGatewayFixture(t, { identity: { defaultCardImageUrl: own }, unreachable: [own] })
  await away.send(await openConversation(away, ann, 'rcs'), [card({})])
  await waitUntil(() => away.providerRequests.length === 1)
  t.notMatch(
    JSON.stringify(away.providerRequests[0]?.payload),
    own,
    'a picture that cannot be fetched holds no message back',
  )
  await away.send(await openConversation(away, ben, 'rcs'), [card({ mediaUrl: own, description: 'Here' })])
  await waitUntil(() => away.providerRequests.length === 2)
  t.match(JSON.stringify(away.providerRequests[1]?.payload), own, 'the picture that the agent sent is a link')
})

/** Messages on their way to people: in order and at a pace, onto another channel when one fails, and not after a STOP. */
import fc from 'fast-check'
import t from 'tap'
import { bulk, ingress } from '../../../core/limits.js'
import { conversationTable, outgoingTable, trafficTable } from '../../../runtime/conversation/tables.js'
import { answeredInTime, until } from '../../harness/clock.js'
import { bulkPerSecond, type Handed, type House, openHouse, type Provider, said, takes } from './house.js'

const ann = '+15550101'
const ben = '+15550102'

const texts = (handed: readonly Handed[]) => handed.map(({ text }) => text)
const refuses =
  (again: 'later' | 'elsewhere' | 'never', reason = 'sendFailed'): Provider =>
  () => ({ kind: 'refused', reason, again })

/** Somebody the agent has heard of, with nothing waiting. */
async function known(house: House, address = ann, channel: 'sms' | 'rcs' = 'sms'): Promise<string> {
  const asid = await house.says(address, 'hello', channel)
  await house.quiet()
  return asid
}

/** States that the agent was told of one message. */
const statesOf = (house: House, messageId: string) =>
  house.envelopes().flatMap(({ event: { event } }) => {
    if (event.type !== 'status' || event.status.messageId !== messageId) return []
    const { state, attempt, reason } = event.status
    return [[state, attempt.channel, reason].filter(Boolean).join(' ')]
  })

t.test('Messages of one call, and of calls after it, reach a person in their order', async (t) => {
  const house = await openHouse(t)
  const asid = await known(house)
  house.providerIs(async (each) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5))
    return takes(each)
  })
  const words = Array.from({ length: 30 }, (_, n) => `word ${n}`)
  for (let first = 0; first < words.length; first += 10) {
    const results = await house.send(
      asid,
      words.slice(first, first + 10).map((word) => said(word)),
    )
    t.ok(results.every(({ accepted, messageId }) => accepted && messageId.startsWith('msg_')))
  }
  await until(() => house.handed.length === words.length)
  t.same(texts(house.handed), words)
})

t.test('One message is with the provider at a time for a person, and persons do not wait for each other', async (t) => {
  const house = await openHouse(t)
  const [slow, quick] = [await known(house, ann), await known(house, ben)]
  const held: (() => void)[] = []
  house.providerIs((each) =>
    each.address === ann ? new Promise((resolve) => held.push(() => resolve(takes(each)))) : takes(each),
  )
  await house.send(slow, [said('a1'), said('a2')])
  await until(() => held.length === 1)
  await house.send(quick, [said('b1'), said('b2')])
  await until(() => house.handed.filter(({ address }) => address === ben).length === 2)
  t.same(texts(house.handed.filter(({ address }) => address === ann)), ['a1'])
  held.shift()!()
  await until(() => held.length === 1)
  held.shift()!()
  await house.quiet()
})

t.test('Between two messages to a person at least the delay of the binding passes', async (t) => {
  const house = await openHouse(t, { minMessageDelayMs: 500 })
  const asid = await known(house)
  await house.send(asid, [said('one'), said('two'), said('three')])
  for (const count of [1, 2, 3]) {
    await until(() => house.handed.length === count)
    await until(() => sentCount(house) === count)
    house.clock.advance(499)
    await new Promise((resolve) => setTimeout(resolve, 20))
    t.equal(house.handed.length, count, 'not before its time')
    house.clock.advance(1)
  }
  t.same(texts(house.handed), ['one', 'two', 'three'])
  const times = house.handed.map(({ at }) => at)
  t.ok(times[1]! - times[0]! >= 500 && times[2]! - times[1]! >= 500)
})

function sentCount(house: House): number {
  return house.rows(outgoingTable).filter(({ value }) => value.sentAt !== undefined).length
}

t.test('Bulk messages say queued, and leave in order, no faster than the provider of the binding says', async (t) => {
  const house = await openHouse(t)
  const perStep = (bulkPerSecond * bulk.everyMs) / 1_000
  const people = await Promise.all(Array.from({ length: 30 }, (_, n) => known(house, `+155503${10 + n}`)))
  const sent: string[] = []
  for (const asid of people) {
    const [result] = await house.send(asid, [said(`to ${asid}`)], { priority: 'batch' })
    sent.push(result!.messageId)
  }
  await until(() => sent.every((id) => statesOf(house, id).includes('queued sms')))
  const isDue = (at?: number) => at !== undefined && at <= house.clock.now()
  const due = () => house.rows(outgoingTable).filter(({ value }) => isDue(value.leaveAt)).length
  const isAtRest = () => house.handed.length === due()
  await until(isAtRest)
  const steps = [texts(house.handed)]
  while (house.handed.length < people.length) {
    const before = house.handed.length
    house.clock.advance(bulk.everyMs)
    await until(isAtRest)
    if (house.handed.length === before) continue
    steps.push(texts(house.handed.slice(before)))
  }
  for (const step of steps) t.ok(step.length <= perStep, `${step.length} in one step`)
  // Those of one step leave together, and each goes its own way.
  const places = steps.map((step) => step.map((text) => people.indexOf(text.slice('to '.length))))
  const inOrder = places.flatMap((step) => [...step].sort((a, b) => a - b))
  t.same(inOrder, [...people.keys()])
  await until(() => sent.every((id) => statesOf(house, id).length === 2))
  for (const id of sent) t.same(statesOf(house, id), ['queued sms', 'sent sms'])
})

t.test('Bulk messages of one person arrive in their order', async (t) => {
  const house = await openHouse(t)
  const asid = await known(house)
  const words = Array.from({ length: 25 }, (_, n) => `word ${n}`)
  for (const word of words) await house.send(asid, [said(word)], { priority: 'batch' })
  await until(() => {
    house.clock.advance(bulk.everyMs)
    return house.handed.length === words.length
  })
  t.same(texts(house.handed), words)
})

t.test('A message that rcs refuses goes out on sms, and the statuses say over what', async (t) => {
  const house = await openHouse(t)
  const asid = await known(house, ann, 'rcs')
  house.providerIs((each) => (each.channel === 'rcs' ? refuses('elsewhere')(each) : takes(each)))
  const delivery = { channels: ['rcs', 'sms'], fallbackOn: ['sendFailed'] }
  const [result] = await house.send(asid, [said('hello', { delivery })])
  await until(() => statesOf(house, result!.messageId).length > 0)
  await house.quiet()
  t.same(
    house.handed.map(({ channel, address }) => [channel, address]),
    [
      ['rcs', ann],
      ['sms', ann],
    ],
  )
  t.same(statesOf(house, result!.messageId), ['sent sms'])
  const messageId = `p-${house.handed[1]!.id}`
  const receipt = (state: string) =>
    JSON.stringify({ items: [{ id: state, from: ann, receipt: { messageId, state } }] })
  for (const state of ['delivered', 'read']) await house.ingress('sms', receipt(state))
  await until(() => statesOf(house, result!.messageId).length === 3)
  t.same(statesOf(house, result!.messageId), ['sent sms', 'delivered sms', 'read sms'])
  t.same(house.told(house.asid(ann, 'sms')), [], 'told to the conversation that it was sent in')
})

t.test('A message that every channel refuses has failed, once, on the last of them', async (t) => {
  const house = await openHouse(t)
  const asid = await known(house, ann, 'rcs')
  house.providerIs(refuses('elsewhere', 'unsupportedPart'))
  const [result] = await house.send(asid, [said('hello', { delivery: { channels: ['rcs', 'sms'] } })])
  await until(() => statesOf(house, result!.messageId).length > 0)
  await house.quiet()
  t.same(statesOf(house, result!.messageId), ['failed sms unsupportedPart'])
})

t.test('Without a fallback, or where nothing helps, a refused message has failed on its channel', async (t) => {
  for (const [delivery, again] of [
    [{ channels: ['rcs'] }, 'elsewhere'],
    [{ channels: ['rcs', 'sms'], fallbackOn: [] }, 'elsewhere'],
    [{ channels: ['rcs', 'sms'] }, 'never'],
  ] as const) {
    const house = await openHouse(t)
    const asid = await known(house, ann, 'rcs')
    house.providerIs(refuses(again))
    const [result] = await house.send(asid, [said('hello', { delivery }), said('next')])
    await until(() => house.handed.length === 2)
    await house.quiet()
    t.same(statesOf(house, result!.messageId), ['failed rcs sendFailed'])
    t.same(texts(house.handed), ['hello', 'next'], 'and the next one goes out')
  }
})

t.test('A provider that says later is asked again, and the messages behind it wait', async (t) => {
  const house = await openHouse(t)
  const asid = await known(house)
  let tries = 0
  house.providerIs((each) => (each.text === 'one' && ++tries < 3 ? refuses('later')(each) : takes(each)))
  await house.send(asid, [said('one'), said('two')])
  for (const waitMs of [1_000, 5_000]) {
    await until(() => house.rows(conversationTable)[0]?.value.flight?.againAt !== undefined)
    const before = tries
    t.equal(house.handed.filter(({ text }) => text === 'two').length, 0)
    house.clock.advance(waitMs)
    await until(() => tries > before)
  }
  await until(() => house.handed.length === 4)
  t.same(texts(house.handed), ['one', 'one', 'one', 'two'])
  t.equal(new Set(house.handed.slice(0, 3).map(({ id }) => id)).size, 1, 'under one id')
})

t.test('After a STOP nothing more goes out, whatever was on its way', async (t) => {
  const house = await openHouse(t)
  const asid = await known(house)
  let release = () => {}
  house.providerIs((each) => new Promise((resolve) => (release = () => resolve(takes(each)))))
  const sent = await house.send(asid, [said('one'), said('two'), said('three')])
  await until(() => house.handed.length === 1)
  let isAcknowledged = false
  const stopping = house.says(ann, 'STOP').then(() => (isAcknowledged = true))
  await until(() => statesOf(house, sent[2]!.messageId).length > 0)
  t.notOk(isAcknowledged, 'it counts before it is acknowledged')
  release()
  await until(() => {
    house.clock.advance(ingress.stopLookMs)
    return isAcknowledged
  })
  await stopping
  await house.quiet()
  t.same(texts(house.handed), ['one'], 'what was with the provider already cannot be called back')
  t.same(
    sent.map(({ messageId }) => statesOf(house, messageId)),
    [['sent sms'], ['failed sms optedOut'], ['failed sms optedOut']],
  )
  t.match(await house.send(asid, [said('four')]), [{ accepted: false, reason: 'optedOut' }])
  house.providerIs(takes)
  await house.says(ann, 'START')
  const [again] = await house.send(asid, [said('five')])
  await until(() => statesOf(house, again!.messageId).length > 0)
  t.same(texts(house.handed), ['one', 'five'])
})

t.test('A message that waits to be tried again does not go out after a STOP', async (t) => {
  const house = await openHouse(t)
  const asid = await known(house)
  house.providerIs(refuses('later'))
  const [result] = await house.send(asid, [said('one')])
  await until(() => house.handed.length === 1)
  house.providerIs(takes)
  await answeredInTime(house.says(ann, 'STOP'), () => house.clock.advance(ingress.stopLookMs))
  await until(() => {
    house.clock.advance(1_000)
    return statesOf(house, result!.messageId).length > 0
  })
  t.same(statesOf(house, result!.messageId), ['failed sms optedOut'])
  t.equal(house.handed.length, 1)
})

t.test('Bulk messages that still wait do not go out after a STOP', async (t) => {
  const house = await openHouse(t)
  const asid = await known(house)
  const others = await Promise.all(Array.from({ length: 12 }, (_, n) => known(house, `+155504${10 + n}`)))
  for (const other of others) await house.send(other, [said('bulk')], { priority: 'batch' })
  const [result] = await house.send(asid, [said('late')], { priority: 'batch' })
  await house.says(ann, 'STOP')
  await until(() => {
    house.clock.advance(bulk.everyMs)
    return statesOf(house, result!.messageId).length === 2
  })
  t.same(statesOf(house, result!.messageId), ['queued sms', 'failed sms optedOut'])
  t.same(
    house.handed.filter(({ address }) => address === ann),
    [],
  )
})

t.test('Whoever opted out is not followed to another channel', async (t) => {
  const house = await openHouse(t)
  const asid = await known(house, ann, 'rcs')
  await house.says(ann, 'STOP', 'rcs')
  for (const channels of [['rcs', 'sms'], ['sms', 'rcs'], ['sms']]) {
    t.match(await house.send(asid, [said('hello', { delivery: { channels } })]), [{ reason: 'optedOut' }])
  }
  await house.quiet()
  t.same(house.handed, [])
})

t.test('An opt-out of the person on the other channel is found there, and the message has failed', async (t) => {
  const house = await openHouse(t)
  const asid = await known(house, ann, 'rcs')
  await house.says(ann, 'STOP', 'sms')
  house.providerIs(refuses('elsewhere'))
  const [result] = await house.send(asid, [said('hello', { delivery: { channels: ['rcs', 'sms'] } })])
  await until(() => statesOf(house, result!.messageId).length > 0)
  t.same(statesOf(house, result!.messageId), ['failed sms optedOut'])
  t.same(
    house.handed.map(({ channel }) => channel),
    ['rcs'],
  )
})

t.test('A message under an id of its own is sent once, also when two calls bring it at once', async (t) => {
  const house = await openHouse(t)
  const asid = await known(house)
  const message = said('once', { id: 'mine' })
  const answers = await Promise.all([
    house.send(asid, [message, message]),
    house.send(asid, [message]),
    house.send(asid, [message], { priority: 'batch' }),
  ])
  const ids = new Set(answers.flat().map(({ messageId }) => messageId))
  t.equal(ids.size, 1)
  await until(() => house.handed.length === 1)
  house.clock.advance(24 * 3_600_000 - 1)
  t.match(await house.send(asid, [message]), [{ messageId: [...ids][0] }], 'for a day')
  house.clock.advance(1)
  const [anew] = await house.send(asid, [message])
  t.notOk(ids.has(anew!.messageId), 'and no longer')
  await until(() => house.handed.length === 2)
})

t.test('Whatever a provider answers, every accepted message ends sent or failed, in its order', async (t) => {
  const house = await openHouse(t)
  let person = 0
  const answers = fc.constantFrom('sent', 'elsewhere', 'never', 'throws')
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 6 }), async (script) => {
      const address = `+15556${1000 + ++person}`
      const asid = await known(house, address)
      house.providerIs((each) => {
        const planned = script[Number(each.text)]!
        if (planned === 'throws') throw new Error('a bug of the adapter')
        return planned === 'sent' ? takes(each) : refuses(planned)(each)
      })
      const results = await house.send(
        asid,
        script.map((_, n) => said(String(n))),
      )
      await until(() => results.every(({ messageId }) => statesOf(house, messageId).length > 0))
      const mine = house.handed.filter((each) => each.address === address)
      const ended = results.map(({ messageId }) => statesOf(house, messageId))
      const planned = script.map((each) => [each === 'sent' ? 'sent sms' : 'failed sms sendFailed'])
      return JSON.stringify([texts(mine), ended]) === JSON.stringify([script.map((_, n) => String(n)), planned])
    }),
    { numRuns: 8 },
  )
  const statuses = house.rows(trafficTable).filter(({ value }) => value.type === 'status')
  t.ok(statuses.length >= 8, 'and each is on record')
})

t.test('A receipt that comes before the answer to its send counts after it', async (t) => {
  const house = await openHouse(t)
  const asid = await known(house)
  house.providerIs(async (each) => {
    const receipt = { messageId: `p-${each.id}`, state: 'delivered' }
    await house.ingress('sms', JSON.stringify({ items: [{ id: 'early', from: ann, receipt }] }))
    return takes(each)
  })
  const [result] = await house.send(asid, [said('hello')])
  await until(() => statesOf(house, result!.messageId).length === 2)
  t.same(statesOf(house, result!.messageId), ['sent sms', 'delivered sms'])
})

t.test('A message in pieces goes on at the piece that was refused, and is delivered when all pieces are', async (t) => {
  const house = await openHouse(t)
  const asid = await known(house, ann, 'rcs')
  let refusals = 1
  house.providerIs((each) => (each.id.endsWith('.1') && refusals-- > 0 ? refuses('later')(each) : takes(each)))
  const parts = [said('first').parts[0], { type: 'card', card: { title: 'Second' } }]
  const [result] = await house.send(asid, [{ spec: 'amf/1', parts }])
  const { messageId } = result!
  await until(() => {
    house.clock.advance(1_000)
    return statesOf(house, messageId).length > 0
  })
  t.same(
    house.handed.map(({ id }) => id),
    [`${messageId}.0`, `${messageId}.1`, `${messageId}.1`],
  )
  const delivered = (piece: number) => {
    const receipt = { messageId: `p-${messageId}.${piece}`, state: 'delivered' }
    return house.ingress('rcs', JSON.stringify({ items: [{ id: `of ${piece}`, from: ann, receipt }] }))
  }
  await delivered(1)
  await house.quiet()
  t.same(statesOf(house, messageId), ['sent rcs'])
  await delivered(0)
  await until(() => statesOf(house, messageId).length === 2)
  t.same(statesOf(house, messageId), ['sent rcs', 'delivered rcs'])
})

t.test('A message that waits for the window goes out when it opens, and has failed after a day', async (t) => {
  const house = await openHouse(t, { channels: ['messengerA'] })
  const hour = 3_600_000
  const asid = await house.says(ann, 'hello', 'messengerA')
  await house.quiet()
  house.clock.advance(24 * hour)
  await until(() => house.told(asid).at(-1) === 'windowChanged')
  const held = (words: string) => said(words, { delivery: { outsideWindow: 'queue' } })
  const [first] = await house.send(asid, [held('one'), held('two')])
  await until(() => statesOf(house, first!.messageId).length > 0)
  t.same(house.handed, [])
  await house.says(ann, 'back', 'messengerA')
  await until(() => house.handed.length === 2)
  t.same(texts(house.handed), ['one', 'two'])
  await until(() => statesOf(house, first!.messageId).length === 2)
  t.same(statesOf(house, first!.messageId), ['queued messengerA', 'sent messengerA'])
  house.clock.advance(24 * hour)
  const [last] = await house.send(asid, [held('three')])
  house.clock.advance(24 * hour)
  await until(() => statesOf(house, last!.messageId).length === 2)
  t.same(statesOf(house, last!.messageId), ['queued messengerA', 'failed messengerA windowClosed'])
  t.equal(house.handed.length, 2)
})

t.test('A card that is sent without a picture shows the agent’s own where the channel has cards', async (t) => {
  const own = 'https://x.example/own.png'
  const other = 'https://x.example/other.png'
  const card = (more: object) => ({ spec: 'amf/1', parts: [{ type: 'card', card: { title: 'Plain', ...more } }] })
  const house = await openHouse(t, { identity: { defaultCardImageUrl: own } })
  const [onRcs, onSms] = [await known(house, ann, 'rcs'), await known(house, ben, 'sms')]
  await house.send(onRcs, [card({}), card({ mediaUrl: other })])
  await house.send(onSms, [card({})])
  await until(() => house.handed.length === 3)
  const wires = (channel: string) =>
    house.handed.filter((each) => each.channel === channel).map(({ wire }) => JSON.stringify(wire))
  const [plain, pictured] = wires('rcs')
  t.match(plain, own)
  t.match(pictured, other)
  t.notMatch(pictured, own)
  t.notMatch(wires('sms')[0], own, 'a channel without cards gets no link that nobody sent')
  const away = await openHouse(t, { identity: { defaultCardImageUrl: own }, unreachable: [own] })
  await away.send(await known(away, ann, 'rcs'), [card({})])
  await until(() => away.handed.length === 1)
  t.notMatch(JSON.stringify(away.handed[0]?.wire), own, 'a picture that cannot be fetched holds no message back')
  await away.send(await known(away, ben, 'rcs'), [card({ mediaUrl: own, description: 'Here' })])
  await until(() => away.handed.length === 2)
  t.match(JSON.stringify(away.handed[1]?.wire), own, 'the picture that the agent sent is a link')
})

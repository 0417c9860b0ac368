/** Agent messages on their way: order, pacing, tries, receipts, windows and the next channel. */

import fc from 'fast-check'
import t from 'tap'
import { messageStates } from '../../../core/channel/inbound.js'
import { isNewState } from '../../../core/conversation/status.js'
import { bulk, conversation as limits } from '../../../core/limits/index.js'
import { createChat, idOf, minute, text } from './fixture.js'

const hour = 60 * minute
const both = { delivery: { channels: ['rcs', 'sms'], fallbackOn: ['sendFailed'] } }

t.test('Messages are sent one at a time in the order of their acceptance', async (t) => {
  const chat = createChat()
  const ids = ['one', 'two', 'three'].map((word) => idOf(chat.send(text(word))))
  t.same(chat.delivered, [{ messageId: ids[0], attempt: 1 }])
  chat.sent()
  chat.sent()
  chat.sent()
  t.same(
    chat.delivered.map(({ messageId }) => messageId),
    ids,
  )
  t.same(
    chat.types().map((event) => event.type === 'status' && [event.status.messageId, event.status.state]),
    ids.map((id) => [id, 'sent']),
  )
})

t.test('Pacing keeps the minimum delay between two messages', async (t) => {
  const chat = createChat({ minDelayMs: 1_000 })
  idOf(chat.send(text('one')))
  const second = idOf(chat.send(text('two')))
  chat.sent()
  t.equal(chat.delivered.length, 1)
  t.equal(chat.timers.get('send'), chat.now() + 1_000)
  chat.advance(1_000)
  chat.fireTimer('send')
  t.equal(chat.delivered.at(-1)!.messageId, second)
})

t.test('A provider that answers later gets retries with growing waits, and no message overtakes', async (t) => {
  const chat = createChat()
  const first = idOf(chat.send(text('one')))
  idOf(chat.send(text('two')))
  const later = { kind: 'refused', reason: 'sendFailed', retry: 'later' } as const
  for (const [index, waitMs] of limits.sendRetryMs.entries()) {
    chat.applyOutcome(later)
    t.equal(chat.timers.get('send'), chat.now() + waitMs)
    chat.advance(waitMs)
    chat.fireTimer('send')
    t.same(chat.delivered.at(-1), { messageId: first, attempt: index + 2 })
  }
  chat.applyOutcome(later)
  t.match(chat.types(), [{ type: 'status', status: { messageId: first, state: 'failed', reason: 'sendFailed' } }])
  t.not(chat.delivered.at(-1)!.messageId, first, 'then the next one goes')
})

t.test('A report about a finished attempt has no effect', async (t) => {
  const chat = createChat()
  idOf(chat.send(text('one')))
  chat.applyOutcome({ kind: 'refused', reason: 'x', retry: 'later' })
  const before = chat.conversation()
  chat.applyOutcome({ kind: 'sent', providerIds: ['p'] }, { messageId: chat.delivered[0]!.messageId, attempt: 1 })
  t.equal(chat.conversation(), before)
})

t.test('A message with a known id is accepted once within a day', async (t) => {
  const chat = createChat()
  const first = idOf(chat.send(text('one', { id: 'mine' })))
  t.equal(idOf(chat.send(text('one', { id: 'mine' }))), first)
  t.equal(chat.conversation().queue.length, 1)
  chat.advance(24 * hour)
  t.not(idOf(chat.send(text('one', { id: 'mine' }))), first)
})

t.test('A message in bulk is reported as queued, and sent at its leave time', async (t) => {
  const chat = createChat()
  const leaveAt = chat.now() + minute
  const id = idOf(chat.send(text('one'), { isBatch: true, leaveAt }))
  t.match(chat.types(), [{ type: 'status', status: { messageId: id, state: 'queued' } }])
  const direct = idOf(chat.send(text('two')))
  t.same(chat.delivered, [{ messageId: direct, attempt: 1 }], 'a message that does not wait goes before it')
  chat.sent()
  t.equal(chat.timers.get('paced'), leaveAt - bulk.sendQueueMs)
  chat.advance(minute)
  chat.fireTimer('paced')
  t.equal(chat.delivered.at(-1)!.messageId, id)
  t.equal(chat.outgoing(id)?.leaveAt, leaveAt, 'it waits for the rest of its time in the send queue')
})

t.test('A message in bulk with a leave time close by waits in the send queue of the process', async (t) => {
  const chat = createChat()
  const id = idOf(chat.send(text('one'), { isBatch: true, leaveAt: chat.now() + bulk.sendQueueMs }))
  t.match(chat.types(), [{ type: 'status', status: { messageId: id, state: 'queued' } }])
  t.match(chat.delivered, [{ messageId: id }])
})

t.test('Messages in bulk to one person keep their order, the first of them at any clock time', async (t) => {
  const chat = createChat()
  const ids = [2, 3, 4].map((n) => idOf(chat.send(text(`${n}`), { isBatch: true, leaveAt: chat.now() + n * minute })))
  chat.advance(-hour)
  chat.fireTimer('paced')
  t.match(chat.delivered, [{ messageId: ids[0] }])
  t.equal(chat.timers.get('paced'), chat.now() + minute, 'the others keep their distance from it')
  chat.sent()
  for (const _each of ids.slice(1)) {
    chat.advance(minute)
    chat.fireTimer('paced')
    chat.sent()
  }
  t.same(
    chat.delivered.map(({ messageId }) => messageId),
    ids,
  )
})

t.test('A STOP ends messages in bulk at once, and a START brings none of them back', async (t) => {
  const chat = createChat({ channel: 'sms', compliance: {} })
  const ids = [1, 2].map((n) => idOf(chat.send(text(`${n}`), { isBatch: true, leaveAt: chat.now() + n * minute })))
  chat.receiveText('STOP')
  chat.sent()
  for (const id of ids) t.match(chat.outgoing(id), { states: { failed: chat.now() } })
  chat.receiveText('START')
  chat.sent()
  t.notOk(chat.timers.has('paced'), 'no timer waits for them')
  t.notOk(
    chat.delivered.some(({ messageId }) => ids.includes(messageId)),
    'only confirmations go out',
  )
})

t.test('Messages in bulk count among those that wait for a person', async (t) => {
  const chat = createChat({ loopGuard: { messages: 1_000, seconds: 1 } })
  const bulkRequest = { isBatch: true, leaveAt: chat.now() + hour } as const
  for (let count = 0; count < limits.queuedMessages; count++) idOf(chat.send(text('one'), bulkRequest))
  t.match(chat.send(text('one more'), bulkRequest), { reason: 'tooLarge' })
})

t.test('On a provider without a rate limit a message in bulk is sent at once like any other', async (t) => {
  const chat = createChat()
  const id = idOf(chat.send(text('one'), { isBatch: true }))
  t.same(chat.types(), [])
  t.match(chat.delivered, [{ messageId: id }])
})

t.test('Without a binding, or with one switched off, a message is refused with that reason', async (t) => {
  const chat = createChat()
  t.same(chat.send(text('one'), { agent: { binding: undefined } }), { reason: 'noBinding' })
  const off = { provider: 'emulator', isActive: false, minDelayMs: 0 }
  t.same(chat.send(text('one'), { agent: { binding: off } }), { reason: 'bindingNotReady' })
})

t.test('The number of messages that wait for one person is bounded', async (t) => {
  const chat = createChat({ loopGuard: { messages: 1_000, seconds: 1 } })
  for (let count = 0; count < limits.queuedMessages; count++) idOf(chat.send(text('one')))
  t.match(chat.send(text('one')), { reason: 'tooLarge' })
})

t.test('Each state is reported once, in any order of receipts, even before the response to the send', async (t) => {
  const chat = createChat()
  const id = idOf(chat.send(text('one')))
  chat.receipt({ providerId: 'p1', state: 'delivered' })
  t.same(chat.types(), [], 'its message is not known yet')
  chat.sent('p1')
  t.match(chat.types(), [
    { status: { messageId: id, state: 'sent' } },
    { status: { messageId: id, state: 'delivered' } },
  ])
  chat.receipt({ providerId: 'p1', state: 'delivered' })
  chat.receipt({ providerId: 'p1', state: 'sent' })
  t.same(chat.types(), [])
  chat.receipt({ providerId: 'p1', state: 'read' })
  chat.receipt({ providerId: 'p1', state: 'failed', reason: 'late' })
  t.match(chat.types(), [{ status: { state: 'read' } }], 'a read message has not failed')
})

t.test('A message that failed and then arrived counts as delivered, and is never sent again', async (t) => {
  const chat = createChat()
  idOf(chat.send(text('one')))
  chat.sent('p1')
  chat.events()
  chat.receipt({ providerId: 'p1', state: 'failed', reason: 'unreachable' })
  chat.receipt({ providerId: 'p1', state: 'delivered' })
  t.match(chat.types(), [{ status: { state: 'failed', reason: 'unreachable' } }, { status: { state: 'delivered' } }])
})

t.test('No order of receipts reports a state twice or a failure after delivery', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...messageStates), { maxLength: 12 }), (states) => {
      let reported: Partial<Record<(typeof messageStates)[number], number>> = {}
      const order: string[] = []
      for (const state of states) {
        if (!isNewState({ states: reported }, state)) continue
        order.push(state)
        reported = { ...reported, [state]: order.length }
      }
      if (new Set(order).size !== order.length) throw new Error(`twice: ${order}`)
      const failed = order.indexOf('failed')
      const arrived = [order.indexOf('delivered'), order.indexOf('read')].filter((place) => place >= 0)
      if (failed >= 0 && arrived.some((place) => place < failed)) throw new Error(`failed after arrival: ${order}`)
      if (failed >= 0 && order.indexOf('sent') > failed) throw new Error(`sent after it failed: ${order}`)
    }),
  )
  t.pass('any order')
})

t.test('A message in several pieces is delivered when all of them are delivered', async (t) => {
  const chat = createChat()
  idOf(chat.send(text('one')))
  chat.applyOutcome({ kind: 'sent', providerIds: ['a', 'b'] })
  chat.events()
  chat.receipt({ providerId: 'a', state: 'delivered' })
  chat.receipt({ providerId: 'a', state: 'delivered' })
  t.same(chat.types(), [])
  chat.receipt({ providerId: 'b', state: 'delivered' })
  t.match(chat.types(), [{ status: { state: 'delivered' } }])
})

t.test('A watermark receipt is reported for each message it covers', async (t) => {
  const chat = createChat({ channel: 'messengerB' })
  chat.receiveText('hi')
  const ids = ['one', 'two', 'three'].map((word) => {
    const id = idOf(chat.send(text(word)))
    chat.advance(1_000)
    chat.sent()
    return id
  })
  chat.events()
  const readUpTo = (at: number) => {
    chat.receipt({ providerId: '', state: 'read', upTo: at })
    return chat.types().map((event) => event.type === 'status' && event.status.messageId)
  }
  t.same(readUpTo(chat.now() - 1_001), ids.slice(0, 2))
  t.same(
    readUpTo(chat.now() - 500),
    ids.slice(2),
    'the last, too: its submission had begun before, although its response came later',
  )
})

t.test('A watermark before the response to the send is applied after that response', async (t) => {
  const chat = createChat({ channel: 'messengerB' })
  chat.receiveText('hi')
  const id = idOf(chat.send(text('one')))
  chat.advance(500)
  chat.events()
  chat.receipt({ providerId: '', state: 'read', upTo: chat.now() })
  t.same(chat.types(), [])
  chat.sent()
  t.match(chat.types(), [{ status: { messageId: id, state: 'sent' } }, { status: { messageId: id, state: 'read' } }])
  chat.advance(1)
  idOf(chat.send(text('two')))
  chat.sent()
  t.match(
    chat.types(),
    [{ status: { state: 'sent' } }],
    'a submission that began after the watermark is not covered by it',
  )
})

t.test('A receipt that reports an opt-out opts the person out', async (t) => {
  const chat = createChat({ channel: 'messengerA' })
  chat.receiveText('hi')
  idOf(chat.send(text('one')))
  chat.sent('p1')
  chat.events()
  chat.receipt({ providerId: 'p1', state: 'failed', reason: 'optedOut' })
  t.match(chat.types(), [{ status: { state: 'failed', reason: 'optedOut' } }, { system: { kind: 'optOut' } }])
  t.same(chat.send(text('two')), { reason: 'optedOut' })
})

t.test('Without keywords a new message opts the person in; on carriers only START does', async (t) => {
  const chat = createChat({ channel: 'messengerA' })
  chat.receiveText('hi')
  chat.receive({ kind: 'system', system: 'optOut' })
  chat.events()
  chat.receiveText('It is me again')
  t.match(chat.types(), [{ system: { kind: 'optIn' } }, { message: { text: 'It is me again' } }])
  idOf(chat.send(text('one')))
  const phone = createChat({ channel: 'sms' })
  phone.receiveText('STOP')
  phone.events()
  phone.receiveText('It is me again')
  t.match(phone.types(), [{ message: { text: 'It is me again' } }])
  t.same(phone.send(text('one')), { reason: 'optedOut' })
  phone.receiveText('START')
  idOf(phone.send(text('one')))
})

t.test('A delivery after a reported failure is reported as delivered, and the status says so', async (t) => {
  const chat = createChat({ channel: 'rcs', siblings: { sms: 'usr_b' } })
  const id = idOf(chat.send(text('one', both)))
  chat.sent('p1')
  chat.events()
  chat.receipt({ providerId: 'p1', state: 'failed', reason: 'expired' })
  t.match(chat.types(), [{ status: { messageId: id, state: 'failed', reason: 'expired' } }])
  t.same(chat.failovers, [], 'a receipt moves it to no other channel')
  chat.receipt({ providerId: 'p1', state: 'delivered' })
  t.match(chat.types(), [{ status: { messageId: id, state: 'delivered', detail: /failed before/ } }])
})

t.test('After the clock is set back the next message is sent at once or after its pause', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 48 * hour }),
      fc.constantFrom(0, 250, 3_000),
      async (backMs, minDelayMs) => {
        const chat = createChat({ minDelayMs })
        idOf(chat.send(text('one')))
        chat.sent()
        chat.advance(-backMs)
        const next = idOf(chat.send(text('two')))
        const wakesAt = chat.timers.get('send')
        if (wakesAt !== undefined) {
          t.ok(wakesAt - chat.now() <= 3_000, 'it waits no longer than the longest pause')
          chat.advance(wakesAt - chat.now())
          chat.fireTimer('send')
        }
        t.equal(chat.delivered.at(-1)!.messageId, next)
      },
    ),
    { numRuns: 50 },
  )
})

t.test('A retry scheduled before the clock was set back is made with the next message', async (t) => {
  const chat = createChat()
  const first = idOf(chat.send(text('one')))
  chat.applyOutcome({ kind: 'refused', reason: 'sendFailed', retry: 'later' })
  chat.advance(-hour)
  idOf(chat.send(text('two')))
  t.same(chat.delivered.at(-1), { messageId: first, attempt: 2 })
})

t.test('A retry that is due is made, whatever the clock has shown since it was set back', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 48 * hour }), async (backMs) => {
      const chat = createChat()
      const first = idOf(chat.send(text('one')))
      chat.applyOutcome({ kind: 'refused', reason: 'sendFailed', retry: 'later' })
      chat.advance(-backMs)
      chat.fireTimer('send')
      t.same(chat.delivered.at(-1), { messageId: first, attempt: 2 })
    }),
    { numRuns: 50 },
  )
})

t.test('Receipts later than a day are on record and not reported', async (t) => {
  const chat = createChat()
  idOf(chat.send(text('one')))
  chat.sent('p1')
  chat.events()
  chat.advance(24 * hour + 1)
  chat.receipt({ providerId: 'p1', state: 'delivered' })
  t.same(chat.types(), [])
  t.match(chat.traffic.at(-1), { type: 'status', subtype: 'delivered' })
})

t.test('Outside the window a message is refused, deferred, or sent on the next channel', async (t) => {
  const chat = createChat({ channel: 'messengerA' })
  t.same(chat.send(text('one')), { reason: 'windowClosed' })
  const deferredId = idOf(chat.send(text('two', { delivery: { outsideWindow: 'queue' } })))
  t.match(chat.types(), [{ status: { messageId: deferredId, state: 'queued' } }])
  t.equal(chat.delivered.length, 0)
  chat.receiveText('hi')
  t.match(chat.types(), [{ system: { kind: 'windowChanged' } }, { type: 'message' }])
  t.equal(chat.delivered[0]!.messageId, deferredId, 'the window is open')
})

t.test('The window closes hours after the person’s last message, and the agent is told once', async (t) => {
  const chat = createChat({ channel: 'messengerA' })
  chat.receiveText('hi')
  chat.events()
  chat.advance(23 * hour)
  chat.receiveText('again')
  chat.events()
  chat.advance(2 * hour)
  chat.fireTimer('window')
  t.same(chat.types(), [], 'it counts from the last thing said')
  chat.advance(22 * hour)
  chat.fireTimer('window')
  t.match(chat.events(), [{ window: 'closed', event: { system: { kind: 'windowChanged' } } }])
  chat.fireTimer('window')
  t.same(chat.types(), [])
})

t.test('A message deferred for a day has failed', async (t) => {
  const chat = createChat({ channel: 'messengerA' })
  const id = idOf(chat.send(text('one', { delivery: { outsideWindow: 'queue' } })))
  chat.events()
  chat.advance(24 * hour + 3_000)
  chat.fireTimer('deferred')
  t.match(chat.types(), [{ status: { messageId: id, state: 'failed', reason: 'windowClosed' } }])
})

t.test(
  'A message that its first channel cannot send fails over to the next, and its states name the channel',
  async (t) => {
    const chat = createChat({ channel: 'rcs', siblings: { sms: 'usr_b' } })
    const id = idOf(chat.send(text('one', both)))
    chat.applyOutcome({ kind: 'refused', reason: 'sendFailed', retry: 'otherChannel' })
    t.match(chat.failovers, [{ to: 'sms', outgoing: { id } }])
    t.same(chat.types(), [], 'it has not failed')
    const attempt = { channel: 'sms', provider: 'emulator' } as const
    chat.failoverUpdate(id, { state: 'sent', attempt })
    chat.failoverUpdate(id, { state: 'delivered', attempt })
    t.match(chat.types(), [{ status: { state: 'sent', attempt } }, { status: { state: 'delivered', attempt } }])
  },
)

t.test('Without another channel, or a person on it, the message fails where it was tried last', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  const id = idOf(chat.send(text('one', both)))
  chat.applyOutcome({ kind: 'refused', reason: 'sendFailed', retry: 'otherChannel', detail: 'No RCS.' })
  t.match(chat.types(), [
    { status: { messageId: id, state: 'failed', attempt: { channel: 'rcs' }, detail: 'No RCS.' } },
  ])
})

const inTime = { delivery: { channels: ['rcs', 'sms'], fallbackOn: ['undelivered'] } }

t.test('A message with a delivery timeout stays on its channel while the feature is off', async (t) => {
  const chat = createChat({ channel: 'rcs', siblings: { sms: 'usr_b' } })
  const id = idOf(chat.send(text('one', inTime)))
  chat.sent()
  t.equal(chat.timers.get('undelivered'), chat.now() + hour)
  chat.events()
  chat.advance(hour)
  chat.fireTimer('undelivered')
  t.same([chat.types(), chat.failovers], [[], []], 'moving it is switched off')
  t.match(chat.logs.at(-1), { event: 'message.undelivered', data: { messageId: id } })
  t.equal(chat.conversation().awaitingDelivery, undefined)
  idOf(chat.send(text('two')))
  chat.sent()
  t.notOk(chat.timers.has('undelivered'), 'a message without that policy')
})

t.test('With the feature on, only an undelivered message fails over after its delivery timeout', async (t) => {
  const chat = createChat({ channel: 'rcs', siblings: { sms: 'usr_b' }, failsOverUndelivered: true })
  const [arrived, late, later] = ['one', 'two', 'three'].map((word) => {
    const id = idOf(chat.send(text(word, inTime)))
    chat.sent()
    chat.advance(1_000)
    return id
  })
  chat.receipt({ providerId: `p-${arrived}`, state: 'delivered' })
  chat.advance(hour - 2_000)
  chat.fireTimer('undelivered')
  t.match(chat.failovers, [{ to: 'sms', outgoing: { id: late } }])
  t.ok(chat.timers.has('undelivered'), 'the last one still has a second')
  chat.advance(1_000)
  chat.fireTimer('undelivered')
  t.same(
    chat.failovers.map(({ outgoing }) => outgoing.id),
    [late, later],
  )
})

t.test('A message that the failover channel cannot send is reported as failed, after any wait', async (t) => {
  const chat = createChat({ channel: 'rcs', siblings: { sms: 'usr_b' } })
  const id = idOf(chat.send(text('one', both)))
  chat.applyOutcome({ kind: 'refused', reason: 'sendFailed', retry: 'otherChannel' })
  const attempt = { channel: 'sms', provider: 'emulator' } as const
  const reason = 'bindingNotReady'
  chat.failoverUpdate(id, { state: 'queued', attempt, reason })
  chat.advance(25 * hour)
  chat.failoverUpdate(id, { state: 'failed', attempt, reason })
  t.match(chat.types(), [
    { status: { messageId: id, state: 'queued', attempt, reason } },
    { status: { messageId: id, state: 'failed', attempt, reason } },
  ])
})

t.test('An opted-out person gets no failover', async (t) => {
  const chat = createChat({ channel: 'rcs', siblings: { sms: 'usr_b' } })
  idOf(chat.send(text('one', both)))
  chat.applyOutcome({ kind: 'refused', reason: 'optedOut', retry: 'otherChannel' })
  t.same(chat.failovers, [])
  t.match(chat.types(), [{ system: { kind: 'optOut' } }, { status: { state: 'failed', reason: 'optedOut' } }])
  t.same(chat.send(text('two', both)), { reason: 'optedOut' })
})

t.test('A message held back after a STOP opts nobody out who has sent START since', async (t) => {
  const chat = createChat()
  idOf(chat.send(text('one')))
  chat.receiveText('STOP')
  chat.receiveText('START')
  chat.applyOutcome({ kind: 'refused', reason: 'optedOut', retry: 'never', isHeldBack: true })
  t.match(chat.types().at(-1), { status: { state: 'failed', reason: 'optedOut' } })
  idOf(chat.send(text('two')))
})

t.test('A message whose first channel is another one is sent there at once', async (t) => {
  const chat = createChat({ channel: 'rcs', siblings: { sms: 'usr_b' } })
  const id = idOf(chat.send(text('one', { delivery: { channels: ['sms', 'rcs'] } })))
  t.match(chat.failovers, [{ to: 'sms', outgoing: { id } }])
  t.equal(chat.delivered.length, 0)
})

t.test('A signal is sent in its turn and has no states', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  idOf(chat.send({ spec: 'amf/1', signal: 'typing' }))
  chat.sent()
  t.same(chat.types(), [])
  t.equal(chat.conversation().session, undefined, 'nor is it content')
})

t.test('A signal does not delay the next message', async (t) => {
  const chat = createChat({ channel: 'rcs', minDelayMs: 1_000 })
  idOf(chat.send({ spec: 'amf/1', signal: 'typing' }))
  const next = idOf(chat.send(text('one')))
  chat.sent()
  t.equal(chat.delivered.at(-1)!.messageId, next)
})

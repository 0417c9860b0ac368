/** Agent messages on their way: order, pacing, tries, receipts, windows and the next channel. */
import fc from 'fast-check'
import t from 'tap'
import { isNews } from '../../../core/conversation/receipts.js'
import { messageStates } from '../../../core/conversation/state.js'
import { conversation as limits } from '../../../core/limits.js'
import { idOf, laid, minute, text } from './table.js'

const hour = 60 * minute
const both = { delivery: { channels: ['rcs', 'sms'], fallbackOn: ['sendFailed'] } }

t.test('Messages go out one at a time in the order they were taken', async (t) => {
  const table = laid()
  const ids = ['one', 'two', 'three'].map((word) => idOf(table.offer(text(word))))
  t.same(table.delivered, [{ messageId: ids[0], tried: 1 }])
  table.sent()
  table.sent()
  table.sent()
  t.same(
    table.delivered.map(({ messageId }) => messageId),
    ids,
  )
  t.same(
    table.types().map((event) => event.type === 'status' && [event.status.messageId, event.status.state]),
    ids.map((id) => [id, 'sent']),
  )
})

t.test('Pacing keeps the least time between two messages', async (t) => {
  const table = laid({ minDelayMs: 1_000 })
  idOf(table.offer(text('one')))
  const second = idOf(table.offer(text('two')))
  table.sent()
  t.equal(table.delivered.length, 1)
  t.equal(table.wakes.get('send'), table.now() + 1_000)
  table.pass(1_000)
  table.woken('send')
  t.equal(table.delivered.at(-1)!.messageId, second)
})

t.test('A provider that says later is asked again with growing waits, and nothing overtakes', async (t) => {
  const table = laid()
  const first = idOf(table.offer(text('one')))
  idOf(table.offer(text('two')))
  const later = { kind: 'refused', reason: 'sendFailed', again: 'later' } as const
  for (const [index, waitMs] of limits.sendAgainMs.entries()) {
    table.answers(later)
    t.equal(table.wakes.get('send'), table.now() + waitMs)
    table.pass(waitMs)
    table.woken('send')
    t.same(table.delivered.at(-1), { messageId: first, tried: index + 2 })
  }
  table.answers(later)
  t.match(table.types(), [{ type: 'status', status: { messageId: first, state: 'failed', reason: 'sendFailed' } }])
  t.not(table.delivered.at(-1)!.messageId, first, 'then the next one goes')
})

t.test('What is said of a try that is over changes nothing', async (t) => {
  const table = laid()
  idOf(table.offer(text('one')))
  table.answers({ kind: 'refused', reason: 'x', again: 'later' })
  const before = table.conversation()
  table.answers({ kind: 'sent', providerIds: ['p'] }, { messageId: table.delivered[0]!.messageId, tried: 1 })
  t.equal(table.conversation(), before)
})

t.test('A message under an id that is known is taken once for a day', async (t) => {
  const table = laid()
  const first = idOf(table.offer(text('one', { id: 'mine' })))
  t.equal(idOf(table.offer(text('one', { id: 'mine' }))), first)
  t.equal(table.conversation().queue.length, 1)
  table.pass(24 * hour)
  t.not(idOf(table.offer(text('one', { id: 'mine' }))), first)
})

t.test('Bulk messages wait for their release, and say that they are queued', async (t) => {
  const table = laid()
  const id = idOf(table.offer(text('one'), { isBatch: true }))
  t.same(table.governed, [{ messageId: id, perSecond: table.around.binding!.bulkPerSecond }])
  t.equal(table.delivered.length, 0)
  t.match(table.types(), [{ type: 'status', status: { messageId: id, state: 'queued' } }])
  table.released(id)
  t.equal(table.delivered[0]!.messageId, id)
})

t.test('Where a provider takes as much as comes, a bulk message goes at once like any other', async (t) => {
  const table = laid()
  const binding = { provider: 'emulator', isActive: true, minDelayMs: 0 }
  const id = idOf(table.offer(text('one'), { isBatch: true, around: { binding } }))
  t.same([table.governed, table.types()], [[], []])
  t.match(table.delivered, [{ messageId: id }])
})

t.test('Without a binding, or with one switched off, a message is refused for that', async (t) => {
  const table = laid()
  t.same(table.offer(text('one'), { around: { binding: undefined } }), { reason: 'noBinding' })
  const off = { provider: 'emulator', isActive: false, minDelayMs: 0 }
  t.same(table.offer(text('one'), { around: { binding: off } }), { reason: 'bindingNotReady' })
})

t.test('No more wait for one person than may', async (t) => {
  const table = laid({ loopGuard: { messages: 1_000, seconds: 1 } })
  for (let count = 0; count < limits.queuedMessages; count++) idOf(table.offer(text('one')))
  t.match(table.offer(text('one')), { reason: 'tooLarge' })
})

t.test('Each state is told once, whatever order the receipts come in, also before the send is answered', async (t) => {
  const table = laid()
  const id = idOf(table.offer(text('one')))
  table.receipt({ providerId: 'p1', state: 'delivered' })
  t.same(table.types(), [], 'nobody knows yet whose it is')
  table.sent('p1')
  t.match(table.types(), [
    { status: { messageId: id, state: 'sent' } },
    { status: { messageId: id, state: 'delivered' } },
  ])
  table.receipt({ providerId: 'p1', state: 'delivered' })
  table.receipt({ providerId: 'p1', state: 'sent' })
  t.same(table.types(), [])
  table.receipt({ providerId: 'p1', state: 'read' })
  table.receipt({ providerId: 'p1', state: 'failed', reason: 'late' })
  t.match(table.types(), [{ status: { state: 'read' } }], 'what was read has not failed')
})

t.test('A message that failed and then arrived has arrived, and is never sent again', async (t) => {
  const table = laid()
  idOf(table.offer(text('one')))
  table.sent('p1')
  table.told()
  table.receipt({ providerId: 'p1', state: 'failed', reason: 'unreachable' })
  table.receipt({ providerId: 'p1', state: 'delivered' })
  t.match(table.types(), [{ status: { state: 'failed', reason: 'unreachable' } }, { status: { state: 'delivered' } }])
})

t.test('By the rules of receipts no order of states tells one twice or tells failure after arrival', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...messageStates), { maxLength: 12 }), (states) => {
      let told: Partial<Record<(typeof messageStates)[number], number>> = {}
      const order: string[] = []
      for (const state of states) {
        if (!isNews({ states: told }, state)) continue
        order.push(state)
        told = { ...told, [state]: order.length }
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

t.test('A message in several pieces is delivered when all of them are', async (t) => {
  const table = laid()
  idOf(table.offer(text('one')))
  table.answers({ kind: 'sent', providerIds: ['a', 'b'] })
  table.told()
  table.receipt({ providerId: 'a', state: 'delivered' })
  table.receipt({ providerId: 'a', state: 'delivered' })
  t.same(table.types(), [])
  table.receipt({ providerId: 'b', state: 'delivered' })
  t.match(table.types(), [{ status: { state: 'delivered' } }])
})

t.test('A receipt that covers all up to a moment is told for each message it covers', async (t) => {
  const table = laid({ channel: 'messengerB' })
  table.says('hi')
  const ids = ['one', 'two', 'three'].map((word) => {
    const id = idOf(table.offer(text(word)))
    table.pass(1_000)
    table.sent()
    return id
  })
  table.told()
  const readUpTo = (at: number) => {
    table.receipt({ providerId: '', state: 'read', upTo: at })
    return table.types().map((event) => event.type === 'status' && event.status.messageId)
  }
  t.same(readUpTo(table.now() - 1_001), ids.slice(0, 2))
  t.same(
    readUpTo(table.now() - 500),
    ids.slice(2),
    'the last, too: its hand-over had begun, though the answer to it came later',
  )
})

t.test('A mark that comes before the answer to the send counts once that is there', async (t) => {
  const table = laid({ channel: 'messengerB' })
  table.says('hi')
  const id = idOf(table.offer(text('one')))
  table.pass(500)
  table.told()
  table.receipt({ providerId: '', state: 'read', upTo: table.now() })
  t.same(table.types(), [])
  table.sent()
  t.match(table.types(), [{ status: { messageId: id, state: 'sent' } }, { status: { messageId: id, state: 'read' } }])
  table.pass(1)
  idOf(table.offer(text('two')))
  table.sent()
  t.match(table.types(), [{ status: { state: 'sent' } }], 'what began after the mark is not covered by it')
})

t.test('A receipt that says that the person opted out opts them out', async (t) => {
  const table = laid({ channel: 'messengerA' })
  table.says('hi')
  idOf(table.offer(text('one')))
  table.sent('p1')
  table.told()
  table.receipt({ providerId: 'p1', state: 'failed', reason: 'optedOut' })
  t.match(table.types(), [{ status: { state: 'failed', reason: 'optedOut' } }, { system: { kind: 'optOut' } }])
  t.same(table.offer(text('two')), { reason: 'optedOut' })
})

t.test(
  'Where there are no keywords, whoever writes again has come back; on carriers only START brings them back',
  async (t) => {
    const chat = laid({ channel: 'messengerA' })
    chat.says('hi')
    chat.hear({ kind: 'system', system: 'optOut' })
    chat.told()
    chat.says('It is me again')
    t.match(chat.types(), [{ system: { kind: 'optIn' } }, { message: { text: 'It is me again' } }])
    idOf(chat.offer(text('one')))
    const phone = laid({ channel: 'sms' })
    phone.says('STOP')
    phone.told()
    phone.says('It is me again')
    t.match(phone.types(), [{ message: { text: 'It is me again' } }])
    t.same(phone.offer(text('one')), { reason: 'optedOut' })
    phone.says('START')
    idOf(phone.offer(text('one')))
  },
)

t.test('A message that was reported as failed and arrives is told as arrived, and the status says so', async (t) => {
  const table = laid({ channel: 'rcs', siblings: { sms: 'usr_b' } })
  const id = idOf(table.offer(text('one', both)))
  table.sent('p1')
  table.told()
  table.receipt({ providerId: 'p1', state: 'failed', reason: 'expired' })
  t.match(table.types(), [{ status: { messageId: id, state: 'failed', reason: 'expired' } }])
  t.same(table.carried, [], 'a receipt moves it to no other channel')
  table.receipt({ providerId: 'p1', state: 'delivered' })
  t.match(table.types(), [{ status: { messageId: id, state: 'delivered', detail: /failed before/ } }])
})

t.test('Whenever the clock is set back, the next message goes out at once or after its pause', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 48 * hour }),
      fc.constantFrom(0, 250, 3_000),
      async (backMs, minDelayMs) => {
        const table = laid({ minDelayMs })
        idOf(table.offer(text('one')))
        table.sent()
        table.pass(-backMs)
        const next = idOf(table.offer(text('two')))
        const wakesAt = table.wakes.get('send')
        if (wakesAt !== undefined) {
          t.ok(wakesAt - table.now() <= 3_000, 'it waits no longer than the longest pause')
          table.pass(wakesAt - table.now())
          table.woken('send')
        }
        t.equal(table.delivered.at(-1)!.messageId, next)
      },
    ),
    { numRuns: 50 },
  )
})

t.test('A try that waits for a time before the clock was set back is made with the next message', async (t) => {
  const table = laid()
  const first = idOf(table.offer(text('one')))
  table.answers({ kind: 'refused', reason: 'sendFailed', again: 'later' })
  table.pass(-hour)
  idOf(table.offer(text('two')))
  t.same(table.delivered.at(-1), { messageId: first, tried: 2 })
})

t.test('A try whose time has come is made, whatever the clock says since it was set back', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 48 * hour }), async (backMs) => {
      const table = laid()
      const first = idOf(table.offer(text('one')))
      table.answers({ kind: 'refused', reason: 'sendFailed', again: 'later' })
      table.pass(-backMs)
      table.woken('send')
      t.same(table.delivered.at(-1), { messageId: first, tried: 2 })
    }),
    { numRuns: 50 },
  )
})

t.test('Receipts later than a day are on record and told to nobody', async (t) => {
  const table = laid()
  idOf(table.offer(text('one')))
  table.sent('p1')
  table.told()
  table.pass(24 * hour + 1)
  table.receipt({ providerId: 'p1', state: 'delivered' })
  t.same(table.types(), [])
  t.match(table.traffic.at(-1), { type: 'status', subtype: 'delivered' })
})

t.test('Outside the window a message is refused, waits for it, or takes the next channel', async (t) => {
  const table = laid({ channel: 'messengerA' })
  t.same(table.offer(text('one')), { reason: 'windowClosed' })
  const held = idOf(table.offer(text('two', { delivery: { outsideWindow: 'queue' } })))
  t.match(table.types(), [{ status: { messageId: held, state: 'queued' } }])
  t.equal(table.delivered.length, 0)
  table.says('hi')
  t.match(table.types(), [{ system: { kind: 'windowChanged' } }, { type: 'message' }])
  t.equal(table.delivered[0]!.messageId, held, 'the window is open')
})

t.test('The window closes hours after the person last wrote, and the agent is told once', async (t) => {
  const table = laid({ channel: 'messengerA' })
  table.says('hi')
  table.told()
  table.pass(23 * hour)
  table.says('again')
  table.told()
  table.pass(2 * hour)
  table.woken('window')
  t.same(table.types(), [], 'it counts from the last thing said')
  table.pass(22 * hour)
  table.woken('window')
  t.match(table.told(), [{ window: 'closed', event: { system: { kind: 'windowChanged' } } }])
  table.woken('window')
  t.same(table.types(), [])
})

t.test('A message that waited for the window for a day has failed', async (t) => {
  const table = laid({ channel: 'messengerA' })
  const id = idOf(table.offer(text('one', { delivery: { outsideWindow: 'queue' } })))
  table.told()
  table.pass(24 * hour + 3_000)
  table.woken('held')
  t.match(table.types(), [{ status: { messageId: id, state: 'failed', reason: 'windowClosed' } }])
})

t.test('A message that its first channel cannot send goes on to the next, and its states say where', async (t) => {
  const table = laid({ channel: 'rcs', siblings: { sms: 'usr_b' } })
  const id = idOf(table.offer(text('one', both)))
  table.answers({ kind: 'refused', reason: 'sendFailed', again: 'elsewhere' })
  t.match(table.carried, [{ to: 'sms', outgoing: { id } }])
  t.same(table.types(), [], 'it has not failed')
  const attempt = { channel: 'sms', provider: 'emulator' } as const
  table.carriedBack(id, { state: 'sent', attempt })
  table.carriedBack(id, { state: 'delivered', attempt })
  t.match(table.types(), [{ status: { state: 'sent', attempt } }, { status: { state: 'delivered', attempt } }])
})

t.test('Without a channel left, or with one that nobody is on, it has failed where it was tried last', async (t) => {
  const table = laid({ channel: 'rcs' })
  const id = idOf(table.offer(text('one', both)))
  table.answers({ kind: 'refused', reason: 'sendFailed', again: 'elsewhere', detail: 'No RCS.' })
  t.match(table.types(), [
    { status: { messageId: id, state: 'failed', attempt: { channel: 'rcs' }, detail: 'No RCS.' } },
  ])
})

const inTime = { delivery: { channels: ['rcs', 'sms'], fallbackOn: ['undelivered'] } }

t.test(
  'A message that is wanted elsewhere when it does not arrive has its time kept, and stays where it is',
  async (t) => {
    const table = laid({ channel: 'rcs', siblings: { sms: 'usr_b' } })
    const id = idOf(table.offer(text('one', inTime)))
    table.sent()
    t.equal(table.wakes.get('undelivered'), table.now() + hour)
    table.told()
    table.pass(hour)
    table.woken('undelivered')
    t.same([table.types(), table.carried], [[], []], 'moving it is switched off')
    t.match(table.logs.at(-1), { event: 'message.undelivered', data: { messageId: id } })
    t.equal(table.conversation().awaiting, undefined)
    idOf(table.offer(text('two')))
    table.sent()
    t.notOk(table.wakes.has('undelivered'), 'nobody asked for that')
  },
)

t.test(
  'Once it is switched on, what has not arrived in time goes to the next channel, and nothing else does',
  async (t) => {
    Object.assign(limits, { movesUndelivered: true })
    t.teardown(() => void Object.assign(limits, { movesUndelivered: false }))
    const table = laid({ channel: 'rcs', siblings: { sms: 'usr_b' } })
    const [arrived, late, later] = ['one', 'two', 'three'].map((word) => {
      const id = idOf(table.offer(text(word, inTime)))
      table.sent()
      table.pass(1_000)
      return id
    })
    table.receipt({ providerId: `p-${arrived}`, state: 'delivered' })
    table.pass(hour - 2_000)
    table.woken('undelivered')
    t.match(table.carried, [{ to: 'sms', outgoing: { id: late } }])
    t.ok(table.wakes.has('undelivered'), 'the last one still has a second')
    table.pass(1_000)
    table.woken('undelivered')
    t.same(
      table.carried.map(({ outgoing }) => outgoing.id),
      [late, later],
    )
  },
)

t.test(
  'A message that another channel has taken over and cannot send is told as failed, however long it waited',
  async (t) => {
    const table = laid({ channel: 'rcs', siblings: { sms: 'usr_b' } })
    const id = idOf(table.offer(text('one', both)))
    table.answers({ kind: 'refused', reason: 'sendFailed', again: 'elsewhere' })
    const attempt = { channel: 'sms', provider: 'emulator' } as const
    const reason = 'bindingNotReady'
    table.carriedBack(id, { state: 'queued', attempt, reason })
    table.pass(25 * hour)
    table.carriedBack(id, { state: 'failed', attempt, reason })
    t.match(table.types(), [
      { status: { messageId: id, state: 'queued', attempt, reason } },
      { status: { messageId: id, state: 'failed', attempt, reason } },
    ])
  },
)

t.test('Whoever opted out is followed to no other channel', async (t) => {
  const table = laid({ channel: 'rcs', siblings: { sms: 'usr_b' } })
  idOf(table.offer(text('one', both)))
  table.answers({ kind: 'refused', reason: 'optedOut', again: 'elsewhere' })
  t.same(table.carried, [])
  t.match(table.types(), [{ system: { kind: 'optOut' } }, { status: { state: 'failed', reason: 'optedOut' } }])
  t.same(table.offer(text('two', both)), { reason: 'optedOut' })
})

t.test('A message whose first channel is another one goes there at once', async (t) => {
  const table = laid({ channel: 'rcs', siblings: { sms: 'usr_b' } })
  const id = idOf(table.offer(text('one', { delivery: { channels: ['sms', 'rcs'] } })))
  t.match(table.carried, [{ to: 'sms', outgoing: { id } }])
  t.equal(table.delivered.length, 0)
})

t.test('A signal goes out in its turn and has no states', async (t) => {
  const table = laid({ channel: 'rcs' })
  idOf(table.offer({ spec: 'amf/1', signal: 'typing' }))
  table.sent()
  t.same(table.types(), [])
  t.equal(table.conversation().session, undefined, 'nor is it content')
})

t.test('A signal does not keep the next message waiting', async (t) => {
  const table = laid({ channel: 'rcs', minDelayMs: 1_000 })
  idOf(table.offer({ spec: 'amf/1', signal: 'typing' }))
  const next = idOf(table.offer(text('one')))
  table.sent()
  t.equal(table.delivered.at(-1)!.messageId, next)
})

/** What people do: sessions, answers, keywords, and the window that opens when they write. */
import t from 'tap'
import type { OutboundMessage } from '../../../core/amf/index.js'
import { idOf, laid, minute, text } from './table.js'

const rooms: OutboundMessage = {
  spec: 'amf/1',
  parts: [
    {
      type: 'ask.choice',
      intentId: 'room',
      prompt: 'Which room?',
      options: [
        { id: 'r', label: 'Red room' },
        { id: 'b', label: 'Blue room' },
      ],
    },
  ],
}

t.test('The first thing a person says starts the conversation, and is then told as a message', async (t) => {
  const table = laid()
  table.says('hello')
  const [started, message] = table.told()
  t.match(started, { event: { type: 'system', system: { kind: 'conversationStarted' } } })
  t.match(message, { event: { type: 'message', message: { text: 'hello' } }, window: 'open', provider: 'emulator' })
  t.equal(started!.sessionId, message!.sessionId)
  t.not(started!.eventId, message!.eventId)
  table.says('again')
  t.match(table.types(), [{ type: 'message' }], 'and only the first')
})

t.test('Less than half an hour of quiet is one session, and half an hour starts another', async (t) => {
  const table = laid()
  table.says('one')
  const first = table.told()[0]!.sessionId
  table.pass(30 * minute - 1)
  table.says('two')
  t.equal(table.told()[0]!.sessionId, first)
  table.pass(20 * minute)
  idOf(table.offer(text('an answer prolongs it too')))
  table.sent()
  table.told()
  table.pass(20 * minute)
  table.says('three')
  t.equal(table.told()[0]!.sessionId, first)
  table.pass(30 * minute)
  table.says('four')
  t.not(table.told()[0]!.sessionId, first)
})

t.test(
  'Receipts neither begin nor prolong a session, and carry the one that is on or that of their send',
  async (t) => {
    const table = laid()
    const id = idOf(table.offer(text('hello')))
    table.sent('p1')
    const { sessionId } = table.outgoing(id)!
    table.told()
    table.pass(29 * minute)
    table.receipt({ providerId: 'p1', state: 'delivered' })
    t.equal(table.told()[0]!.sessionId, sessionId)
    table.pass(2 * minute)
    table.says('hi')
    const second = table.told().at(-1)!.sessionId
    t.not(second, sessionId, 'the receipt did not prolong it')
    table.receipt({ providerId: 'p1', state: 'read' })
    t.equal(table.told()[0]!.sessionId, second, 'the session that is on')
    const late = idOf(table.offer(text('more')))
    table.sent('p2')
    table.told()
    table.pass(60 * minute)
    table.receipt({ providerId: 'p2', state: 'delivered' })
    t.equal(table.told()[0]!.sessionId, table.outgoing(late)!.sessionId, 'none is on: that of its send')
  },
)

t.test('A channel that says a conversation starts gets a new session even while one is on', async (t) => {
  const table = laid({ channel: 'webchat' })
  table.says('hello')
  const first = table.told()[0]!.sessionId
  table.hear({ kind: 'system', system: 'conversationStarted' })
  const [event] = table.told()
  t.match(event, { event: { type: 'system', system: { kind: 'conversationStarted' } } })
  t.not(event!.sessionId, first)
})

t.test('A typed answer is a result with what was typed', async (t) => {
  const table = laid()
  idOf(table.offer(rooms))
  table.sent()
  table.told()
  table.says('2')
  t.match(table.types().at(-1), {
    type: 'result',
    result: { intent: 'ask.choice', intentId: 'room', optionIds: ['b'], labels: ['Blue room'], via: 'text', text: '2' },
  })
  table.says('1')
  t.match(table.types(), [{ type: 'message', message: { text: '1' } }], 'answered is answered')
})

t.test('What is not clearly an answer is a message, and the question stays open', async (t) => {
  const table = laid()
  idOf(table.offer(rooms))
  table.sent()
  table.says('red room or blue room?')
  t.match(table.types().at(-1), { type: 'message' })
  table.says('the blue room')
  t.match(table.types(), [{ type: 'result', result: { optionIds: ['b'] } }])
})

t.test('An answer that overtakes the provider’s own answer to the send is an answer', async (t) => {
  const table = laid()
  idOf(table.offer(rooms))
  table.says('1')
  t.match(table.types().at(-1), { type: 'result', result: { optionIds: ['r'] } })
})

t.test('A tap answers its own question however old, and never the newest', async (t) => {
  const table = laid({ channel: 'rcs' })
  const old = idOf(table.offer(rooms))
  table.sent()
  idOf(table.offer({ ...rooms, parts: [{ ...rooms.parts[0]!, intentId: 'second' } as never] } as OutboundMessage))
  table.sent()
  table.told()
  table.taps(old, 0)
  t.match(table.types().at(-1), { type: 'result', result: { intentId: 'room', optionIds: ['r'], via: 'tap' } })
  table.says('blue room')
  t.match(table.types(), [{ type: 'result', result: { intentId: 'second', optionIds: ['b'], via: 'text' } }])
})

t.test('A tap on a reply chip returns its value, and one that happens on the device is an action', async (t) => {
  const table = laid({ channel: 'rcs' })
  const chips = [
    { label: 'Opening hours', value: 'hours' },
    { label: 'Call us', kind: 'dial', phone: '+15550100' },
  ]
  const id = idOf(table.offer(text('Hello', { chips })))
  table.sent()
  table.told()
  table.taps(id, 0)
  table.taps(id, 1)
  const [, , ...rest] = [null, null, ...table.types().filter(({ type }) => type !== 'system')]
  t.match(rest, [
    { type: 'result', result: { intent: 'chips', intentId: id, optionIds: ['hours'], labels: ['Opening hours'] } },
    { type: 'action', action: { kind: 'dial', label: 'Call us', messageId: id } },
  ])
})

t.test('A tap that nobody remembers is what its label says', async (t) => {
  const table = laid({ channel: 'rcs' })
  table.taps('msg_unknown', 3, 'Blue room')
  t.match(table.types().at(-1), { type: 'message', message: { text: 'Blue room' } })
})

t.test('A place that was asked for is a result, and one that was not is a message', async (t) => {
  const table = laid()
  const place = { latitude: 40.7, longitude: -74 }
  table.hear({ kind: 'content', content: { place } })
  t.match(table.types().at(-1), { type: 'message', message: { place } })
  idOf(table.offer({ spec: 'amf/1', parts: [{ type: 'ask.location', intentId: 'where', prompt: 'Where are you?' }] }))
  table.sent()
  table.told()
  table.hear({ kind: 'content', content: { place } })
  t.match(table.types(), [
    { type: 'result', result: { intent: 'ask.location', intentId: 'where', via: 'location', place } },
  ])
})

t.test('A typed address answers a question for a place, and other text stays a message', async (t) => {
  const table = laid()
  idOf(table.offer({ spec: 'amf/1', parts: [{ type: 'ask.location', intentId: 'where', prompt: 'Where are you?' }] }))
  table.sent()
  table.told()
  table.says('why do you need it, I have 2 questions')
  t.match(table.types().at(-1), { type: 'message' })
  table.says('221B Baker Street, London')
  t.same(table.types(), [
    {
      type: 'result',
      result: {
        intent: 'ask.location',
        intentId: 'where',
        optionIds: [],
        labels: [],
        via: 'text',
        text: '221B Baker Street, London',
      },
    },
  ])
  table.says('221B Baker Street, London')
  t.match(table.types(), [{ type: 'message' }], 'answered is answered')
})

const media = [{ url: 'https://media.example/roof.jpg', type: 'image/jpeg' }]
const place = { latitude: 40.7, longitude: -74 }

t.test('A picture or a place that comes with an answer travels with it, and so do words beside a place', async (t) => {
  const table = laid()
  idOf(table.offer(rooms))
  table.sent()
  table.told()
  table.hear({ kind: 'content', content: { text: '2', media, place } })
  t.match(table.types().at(-1), { type: 'result', result: { optionIds: ['b'], via: 'text', text: '2', media, place } })
  idOf(table.offer({ spec: 'amf/1', parts: [{ type: 'ask.location', intentId: 'where', prompt: 'Where are you?' }] }))
  table.sent()
  table.told()
  table.hear({ kind: 'content', content: { place, text: 'the back door', media } })
  t.match(table.types(), [
    { type: 'result', result: { intentId: 'where', via: 'location', place, text: 'the back door', media } },
  ])
})

const asking = (intentId: string, ...labels: string[]) => ({
  type: 'ask.choice' as const,
  intentId,
  prompt: 'Which?',
  options: labels.map((label) => ({ id: label.toLowerCase(), label })),
})
const drinks = asking('drink', 'Tea', 'Coffee')
const food = asking('food', 'Cake', 'Pie')
const asks = (...parts: ReturnType<typeof asking>[]): OutboundMessage => ({ spec: 'amf/1', parts })

t.test('Each question of one message is answered on its own, by text and after a tap', async (t) => {
  for (const channel of ['sms', 'rcs'] as const) {
    const table = laid({ channel })
    const id = idOf(table.offer(asks(drinks, food)))
    table.sent()
    table.told()
    if (channel === 'sms') table.says('1')
    else table.taps(id, 0)
    t.match(table.types().at(-1), { type: 'result', result: { intentId: 'drink', optionIds: ['tea'] } })
    table.says('coffee')
    t.match(table.types(), [{ type: 'message' }], 'answered is answered')
    table.says(channel === 'sms' ? '4' : 'pie')
    t.match(table.types(), [{ type: 'result', result: { intentId: 'food', optionIds: ['pie'] } }])
    t.notOk(table.conversation().asks, 'and nothing is left to remember')
  }
})

t.test('Questions of several messages can be answered, whichever was asked last', async (t) => {
  const table = laid()
  for (const message of [asks(drinks), asks(food), text('By the way', { chips: [{ label: 'Menu' }] })]) {
    idOf(table.offer(message))
    table.sent()
  }
  table.told()
  table.says('1')
  t.match(table.types().at(-1), { type: 'message' }, 'three numbers one were shown since the person last wrote')
  table.says('Coffee')
  t.match(table.types(), [{ type: 'result', result: { intentId: 'drink', optionIds: ['coffee'] } }])
  table.says('pie')
  t.match(table.types(), [{ type: 'result', result: { intentId: 'food', optionIds: ['pie'] } }])
  table.says('1')
  t.match(table.types(), [{ type: 'result', result: { intent: 'chips', optionIds: ['Menu'] } }])
})

t.test('A question asked after the person wrote again comes before older ones', async (t) => {
  const table = laid()
  idOf(table.offer(asks(drinks)))
  table.sent()
  table.pass(1)
  table.says('let me think')
  table.pass(1)
  idOf(table.offer(asks(food)))
  table.sent()
  table.told()
  table.says('1')
  t.match(table.types(), [{ type: 'result', result: { intentId: 'food', optionIds: ['cake'] } }])
  table.says('1')
  t.match(table.types(), [{ type: 'result', result: { intentId: 'drink', optionIds: ['tea'] } }])
})

t.test('A question that is asked again is answered once, where it was asked last', async (t) => {
  const table = laid()
  for (const _ of [1, 2]) {
    idOf(table.offer(asks(drinks)))
    table.sent()
  }
  table.told()
  table.says('2')
  t.match(table.types().at(-1), { type: 'result', result: { intentId: 'drink', optionIds: ['coffee'] } })
  table.says('2')
  t.match(table.types(), [{ type: 'message' }])
})

t.test('A question whose message did not arrive is not open', async (t) => {
  const refused = { kind: 'refused', reason: 'sendFailed', again: 'never' } as const
  const later = { kind: 'refused', reason: 'sendFailed', again: 'later' } as const
  const outcomes = {
    refused: (table: ReturnType<typeof laid>) => table.answers(refused),
    'to be tried again': (table: ReturnType<typeof laid>) => table.answers(later),
    'failed by receipt': (table: ReturnType<typeof laid>) => {
      table.sent('p2')
      table.receipt({ providerId: 'p2', state: 'failed', reason: 'undelivered' })
    },
  }
  for (const [how, end] of Object.entries(outcomes)) {
    const table = laid()
    idOf(table.offer(asks(drinks)))
    table.sent()
    idOf(table.offer(asks(food)))
    end(table)
    table.told()
    table.says('1')
    t.match(table.types().at(-1), { type: 'result', result: { intentId: 'drink', optionIds: ['tea'] } }, how)
    table.says('pie')
    t.match(table.types(), [{ type: 'message' }], how)
  }
})

t.test('A question whose message goes out at another try is open then', async (t) => {
  const table = laid()
  idOf(table.offer(asks(food)))
  table.answers({ kind: 'refused', reason: 'sendFailed', again: 'later' })
  table.pass(1_000)
  table.woken('send')
  table.sent()
  table.told()
  table.says('pie')
  t.match(table.types().at(-1), { type: 'result', result: { intentId: 'food', optionIds: ['pie'] } })
})

t.test('Only so many open questions are remembered, and a tap answers an older one', async (t) => {
  const table = laid()
  const ids = Array.from({ length: 12 }, (_, at) => {
    const id = idOf(table.offer(asks(asking(`q${at}`, `Label${at}`, `Other${at}`))))
    table.sent()
    return id
  })
  table.told()
  t.equal(table.conversation().asks?.length, 10)
  table.says('Label1')
  t.match(table.types().at(-1), { type: 'message' })
  table.says('Label2')
  t.match(table.types(), [{ type: 'result', result: { intentId: 'q2' } }])
  table.taps(ids[0]!, 0)
  t.match(table.types(), [{ type: 'result', result: { intentId: 'q0' } }])
})

t.test(
  'What a person taps after another channel took a message over names the message as the agent knows it',
  async (t) => {
    const table = laid()
    const chips = [{ label: 'Menu' }, { label: 'Call us', kind: 'dial', phone: '+15550100' }]
    const offered = { from: 'send', carriedFor: { asid: 'usr_b', messageId: 'msg_first' } } as const
    const id = idOf(table.offer(text('Hello', { chips }), offered))
    table.sent()
    table.told()
    table.taps(id, 1)
    table.taps(id, 0)
    t.match(
      table.types().filter(({ type }) => type !== 'system'),
      [
        { type: 'action', action: { kind: 'dial', messageId: 'msg_first' } },
        { type: 'result', result: { intent: 'chips', intentId: 'msg_first', optionIds: ['Menu'] } },
      ],
    )
  },
)

t.test('A tap whose message and label are not known is a message that says so', async (t) => {
  const table = laid({ channel: 'rcs' })
  table.taps('msg_unknown', 3)
  table.taps('msg_unknown', 3, '  ')
  const texts = table.types().flatMap((event) => (event.type === 'message' ? [event.message.text] : []))
  t.same(texts, ['Tapped a button of an earlier message.', 'Tapped a button of an earlier message.'])
})

t.test('A tap that shares a location is on record, and the place itself is what the agent is told', async (t) => {
  const table = laid({ channel: 'rcs' })
  const id = idOf(
    table.offer({ spec: 'amf/1', parts: [{ type: 'ask.location', intentId: 'where', prompt: 'Where are you?' }] }),
  )
  table.sent()
  table.says('one moment')
  table.told()
  table.taps(id, 0)
  t.same(table.types(), [])
  t.match(table.traffic.at(-1), { type: 'action', subtype: 'shareLocation' })
  table.hear({ kind: 'content', content: { place } })
  t.match(table.types(), [{ type: 'result', result: { intentId: 'where', via: 'location', place } }])
})

t.test('STOP ends everything that waits, is confirmed once, and refuses what comes after it', async (t) => {
  const table = laid({ compliance: {}, minDelayMs: 250 })
  table.says('hi')
  const flying = idOf(table.offer(text('one')))
  const disclaimer = table.delivered.at(-1)!.messageId
  t.match(table.outgoing(disclaimer)!.from, 'house')
  table.told()
  table.says('STOP')
  t.match(table.types(), [
    { type: 'system', system: { kind: 'optOut' } },
    { type: 'status', status: { messageId: flying, state: 'failed', reason: 'optedOut' } },
  ])
  t.same(table.offer(text('two')), { reason: 'optedOut' })
  t.same(table.offer(text('three'), { from: 'reply' }), { reason: 'optedOut' })
  t.match(table.logs.at(-1), { event: 'message.refused', data: { reason: 'optedOut' } })
  table.sent()
  table.pass(250)
  table.woken('send')
  const confirmation = table.outgoing(table.delivered.at(-1)!.messageId)!
  t.match(confirmation, { from: 'house', message: { parts: [{ text: /Harbor Hotel: You are unsubscribed/ }] } })
  table.sent()
  table.says('stop')
  t.same(table.types(), [], 'said again it changes nothing')
  t.equal(table.conversation().queue.length, 0, 'and is not confirmed again')
})

t.test('HELP is answered even to those who opted out, and START lets messages through again', async (t) => {
  const table = laid({ compliance: {} })
  table.says('STOP')
  table.sent()
  table.told()
  table.says('HELP')
  const help = table.outgoing(table.delivered.at(-1)!.messageId)!
  t.match(help, { from: 'house', message: { parts: [{ text: /\+15550199/ }] } })
  t.same(table.types(), [], 'the agent has nothing to do with it')
  table.sent()
  table.says('START')
  t.match(table.types(), [{ type: 'system', system: { kind: 'optIn' } }])
  table.sent()
  t.ok('messageId' in table.offer(text('back')))
})

t.test('YES opts in after a STOP, and is an answer or a message otherwise', async (t) => {
  const table = laid()
  table.says('YES')
  t.match(table.types().at(-1), { type: 'message', message: { text: 'YES' } })
  idOf(table.offer({ spec: 'amf/1', parts: [{ type: 'confirm', intentId: 'sure', prompt: 'Sure?' }] }))
  table.sent()
  table.says('STOP ALL')
  table.told()
  table.says('Yes!')
  t.match(table.types(), [{ type: 'system', system: { kind: 'optIn' } }])
  table.says('yes')
  t.match(table.types(), [{ type: 'result', result: { intentId: 'sure', optionIds: ['yes'] } }])
})

t.test('Without compliance STOP still stops, and nobody is answered', async (t) => {
  const table = laid()
  table.says('Stop')
  t.match(table.types().at(-1), { type: 'system', system: { kind: 'optOut' } })
  t.equal(table.delivered.length, 0)
  t.same(table.offer(text('two')), { reason: 'optedOut' })
  table.says('cancel')
  t.match(table.types(), [{ type: 'message', message: { text: 'cancel' } }])
})

t.test('The disclaimer goes out once, before the first message of the agent', async (t) => {
  const table = laid({ compliance: { disclaimer: 'Rates apply.' } })
  const first = idOf(table.offer(text('one')))
  t.match(table.outgoing(table.delivered[0]!.messageId), {
    from: 'house',
    message: { parts: [{ text: 'Rates apply.' }] },
  })
  table.sent()
  t.equal(table.delivered.at(-1)!.messageId, first)
  table.sent()
  const second = idOf(table.offer(text('two')))
  t.equal(table.delivered.at(-1)!.messageId, second)
})

t.test('A message that is about to go out without its disclaimer goes out behind it', async (t) => {
  const table = laid({ compliance: { disclaimer: 'Rates apply.' } })
  const [first, second] = ['one', 'two'].map((word) => idOf(table.offer(text(word), { isBatch: true })))
  table.released(first!)
  table.released(second!)
  t.same(table.delivered, [{ messageId: first, tried: 1 }], 'it is with the process that hands messages over')
  table.answers({ kind: 'undisclaimed' })
  const disclaimer = table.delivered.at(-1)!.messageId
  t.match(table.outgoing(disclaimer), { from: 'house', message: { parts: [{ text: 'Rates apply.' }] } })
  table.sent()
  t.same(table.delivered.at(-1), { messageId: first, tried: 1 })
  table.sent()
  t.same(table.delivered.at(-1), { messageId: second, tried: 1 }, 'and there is one disclaimer')
})

t.test(
  'A message whose disclaimer is refused fails with it, and the next one has a disclaimer before it',
  async (t) => {
    const table = laid({ compliance: { disclaimer: 'Rates apply.' } })
    const [first, second] = ['one', 'two'].map((word) => idOf(table.offer(text(word))))
    table.answers({ kind: 'refused', reason: 'sendFailed', again: 'never' })
    t.match(table.types(), [{ type: 'status', status: { messageId: first, state: 'failed', reason: 'sendFailed' } }])
    t.match(table.outgoing(table.delivered.at(-1)!.messageId), { message: { parts: [{ text: 'Rates apply.' }] } })
    table.sent()
    t.equal(table.delivered.at(-1)!.messageId, second)
  },
)

t.test(
  'A disclaimer that waits when the person opts out never goes, and comes first after they are back',
  async (t) => {
    const table = laid({ compliance: { disclaimer: 'Rates apply.' } })
    table.says('HELP')
    idOf(table.offer(text('one')))
    t.equal(table.delivered.length, 1, 'the answer to HELP is on its way')
    table.says('STOP')
    table.sent()
    const texts = () => table.delivered.map(({ messageId }) => JSON.stringify(table.outgoing(messageId)!.message))
    t.notOk(texts().some((each) => each.includes('Rates apply.')))
    table.sent()
    table.says('START')
    table.sent()
    const back = idOf(table.offer(text('two')))
    t.match(texts().at(-1), /Rates apply/)
    table.sent()
    t.equal(table.delivered.at(-1)!.messageId, back)
  },
)

t.test('A provider that says somebody unsubscribed is believed', async (t) => {
  const table = laid({ channel: 'rcs' })
  table.hear({ kind: 'system', system: 'unsubscribed' })
  t.match(table.types(), [
    { type: 'system', system: { kind: 'optOut' } },
    { type: 'system', system: { kind: 'unsubscribed' } },
  ])
  t.same(table.offer(text('one')), { reason: 'optedOut' })
  table.hear({ kind: 'system', system: 'subscribed' })
  t.ok('messageId' in table.offer(text('two')))
})

t.test('Every content and action is on record with its session', async (t) => {
  const table = laid()
  table.says('hello')
  idOf(table.offer(text('welcome')))
  t.match(table.traffic, [
    { origin: 'user', type: 'content', text: 'hello' },
    { origin: 'agent', type: 'content', text: 'welcome' },
  ])
  t.equal(table.traffic[0]!.sessionId, table.traffic[1]!.sessionId)
})

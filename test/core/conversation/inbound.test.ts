/** What people do: sessions, answers, keywords, and the window that opens when they write. */
import t from 'tap'
import type { OutboundMessage } from '../../../core/amf/index.js'
import { factsOf } from '../../../core/conversation/context.js'
import { createChat, idOf, minute, text } from './fixture.js'

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

t.test('The first message of a person starts the conversation, and is then sent to the agent', async (t) => {
  const chat = createChat()
  chat.receiveText('hello')
  const [started, message] = chat.events()
  t.match(started, { event: { type: 'system', system: { kind: 'conversationStarted' } } })
  t.match(message, { event: { type: 'message', message: { text: 'hello' } }, window: 'open', provider: 'emulator' })
  t.equal(started!.sessionId, message!.sessionId)
  t.not(started!.eventId, message!.eventId)
  chat.receiveText('again')
  t.match(chat.types(), [{ type: 'message' }], 'and only the first')
})

t.test('Less than half an hour of quiet is one session, and half an hour starts another', async (t) => {
  const chat = createChat()
  chat.receiveText('one')
  const first = chat.events()[0]!.sessionId
  chat.advance(30 * minute - 1)
  chat.receiveText('two')
  t.equal(chat.events()[0]!.sessionId, first)
  chat.advance(20 * minute)
  idOf(chat.send(text('an answer prolongs it too')))
  chat.sent()
  chat.events()
  chat.advance(20 * minute)
  chat.receiveText('three')
  t.equal(chat.events()[0]!.sessionId, first)
  chat.advance(30 * minute)
  chat.receiveText('four')
  t.not(chat.events()[0]!.sessionId, first)
})

t.test('Receipts neither begin nor prolong a session, and carry the current one or that of their send', async (t) => {
  const chat = createChat()
  const id = idOf(chat.send(text('hello')))
  chat.sent('p1')
  const { sessionId } = chat.outgoing(id)!
  chat.events()
  chat.advance(29 * minute)
  chat.receipt({ providerId: 'p1', state: 'delivered' })
  t.equal(chat.events()[0]!.sessionId, sessionId)
  chat.advance(2 * minute)
  chat.receiveText('hi')
  const second = chat.events().at(-1)!.sessionId
  t.not(second, sessionId, 'the receipt did not prolong it')
  chat.receipt({ providerId: 'p1', state: 'read' })
  t.equal(chat.events()[0]!.sessionId, second, 'the session that is on')
  const late = idOf(chat.send(text('more')))
  chat.sent('p2')
  chat.events()
  chat.advance(60 * minute)
  chat.receipt({ providerId: 'p2', state: 'delivered' })
  t.equal(chat.events()[0]!.sessionId, chat.outgoing(late)!.sessionId, 'no session is open: that of its send')
})

t.test('A conversation start of the channel begins a new session even within a session', async (t) => {
  const chat = createChat({ channel: 'webchat' })
  chat.receiveText('hello')
  const first = chat.events()[0]!.sessionId
  chat.receive({ kind: 'system', system: 'conversationStarted' })
  const [event] = chat.events()
  t.match(event, { event: { type: 'system', system: { kind: 'conversationStarted' } } })
  t.not(event!.sessionId, first)
})

t.test('A typed answer is a result with the typed text', async (t) => {
  const chat = createChat()
  idOf(chat.send(rooms))
  chat.sent()
  chat.events()
  chat.receiveText('2')
  t.match(chat.types().at(-1), {
    type: 'result',
    result: { intent: 'ask.choice', intentId: 'room', optionIds: ['b'], labels: ['Blue room'], via: 'text', text: '2' },
  })
  chat.receiveText('1')
  t.match(chat.types(), [{ type: 'message', message: { text: '1' } }], 'answered is answered')
})

t.test('An unclear answer is a message, and the question stays open', async (t) => {
  const chat = createChat()
  idOf(chat.send(rooms))
  chat.sent()
  chat.receiveText('red room or blue room?')
  t.match(chat.types().at(-1), { type: 'message' })
  chat.receiveText('the blue room')
  t.match(chat.types(), [{ type: 'result', result: { optionIds: ['b'] } }])
})

t.test('An answer that arrives before the provider’s response to the send is an answer', async (t) => {
  const chat = createChat()
  idOf(chat.send(rooms))
  chat.receiveText('1')
  t.match(chat.types().at(-1), { type: 'result', result: { optionIds: ['r'] } })
})

t.test('A tap answers its own question of any age, and never the newest', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  const old = idOf(chat.send(rooms))
  chat.sent()
  idOf(chat.send({ ...rooms, parts: [{ ...rooms.parts[0]!, intentId: 'second' } as never] } as OutboundMessage))
  chat.sent()
  chat.events()
  chat.receiveTap(old, 0)
  t.match(chat.types().at(-1), { type: 'result', result: { intentId: 'room', optionIds: ['r'], via: 'tap' } })
  chat.receiveText('blue room')
  t.match(chat.types(), [{ type: 'result', result: { intentId: 'second', optionIds: ['b'], via: 'text' } }])
})

t.test('A tap on a reply chip returns its value, and a tap on an action chip is an action', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  const chips = [
    { label: 'Opening hours', value: 'hours' },
    { label: 'Call us', kind: 'dial', phone: '+15550100' },
  ]
  const id = idOf(chat.send(text('Hello', { chips })))
  chat.sent()
  chat.events()
  chat.receiveTap(id, 0)
  chat.receiveTap(id, 1)
  const [, , ...rest] = [null, null, ...chat.types().filter(({ type }) => type !== 'system')]
  t.match(rest, [
    { type: 'result', result: { intent: 'chips', intentId: id, optionIds: ['hours'], labels: ['Opening hours'] } },
    { type: 'action', action: { kind: 'dial', label: 'Call us', messageId: id } },
  ])
})

t.test('A tap on an unknown message is a message with its label', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.receiveTap('msg_unknown', 3, 'Blue room')
  t.match(chat.types().at(-1), { type: 'message', message: { text: 'Blue room' } })
})

t.test('A requested place is a result, and an unrequested one is a message', async (t) => {
  const chat = createChat()
  const place = { latitude: 40.7, longitude: -74 }
  chat.receive({ kind: 'content', content: { place } })
  t.match(chat.types().at(-1), { type: 'message', message: { place } })
  idOf(chat.send({ spec: 'amf/1', parts: [{ type: 'ask.location', intentId: 'where', prompt: 'Where are you?' }] }))
  chat.sent()
  chat.events()
  chat.receive({ kind: 'content', content: { place } })
  t.match(chat.types(), [
    { type: 'result', result: { intent: 'ask.location', intentId: 'where', via: 'location', place } },
  ])
})

t.test('A typed address answers a question for a place, and other text stays a message', async (t) => {
  const chat = createChat()
  idOf(chat.send({ spec: 'amf/1', parts: [{ type: 'ask.location', intentId: 'where', prompt: 'Where are you?' }] }))
  chat.sent()
  chat.events()
  chat.receiveText('why do you need it, I have 2 questions')
  t.match(chat.types().at(-1), { type: 'message' })
  chat.receiveText('221B Baker Street, London')
  t.same(chat.types(), [
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
  chat.receiveText('221B Baker Street, London')
  t.match(chat.types(), [{ type: 'message' }], 'answered is answered')
})

const media = [{ url: 'https://media.example/roof.jpg', type: 'image/jpeg' }]
const place = { latitude: 40.7, longitude: -74 }

t.test(
  'A picture or a place in the same call as an answer is sent with it, and so is text beside a place',
  async (t) => {
    const chat = createChat()
    idOf(chat.send(rooms))
    chat.sent()
    chat.events()
    chat.receive({ kind: 'content', content: { text: '2', media, place } })
    t.match(chat.types().at(-1), { type: 'result', result: { optionIds: ['b'], via: 'text', text: '2', media, place } })
    idOf(chat.send({ spec: 'amf/1', parts: [{ type: 'ask.location', intentId: 'where', prompt: 'Where are you?' }] }))
    chat.sent()
    chat.events()
    chat.receive({ kind: 'content', content: { place, text: 'the back door', media } })
    t.match(chat.types(), [
      { type: 'result', result: { intentId: 'where', via: 'location', place, text: 'the back door', media } },
    ])
  },
)

const question = (intentId: string, ...labels: string[]) => ({
  type: 'ask.choice' as const,
  intentId,
  prompt: 'Which?',
  options: labels.map((label) => ({ id: label.toLowerCase(), label })),
})
const drinks = question('drink', 'Tea', 'Coffee')
const food = question('food', 'Cake', 'Pie')
const questions = (...parts: ReturnType<typeof question>[]): OutboundMessage => ({ spec: 'amf/1', parts })

t.test('Each question of one message is answered on its own, by text and by tap', async (t) => {
  for (const channel of ['sms', 'rcs'] as const) {
    const chat = createChat({ channel })
    const id = idOf(chat.send(questions(drinks, food)))
    chat.sent()
    chat.events()
    if (channel === 'sms') chat.receiveText('1')
    else chat.receiveTap(id, 0)
    t.match(chat.types().at(-1), { type: 'result', result: { intentId: 'drink', optionIds: ['tea'] } })
    chat.receiveText('coffee')
    t.match(chat.types(), [{ type: 'message' }], 'answered is answered')
    chat.receiveText(channel === 'sms' ? '4' : 'pie')
    t.match(chat.types(), [{ type: 'result', result: { intentId: 'food', optionIds: ['pie'] } }])
    t.notOk(chat.conversation().pendingQuestions, 'no question is left')
  }
})

t.test('Questions of several messages can be answered, in any order', async (t) => {
  const chat = createChat()
  for (const message of [questions(drinks), questions(food), text('By the way', { chips: [{ label: 'Menu' }] })]) {
    idOf(chat.send(message))
    chat.sent()
  }
  chat.events()
  chat.receiveText('1')
  t.match(chat.types().at(-1), { type: 'message' }, 'three numbers one were shown since the person last wrote')
  chat.receiveText('Coffee')
  t.match(chat.types(), [{ type: 'result', result: { intentId: 'drink', optionIds: ['coffee'] } }])
  chat.receiveText('pie')
  t.match(chat.types(), [{ type: 'result', result: { intentId: 'food', optionIds: ['pie'] } }])
  chat.receiveText('1')
  t.match(chat.types(), [{ type: 'result', result: { intent: 'chips', optionIds: ['Menu'] } }])
})

t.test('A question asked after the person’s last message comes before older ones', async (t) => {
  const chat = createChat()
  idOf(chat.send(questions(drinks)))
  chat.sent()
  chat.advance(1)
  chat.receiveText('let me think')
  chat.advance(1)
  idOf(chat.send(questions(food)))
  chat.sent()
  chat.events()
  chat.receiveText('1')
  t.match(chat.types(), [{ type: 'result', result: { intentId: 'food', optionIds: ['cake'] } }])
  chat.receiveText('1')
  t.match(chat.types(), [{ type: 'result', result: { intentId: 'drink', optionIds: ['tea'] } }])
})

t.test('A repeated question is answered once, where it was asked last', async (t) => {
  const chat = createChat()
  for (const _ of [1, 2]) {
    idOf(chat.send(questions(drinks)))
    chat.sent()
  }
  chat.events()
  chat.receiveText('2')
  t.match(chat.types().at(-1), { type: 'result', result: { intentId: 'drink', optionIds: ['coffee'] } })
  chat.receiveText('2')
  t.match(chat.types(), [{ type: 'message' }])
})

t.test('A question whose message was not delivered is not open', async (t) => {
  const refused = { kind: 'refused', reason: 'sendFailed', retry: 'never' } as const
  const later = { kind: 'refused', reason: 'sendFailed', retry: 'later' } as const
  const outcomes = {
    refused: (chat: ReturnType<typeof createChat>) => chat.applyOutcome(refused),
    'to be tried again': (chat: ReturnType<typeof createChat>) => chat.applyOutcome(later),
    'failed by receipt': (chat: ReturnType<typeof createChat>) => {
      chat.sent('p2')
      chat.receipt({ providerId: 'p2', state: 'failed', reason: 'undelivered' })
    },
  }
  for (const [how, end] of Object.entries(outcomes)) {
    const chat = createChat()
    idOf(chat.send(questions(drinks)))
    chat.sent()
    idOf(chat.send(questions(food)))
    end(chat)
    chat.events()
    chat.receiveText('1')
    t.match(chat.types().at(-1), { type: 'result', result: { intentId: 'drink', optionIds: ['tea'] } }, how)
    chat.receiveText('pie')
    t.match(chat.types(), [{ type: 'message' }], how)
  }
})

t.test('A question whose message is sent by a retry is open from then on', async (t) => {
  const chat = createChat()
  idOf(chat.send(questions(food)))
  chat.applyOutcome({ kind: 'refused', reason: 'sendFailed', retry: 'later' })
  chat.advance(1_000)
  chat.fireTimer('send')
  chat.sent()
  chat.events()
  chat.receiveText('pie')
  t.match(chat.types().at(-1), { type: 'result', result: { intentId: 'food', optionIds: ['pie'] } })
})

t.test('The number of open questions is bounded, and a tap answers an older one', async (t) => {
  const chat = createChat()
  const ids = Array.from({ length: 12 }, (_, at) => {
    const id = idOf(chat.send(questions(question(`q${at}`, `Label${at}`, `Other${at}`))))
    chat.sent()
    return id
  })
  chat.events()
  t.equal(chat.conversation().pendingQuestions?.length, 10)
  chat.receiveText('Label1')
  t.match(chat.types().at(-1), { type: 'message' })
  chat.receiveText('Label2')
  t.match(chat.types(), [{ type: 'result', result: { intentId: 'q2' } }])
  chat.receiveTap(ids[0]!, 0)
  t.match(chat.types(), [{ type: 'result', result: { intentId: 'q0' } }])
})

t.test('A tap after a failover names the message by the id that the agent knows', async (t) => {
  const chat = createChat()
  const chips = [{ label: 'Menu' }, { label: 'Call us', kind: 'dial', phone: '+15550100' }]
  const facts = factsOf(createChat().agent)
  const offered = { from: 'send', onBehalfOf: { asid: 'usr_b', messageId: 'msg_first', facts } } as const
  const id = idOf(chat.send(text('Hello', { chips }), offered))
  chat.sent()
  chat.events()
  chat.receiveTap(id, 1)
  chat.receiveTap(id, 0)
  t.match(
    chat.types().filter(({ type }) => type !== 'system'),
    [
      { type: 'action', action: { kind: 'dial', messageId: 'msg_first' } },
      { type: 'result', result: { intent: 'chips', intentId: 'msg_first', optionIds: ['Menu'] } },
    ],
  )
})

t.test('A tap on an unknown message without a label is a message that says so', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.receiveTap('msg_unknown', 3)
  chat.receiveTap('msg_unknown', 3, '  ')
  const texts = chat.types().flatMap((event) => (event.type === 'message' ? [event.message.text] : []))
  t.same(texts, ['Tapped a button of an earlier message.', 'Tapped a button of an earlier message.'])
})

t.test('A tap that shares a location is on record, and the agent gets the place itself', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  const id = idOf(
    chat.send({ spec: 'amf/1', parts: [{ type: 'ask.location', intentId: 'where', prompt: 'Where are you?' }] }),
  )
  chat.sent()
  chat.receiveText('one moment')
  chat.events()
  chat.receiveTap(id, 0)
  t.same(chat.types(), [])
  t.match(chat.traffic.at(-1), { type: 'action', subtype: 'shareLocation' })
  chat.receive({ kind: 'content', content: { place } })
  t.match(chat.types(), [{ type: 'result', result: { intentId: 'where', via: 'location', place } }])
})

t.test('STOP ends all waiting messages, is confirmed once, and later messages are refused', async (t) => {
  const chat = createChat({ compliance: {}, minDelayMs: 250 })
  chat.receiveText('hi')
  const flying = idOf(chat.send(text('one')))
  const disclaimer = chat.delivered.at(-1)!.messageId
  t.match(chat.outgoing(disclaimer)!.from, 'system')
  chat.events()
  chat.receiveText('STOP')
  t.match(chat.types(), [
    { type: 'system', system: { kind: 'optOut' } },
    { type: 'status', status: { messageId: flying, state: 'failed', reason: 'optedOut' } },
  ])
  t.same(chat.send(text('two')), { reason: 'optedOut' })
  t.same(chat.send(text('three'), { from: 'reply' }), { reason: 'optedOut' })
  t.match(chat.logs.at(-1), { event: 'message.refused', data: { reason: 'optedOut' } })
  chat.sent()
  chat.advance(250)
  chat.fireTimer('send')
  const confirmation = chat.outgoing(chat.delivered.at(-1)!.messageId)!
  t.match(confirmation, { from: 'system', message: { parts: [{ text: /Harbor Hotel: You are unsubscribed/ }] } })
  chat.sent()
  chat.receiveText('stop')
  t.same(chat.types(), [], 'a repetition changes nothing')
  t.equal(chat.conversation().queue.length, 0, 'and is not confirmed again')
})

t.test('HELP is answered even after an opt-out, and START allows messages again', async (t) => {
  const chat = createChat({ compliance: {} })
  chat.receiveText('STOP')
  chat.sent()
  chat.events()
  chat.receiveText('HELP')
  const help = chat.outgoing(chat.delivered.at(-1)!.messageId)!
  t.match(help, { from: 'system', message: { parts: [{ text: /\+15550199/ }] } })
  t.same(chat.types(), [], 'the agent is not involved')
  chat.sent()
  chat.receiveText('START')
  t.match(chat.types(), [{ type: 'system', system: { kind: 'optIn' } }])
  chat.sent()
  t.ok('messageId' in chat.send(text('back')))
})

t.test('YES opts in after a STOP, and is an answer or a message otherwise', async (t) => {
  const chat = createChat()
  chat.receiveText('YES')
  t.match(chat.types().at(-1), { type: 'message', message: { text: 'YES' } })
  idOf(chat.send({ spec: 'amf/1', parts: [{ type: 'confirm', intentId: 'sure', prompt: 'Sure?' }] }))
  chat.sent()
  chat.receiveText('STOP ALL')
  chat.events()
  chat.receiveText('Yes!')
  t.match(chat.types(), [{ type: 'system', system: { kind: 'optIn' } }])
  chat.receiveText('yes')
  t.match(chat.types(), [{ type: 'result', result: { intentId: 'sure', optionIds: ['yes'] } }])
})

t.test('Without compliance STOP still opts out, and no confirmation is sent', async (t) => {
  const chat = createChat()
  chat.receiveText('Stop')
  t.match(chat.types().at(-1), { type: 'system', system: { kind: 'optOut' } })
  t.equal(chat.delivered.length, 0)
  t.same(chat.send(text('two')), { reason: 'optedOut' })
  chat.receiveText('cancel')
  t.match(chat.types(), [{ type: 'message', message: { text: 'cancel' } }])
})

t.test('The disclaimer is sent once, before the first message of the agent', async (t) => {
  const chat = createChat({ compliance: { disclaimer: 'Rates apply.' } })
  const first = idOf(chat.send(text('one')))
  t.match(chat.outgoing(chat.delivered[0]!.messageId), {
    from: 'system',
    message: { parts: [{ text: 'Rates apply.' }] },
  })
  chat.sent()
  t.equal(chat.delivered.at(-1)!.messageId, first)
  chat.sent()
  const second = idOf(chat.send(text('two')))
  t.equal(chat.delivered.at(-1)!.messageId, second)
})

t.test('A message that is due without its disclaimer is sent after it', async (t) => {
  const chat = createChat({ compliance: { disclaimer: 'Rates apply.' } })
  const leaveAt = chat.now() + minute
  const [first, second] = ['one', 'two'].map((word) => idOf(chat.send(text(word), { isBatch: true, leaveAt })))
  chat.advance(minute)
  chat.fireTimer('paced')
  t.same(chat.delivered, [{ messageId: first, attempt: 1 }], 'it is with the process that hands messages over')
  chat.applyOutcome({ kind: 'disclaimerRequired' })
  const disclaimer = chat.delivered.at(-1)!.messageId
  t.match(chat.outgoing(disclaimer), { from: 'system', message: { parts: [{ text: 'Rates apply.' }] } })
  chat.sent()
  t.same(chat.delivered.at(-1), { messageId: first, attempt: 1 })
  chat.sent()
  t.same(chat.delivered.at(-1), { messageId: second, attempt: 1 }, 'and there is one disclaimer')
})

t.test('A message whose disclaimer is refused fails with it, and the next one gets a disclaimer first', async (t) => {
  const chat = createChat({ compliance: { disclaimer: 'Rates apply.' } })
  const [first, second] = ['one', 'two'].map((word) => idOf(chat.send(text(word))))
  chat.applyOutcome({ kind: 'refused', reason: 'sendFailed', retry: 'never' })
  t.match(chat.types(), [{ type: 'status', status: { messageId: first, state: 'failed', reason: 'sendFailed' } }])
  t.match(chat.outgoing(chat.delivered.at(-1)!.messageId), { message: { parts: [{ text: 'Rates apply.' }] } })
  chat.sent()
  t.equal(chat.delivered.at(-1)!.messageId, second)
})

t.test('A disclaimer that waits at an opt-out is never sent, and comes first after the opt-in', async (t) => {
  const chat = createChat({ compliance: { disclaimer: 'Rates apply.' } })
  chat.receiveText('HELP')
  idOf(chat.send(text('one')))
  t.equal(chat.delivered.length, 1, 'the answer to HELP is on its way')
  chat.receiveText('STOP')
  chat.sent()
  const texts = () => chat.delivered.map(({ messageId }) => JSON.stringify(chat.outgoing(messageId)!.message))
  t.notOk(texts().some((each) => each.includes('Rates apply.')))
  chat.sent()
  chat.receiveText('START')
  chat.sent()
  const back = idOf(chat.send(text('two')))
  t.match(texts().at(-1), /Rates apply/)
  chat.sent()
  t.equal(chat.delivered.at(-1)!.messageId, back)
})

t.test('An unsubscribe report of the provider opts the person out', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.receive({ kind: 'system', system: 'unsubscribed' })
  t.match(chat.types(), [
    { type: 'system', system: { kind: 'optOut' } },
    { type: 'system', system: { kind: 'unsubscribed' } },
  ])
  t.same(chat.send(text('one')), { reason: 'optedOut' })
  chat.receive({ kind: 'system', system: 'subscribed' })
  t.ok('messageId' in chat.send(text('two')))
})

t.test('Every content and action is on record with its session', async (t) => {
  const chat = createChat()
  chat.receiveText('hello')
  idOf(chat.send(text('welcome')))
  t.match(chat.traffic, [
    { origin: 'user', type: 'content', text: 'hello' },
    { origin: 'agent', type: 'content', text: 'welcome' },
  ])
  t.equal(chat.traffic[0]!.sessionId, chat.traffic[1]!.sessionId)
})

/** A channel without anybody beyond us: what is kept is out, and all the rest is as on any other channel. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { OutboundMessage } from '../../../core/amf/index.js'
import { type Chat, createChat, idOf, minute, text } from './fixture.js'

const ours = { channel: 'webchat', isOwnChannel: true } as const

const picture: OutboundMessage = {
  spec: 'amf/1',
  parts: [{ type: 'media', mediaUrl: 'https://example.com/room.png', kind: 'image' }],
}
const question: OutboundMessage = {
  spec: 'amf/1',
  parts: [{ type: 'confirm', prompt: 'Late check-out?', intentId: 'late' }],
}
const typing: OutboundMessage = { spec: 'amf/1', signal: 'typing' }

t.test('A web chat message is sent with the commit that accepts it, without a delivery effect', async (t) => {
  const chat = createChat(ours)
  const id = idOf(chat.send(text('one')))
  t.same(chat.delivered, [])
  t.match(chat.types(), [{ type: 'status', status: { messageId: id, state: 'sent' } }])
  t.match(chat.outgoing(id), { sentAt: chat.now(), providerIds: [id], states: { sent: chat.now() } })
  t.match(chat.conversation(), { queue: [], inFlight: undefined })
  chat.receipt({ providerId: id, state: 'read' })
  t.match(chat.types(), [{ type: 'status', status: { messageId: id, state: 'read' } }])
})

t.test('A message with media is delivered by an effect, since a fetch may fail, and later messages wait', async (t) => {
  const chat = createChat(ours)
  const first = idOf(chat.send(picture))
  const second = idOf(chat.send(text('two')))
  t.same(chat.delivered, [{ messageId: first, attempt: 1 }])
  t.same(chat.types(), [])
  chat.sent(first)
  const states = chat.types().map((event) => event.type === 'status' && event.status.messageId)
  t.same(states, [first, second])
  t.equal(chat.delivered.length, 1)
})

t.test('Pacing applies: the second message waits for its time', async (t) => {
  const chat = createChat({ ...ours, minDelayMs: 1_000 })
  idOf(chat.send(text('one')))
  const second = idOf(chat.send(text('two')))
  t.equal(chat.timers.get('send'), chat.now() + 1_000)
  t.same(chat.conversation().queue, [second])
  t.equal(chat.outgoing(second)?.sentAt, undefined)
})

t.test('After STOP no waiting agent message is sent, and the confirmation of Parley is', async (t) => {
  const chat = createChat({ channel: 'sms', isOwnChannel: true, compliance: {} })
  const inBulk = ['one', 'two'].map((words) =>
    idOf(chat.send(text(words), { isBatch: true, leaveAt: chat.now() + minute })),
  )
  const first = idOf(chat.send(picture))
  const behind = idOf(chat.send(text('three')))
  chat.receiveText('STOP')
  chat.fireTimer('paced')
  chat.fireTimer('paced')
  chat.sent(first)
  const refused = { kind: 'refused', reason: 'optedOut', retry: 'never' } as const
  while (chat.conversation().inFlight) chat.applyOutcome(refused)
  for (const id of [behind, ...inBulk]) {
    t.match(chat.outgoing(id), { states: { failed: chat.now() } })
    t.equal(chat.outgoing(id)?.sentAt, undefined)
  }
  t.same(
    chat.delivered.map(({ messageId }) => messageId),
    [first],
    'only the one in flight; its delivery effect sees the STOP',
  )
  const agentMessages = chat.traffic.filter(({ origin, type }) => origin === 'agent' && type === 'content')
  t.ok(chat.outgoing(agentMessages.at(-1)!.messageId)?.sentAt, 'the confirmation')
})

type Step = (chat: Chat) => void

/** Whatever was to be handed over is taken at once. */
function settleSends(chat: Chat): void {
  while (chat.conversation().inFlight) chat.sent(chat.conversation().inFlight!.messageId)
}

const sendStep = (message: OutboundMessage): Step => {
  return (chat) => void chat.send(message)
}
const steps: readonly Step[] = [
  sendStep(text('words')),
  sendStep(question),
  sendStep(picture),
  sendStep(typing),
  (chat) => chat.receiveText('Hello'),
  (chat) => chat.receiveText('yes'),
  (chat) => chat.receiveText('STOP'),
  (chat) => chat.receiveText('START'),
  (chat) => chat.advance(400),
  (chat) => {
    const [last] = chat.traffic.filter(({ origin, type }) => origin === 'agent' && type === 'content').slice(-1)
    if (last) chat.receipt({ providerId: last.messageId, state: 'delivered' })
  },
]

t.test('Any course of events gives the same result as a provider that accepts everything at once', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...steps), { maxLength: 30 }),
      fc.constantFrom('webchat' as const, 'sms' as const),
      fc.constantFrom(0, 1_000),
      fc.boolean(),
      (script, channel, minDelayMs, isCompliant) => {
        const options = { channel, minDelayMs, ...(isCompliant && { compliance: {} }) }
        const [own, handed] = [createChat({ ...options, isOwnChannel: true }), createChat(options)]
        for (const chat of [own, handed]) {
          for (const step of script) {
            step(chat)
            settleSends(chat)
            const due = chat.timers.get('send')
            if (due !== undefined && due <= chat.now()) chat.fireTimer('send')
            settleSends(chat)
          }
        }
        const seen = (chat: Chat) => ({
          events: chat.events(),
          traffic: chat.traffic,
          conversation: chat.conversation(),
          messages: chat.traffic.map(({ messageId }) => chat.outgoing(messageId)),
          wakes: [...chat.timers],
        })
        assert.deepEqual(seen(own), seen(handed))
      },
    ),
  )
})

/** The loop breaker of a conversation: what it counts, what it refuses, and what ends it. */
import fc from 'fast-check'
import t from 'tap'
import { channelBinding, conversation as limits } from '../../../core/limits/index.js'
import { type Chat, createChat, idOf, text } from './fixture.js'

const { messages, seconds } = channelBinding.loopGuard
const window = seconds * 1000
const verdict = (answer: object) => ('reason' in answer ? answer.reason : 'taken')
const sendVerdicts = (chat: Chat, count: number) => Array.from({ length: count }, () => verdict(chat.send(text('hi'))))
const toStatus = (chat: Chat, eventId: string) =>
  verdict(chat.send(text('hi'), { from: 'reply', inReplyToStatus: eventId }))

t.test('Messages beyond the limit within its time are refused until the person acts', async (t) => {
  for (const from of ['reply', 'send'] as const) {
    const chat = createChat({ minDelayMs: 3_000 })
    chat.receiveText('hello')
    for (let count = 0; count < messages; count++) idOf(chat.send(text('hi'), { from }))
    const answer = chat.send(text('hi'), { from })
    t.match(answer, { reason: 'loopDetected', detail: /30 messages within 30 s/ })
    t.match(chat.logs.at(-1), { event: 'message.refused', data: { reason: 'loopDetected' } }, 'and it is logged')
    chat.receiveText('go on')
    t.equal(verdict(chat.send(text('hi'), { from })), 'taken')
  }
})

t.test('A message older than the time of the limit no longer counts, to the millisecond', async (t) => {
  const chat = createChat()
  sendVerdicts(chat, messages)
  chat.advance(window - 1)
  t.same(sendVerdicts(chat, 1), ['loopDetected'])
  chat.advance(1)
  t.same(sendVerdicts(chat, messages + 1), [...Array.from({ length: messages }, () => 'taken'), 'loopDetected'])
})

t.test('For any course of messages, exactly those beyond the limit of the last seconds are refused', async () => {
  const guard = fc.record({ messages: fc.integer({ min: 1, max: 6 }), seconds: fc.integer({ min: 1, max: 5 }) })
  const step = fc.oneof(fc.nat(4_000), fc.constant('says' as const))
  fc.assert(
    fc.property(guard, fc.array(step, { maxLength: 60 }), (loopGuard, steps) => {
      const chat = createChat({ loopGuard })
      let acceptedAt: number[] = []
      for (const each of steps) {
        if (each === 'says') {
          chat.receiveText('hello')
          acceptedAt = []
          continue
        }
        chat.advance(each)
        const within = acceptedAt.filter((at) => chat.now() - at < loopGuard.seconds * 1000)
        const expected = within.length < loopGuard.messages ? 'taken' : 'loopDetected'
        if (expected === 'taken') acceptedAt.push(chat.now())
        if (verdict(chat.send(text('hi'))) !== expected) return false
        if ((chat.conversation().unanswered?.at.length ?? 0) > loopGuard.messages) return false
      }
      return true
    }),
  )
})

t.test('At most three status events in a row are answered, at any pace', async (t) => {
  const chat = createChat({ minDelayMs: 3_000 })
  chat.receiveText('hello')
  chat.send(text('hi'), { from: 'reply' })
  const answered = Array.from({ length: 6 }, (_, nth) => {
    chat.advance(10 * window)
    return toStatus(chat, `evt_status_${nth}`)
  })
  t.equal(limits.statusRepliesInRow, 3)
  t.same(answered, ['taken', 'taken', 'taken', 'loopDetected', 'loopDetected', 'loopDetected'])
  chat.receiveText('thanks')
  t.equal(toStatus(chat, 'evt_status_7'), 'taken', 'an action of the person ends the row')
})

t.test('A reply of several messages to a status event counts once, and an unprompted send ends the row', async (t) => {
  const chat = createChat()
  for (const eventId of ['a', 'a', 'b', 'b', 'c', 'c']) t.equal(toStatus(chat, eventId), 'taken')
  t.equal(toStatus(chat, 'd'), 'loopDetected')
  t.equal(toStatus(chat, 'c'), 'taken', 'the last accepted message is still sent')
  t.equal(verdict(chat.send(text('news'))), 'taken')
  t.equal(toStatus(chat, 'd'), 'taken')
})

t.test('Receipts, signals and openers are not counted, and openers are never refused', async (t) => {
  const chat = createChat()
  t.same(sendVerdicts(chat, messages - 1), Array(messages - 1).fill('taken'))
  chat.send({ spec: 'amf/1', signal: 'typing' })
  const opening = (nth: number) => ({
    message: text('Sale!') as never,
    sendRef: { sendId: `snd_${nth}`, attempt: 1, isLast: true },
  })
  for (let nth = 0; nth < messages; nth++) t.equal(verdict(chat.open(opening(nth))), 'taken')
  t.same(sendVerdicts(chat, 2), ['taken', 'loopDetected'])
  t.equal(verdict(chat.open(opening(messages))), 'taken')
  t.equal(verdict(chat.send({ spec: 'amf/1', signal: 'typing' })), 'taken')
  chat.receipt({ providerId: 'p-none', state: 'read' })
  t.same(sendVerdicts(chat, 1), ['loopDetected'], 'a receipt is no action of the person')
})

t.test('A message accepted before under its id is a duplicate, in a loop or not', async (t) => {
  const chat = createChat()
  const first = chat.send(text('hi', { id: 'mine' }))
  sendVerdicts(chat, messages)
  t.same(chat.send(text('hi', { id: 'mine' })), first)
})

t.test('Setting the clock back blocks no messages', async (t) => {
  const chat = createChat()
  sendVerdicts(chat, messages)
  chat.advance(-window)
  t.same(sendVerdicts(chat, 1), ['taken'])
})

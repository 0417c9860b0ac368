/**
 * Openings of sends: one message however often it is tried, news of it for the send, and nobody disturbed who is
 * talking.
 */

import t from 'tap'
import { isSignal } from '../../../core/amf/index.js'
import type { SendOpener } from '../../../core/conversation/opener.js'
import { conversation as limits } from '../../../core/limits/index.js'
import { createChat, minute, text } from './fixture.js'

const later = { kind: 'refused', reason: 'sendFailed', retry: 'later' } as const

function opening(attempt = 1, about: Partial<SendOpener> & { isLast?: boolean } = {}): SendOpener {
  const message = text('Hello from the harbor')
  if (isSignal(message)) throw new Error('this is content')
  const { isLast = false, ...rest } = about
  return { message, sendRef: { sendId: 'snd_abc', attempt, isLast }, ...rest }
}

t.test('An opener is sent under an id derived from its send, and the send gets each state once', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  t.same(chat.open(opening()), { messageId: 'msg_abc' })
  chat.sent('p-1')
  chat.receipt({ providerId: 'p-1', state: 'delivered' })
  chat.receipt({ providerId: 'p-1', state: 'delivered' })
  chat.receipt({ providerId: 'p-1', state: 'read' })
  t.same(
    chat.reports().map(({ sendId, attempt, messageId, state }) => [sendId, attempt, messageId, state]),
    ['sent', 'delivered', 'read'].map((state) => ['snd_abc', 1, 'msg_abc', state]),
  )
})

t.test('A repeated attempt is the same opener, and it is not sent again', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.open(opening())
  t.same(chat.open(opening()), { messageId: 'msg_abc' })
  chat.sent()
  t.same(chat.open(opening()), { messageId: 'msg_abc' })
  t.equal(chat.delivered.length, 1)
})

t.test('A retryable failure is not retried by the conversation, and only the send learns of it', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.open(opening())
  chat.send(text('and by the way'))
  chat.applyOutcome(later)
  t.match(chat.reports(), [{ attempt: 1, state: 'failed', retry: 'later', reason: 'sendFailed' }])
  t.same(chat.types(), [], 'the agent learns of it at the end')
  t.not(chat.delivered.at(-1)!.messageId, 'msg_abc', 'the messages behind it are sent')
  t.equal(chat.timers.get('send'), undefined)
})

t.test('A later attempt replaces the failed one under the same id, without the pieces already sent', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.open(opening())
  chat.applyOutcome({ ...later, providerIds: ['p-1'] })
  chat.reports()
  t.same(chat.open(opening(2)), { messageId: 'msg_abc' })
  t.same(chat.outgoing('msg_abc')?.providerIds, ['p-1'])
  t.same(chat.delivered.at(-1), { messageId: 'msg_abc', attempt: 2 })
  chat.applyOutcome({ kind: 'sent', providerIds: ['p-1', 'p-2'] }, { messageId: 'msg_abc', attempt: 1 })
  t.same(chat.reports(), [], 'a report on the first attempt is outdated')
  chat.applyOutcome({ kind: 'sent', providerIds: ['p-1', 'p-2'] })
  t.match(chat.reports(), [{ attempt: 2, state: 'sent' }])
  t.equal(chat.traffic.filter(({ type }) => type === 'content').length, 1, 'it is on record once')
})

t.test('The agent learns when the last attempt fails', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.open(opening(4, { isLast: true }))
  chat.applyOutcome(later)
  t.match(chat.reports(), [{ attempt: 4, state: 'failed', retry: 'later' }])
  t.match(chat.types(), [{ type: 'status', status: { messageId: 'msg_abc', state: 'failed' } }])
})

t.test('An opted-out person gets no opener, and a waiting one is dropped at the opt-out', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.send(text('first'))
  chat.open(opening())
  chat.receiveText('STOP')
  t.match(chat.reports(), [{ state: 'failed', reason: 'optedOut', retry: 'never' }])
  t.same(chat.open(opening(2)), { reason: 'optedOut' })
  t.same(chat.peopleEvents(), ['seen', 'optedOut'])
  chat.receiveText('START')
  t.same(chat.peopleEvents(), ['optedIn'])
})

t.test('The first action of a person after an opener is their answer to it', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.open(opening())
  chat.sent()
  chat.reports()
  chat.receiveText('Tell me more')
  chat.receiveText('Please')
  t.match(chat.reports(), [{ sendId: 'snd_abc', state: 'responded', at: chat.now() }])
})

t.test('An opener with a quiet time waits until the person has been quiet for that long', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.receiveText('Hi')
  chat.advance(10 * minute)
  t.same(chat.open(opening(1, { quietMs: 30 * minute })), { inConversationUntil: chat.now() + 20 * minute })
  t.equal(chat.delivered.length, 0)
  chat.advance(20 * minute)
  t.same(chat.open(opening(1, { quietMs: 30 * minute })), { messageId: 'msg_abc' })
})

t.test('An opener does not wait for messages dated after the clock was set back', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.receiveText('Hi')
  chat.advance(-60 * minute)
  t.same(chat.open(opening(1, { quietMs: 30 * minute })), { messageId: 'msg_abc' })
})

t.test('The people of the agent hear of a person when a session begins, not of every message', async (t) => {
  const chat = createChat()
  chat.receiveText('Hi')
  chat.receiveText('there')
  t.same(chat.peopleEvents(), ['seen'])
  chat.advance(limits.sessionIdleMs)
  chat.receiveText('again')
  t.same(chat.peopleEvents(), ['seen'])
})

t.test('An opener to a person who just wrote STOP is refused at once, without waiting for quiet', async (t) => {
  const chat = createChat()
  chat.receiveText('STOP')
  t.same(chat.open(opening(1, { quietMs: 30 * minute })), { reason: 'optedOut' })
})

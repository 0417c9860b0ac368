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

t.test(
  'An opening goes out under an id that follows from its send, and the send is told each state once',
  async (t) => {
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
  },
)

t.test('The same try again is the same opening, and nothing more goes out', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.open(opening())
  t.same(chat.open(opening()), { messageId: 'msg_abc' })
  chat.sent()
  t.same(chat.open(opening()), { messageId: 'msg_abc' })
  t.equal(chat.delivered.length, 1)
})

t.test('A try that could work later is not repeated here, is told to the send alone, and makes room', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.open(opening())
  chat.send(text('and by the way'))
  chat.applyOutcome(later)
  t.match(chat.reports(), [{ attempt: 1, state: 'failed', retry: 'later', reason: 'sendFailed' }])
  t.same(chat.types(), [], 'the agent hears of it when it is over')
  t.not(chat.delivered.at(-1)!.messageId, 'msg_abc', 'whatever was behind it goes')
  t.equal(chat.timers.get('send'), undefined)
})

t.test(
  'A later try takes the place of the one that failed, under the same id, without its pieces that went out',
  async (t) => {
    const chat = createChat({ channel: 'rcs' })
    chat.open(opening())
    chat.applyOutcome({ ...later, providerIds: ['p-1'] })
    chat.reports()
    t.same(chat.open(opening(2)), { messageId: 'msg_abc' })
    t.same(chat.outgoing('msg_abc')?.providerIds, ['p-1'])
    t.same(chat.delivered.at(-1), { messageId: 'msg_abc', attempt: 2 })
    chat.applyOutcome({ kind: 'sent', providerIds: ['p-1', 'p-2'] }, { messageId: 'msg_abc', attempt: 1 })
    t.same(chat.reports(), [], 'what is said of the first try is old news')
    chat.applyOutcome({ kind: 'sent', providerIds: ['p-1', 'p-2'] })
    t.match(chat.reports(), [{ attempt: 2, state: 'sent' }])
    t.equal(chat.traffic.filter(({ type }) => type === 'content').length, 1, 'it is on record once')
  },
)

t.test('The agent is told when the last try fails', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.open(opening(4, { isLast: true }))
  chat.applyOutcome(later)
  t.match(chat.reports(), [{ attempt: 4, state: 'failed', retry: 'later' }])
  t.match(chat.types(), [{ type: 'status', status: { messageId: 'msg_abc', state: 'failed' } }])
})

t.test('Whoever opted out gets no opening, and one that waits when they do is over', async (t) => {
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

t.test('The first thing that a person does after an opening is their answer to it', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.open(opening())
  chat.sent()
  chat.reports()
  chat.receiveText('Tell me more')
  chat.receiveText('Please')
  t.match(chat.reports(), [{ sendId: 'snd_abc', state: 'responded', at: chat.now() }])
})

t.test('An opening that wants quiet waits until the person has been quiet for that long', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.receiveText('Hi')
  chat.advance(10 * minute)
  t.same(chat.open(opening(1, { quietMs: 30 * minute })), { inConversationUntil: chat.now() + 20 * minute })
  t.equal(chat.delivered.length, 0)
  chat.advance(20 * minute)
  t.same(chat.open(opening(1, { quietMs: 30 * minute })), { messageId: 'msg_abc' })
})

t.test('An opening waits for nothing that the person wrote by a clock that has been set back since', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.receiveText('Hi')
  chat.advance(-60 * minute)
  t.same(chat.open(opening(1, { quietMs: 30 * minute })), { messageId: 'msg_abc' })
})

t.test('People are told of a person when a session begins, and not of every word', async (t) => {
  const chat = createChat()
  chat.receiveText('Hi')
  chat.receiveText('there')
  t.same(chat.peopleEvents(), ['seen'])
  chat.advance(limits.sessionIdleMs)
  chat.receiveText('again')
  t.same(chat.peopleEvents(), ['seen'])
})

t.test(
  'An opening to a person who just wrote STOP is refused at once, and does not wait for them to be quiet',
  async (t) => {
    const chat = createChat()
    chat.receiveText('STOP')
    t.same(chat.open(opening(1, { quietMs: 30 * minute })), { reason: 'optedOut' })
  },
)

/** Openings of sends: one message however often it is tried, news of it for the send, and nobody disturbed who is talking. */
import t from 'tap'
import { isSignal } from '../../../core/amf/index.js'
import type { Opening } from '../../../core/conversation/opening.js'
import { conversation as limits } from '../../../core/limits.js'
import { laid, minute, text } from './table.js'

const later = { kind: 'refused', reason: 'sendFailed', again: 'later' } as const

function opening(attempt = 1, about: Partial<Opening> & { isLast?: boolean } = {}): Opening {
  const message = text('Hello from the harbor')
  if (isSignal(message)) throw new Error('this is content')
  const { isLast = false, ...rest } = about
  return { message, forSend: { sendId: 'snd_abc', attempt, isLast }, ...rest }
}

t.test(
  'An opening goes out under an id that follows from its send, and the send is told each state once',
  async (t) => {
    const table = laid({ channel: 'rcs' })
    t.same(table.open(opening()), { messageId: 'msg_abc' })
    table.sent('p-1')
    table.receipt({ providerId: 'p-1', state: 'delivered' })
    table.receipt({ providerId: 'p-1', state: 'delivered' })
    table.receipt({ providerId: 'p-1', state: 'read' })
    t.same(
      table.sendNews().map(({ sendId, attempt, messageId, state }) => [sendId, attempt, messageId, state]),
      ['sent', 'delivered', 'read'].map((state) => ['snd_abc', 1, 'msg_abc', state]),
    )
  },
)

t.test('The same try again is the same opening, and nothing more goes out', async (t) => {
  const table = laid({ channel: 'rcs' })
  table.open(opening())
  t.same(table.open(opening()), { messageId: 'msg_abc' })
  table.sent()
  t.same(table.open(opening()), { messageId: 'msg_abc' })
  t.equal(table.delivered.length, 1)
})

t.test('A try that could work later is not repeated here, is told to the send alone, and makes room', async (t) => {
  const table = laid({ channel: 'rcs' })
  table.open(opening())
  table.offer(text('and by the way'))
  table.answers(later)
  t.match(table.sendNews(), [{ attempt: 1, state: 'failed', again: 'later', reason: 'sendFailed' }])
  t.same(table.types(), [], 'the agent hears of it when it is over')
  t.not(table.delivered.at(-1)!.messageId, 'msg_abc', 'whatever was behind it goes')
  t.equal(table.wakes.get('send'), undefined)
})

t.test(
  'A later try takes the place of the one that failed, under the same id, without its pieces that went out',
  async (t) => {
    const table = laid({ channel: 'rcs' })
    table.open(opening())
    table.answers({ ...later, providerIds: ['p-1'] })
    table.sendNews()
    t.same(table.open(opening(2)), { messageId: 'msg_abc' })
    t.same(table.outgoing('msg_abc')?.providerIds, ['p-1'])
    t.same(table.delivered.at(-1), { messageId: 'msg_abc', tried: 2 })
    table.answers({ kind: 'sent', providerIds: ['p-1', 'p-2'] }, { messageId: 'msg_abc', tried: 1 })
    t.same(table.sendNews(), [], 'what is said of the first try is old news')
    table.answers({ kind: 'sent', providerIds: ['p-1', 'p-2'] })
    t.match(table.sendNews(), [{ attempt: 2, state: 'sent' }])
    t.equal(table.traffic.filter(({ type }) => type === 'content').length, 1, 'it is on record once')
  },
)

t.test('The agent is told when the last try fails', async (t) => {
  const table = laid({ channel: 'rcs' })
  table.open(opening(4, { isLast: true }))
  table.answers(later)
  t.match(table.sendNews(), [{ attempt: 4, state: 'failed', again: 'later' }])
  t.match(table.types(), [{ type: 'status', status: { messageId: 'msg_abc', state: 'failed' } }])
})

t.test('Whoever opted out gets no opening, and one that waits when they do is over', async (t) => {
  const table = laid({ channel: 'rcs' })
  table.offer(text('first'))
  table.open(opening())
  table.says('STOP')
  t.match(table.sendNews(), [{ state: 'failed', reason: 'optedOut', again: 'never' }])
  t.same(table.open(opening(2)), { reason: 'optedOut' })
  t.same(table.peopleNews(), ['seen', 'optedOut'])
  table.says('START')
  t.same(table.peopleNews(), ['optedIn'])
})

t.test('The first thing that a person does after an opening is their answer to it', async (t) => {
  const table = laid({ channel: 'rcs' })
  table.open(opening())
  table.sent()
  table.sendNews()
  table.says('Tell me more')
  table.says('Please')
  t.match(table.sendNews(), [{ sendId: 'snd_abc', state: 'responded', at: table.now() }])
})

t.test('An opening that wants quiet waits until the person has been quiet for that long', async (t) => {
  const table = laid({ channel: 'rcs' })
  table.says('Hi')
  table.pass(10 * minute)
  t.same(table.open(opening(1, { quietMs: 30 * minute })), { talkingUntil: table.now() + 20 * minute })
  t.equal(table.delivered.length, 0)
  table.pass(20 * minute)
  t.same(table.open(opening(1, { quietMs: 30 * minute })), { messageId: 'msg_abc' })
})

t.test('An opening waits for nothing that the person wrote by a clock that has been set back since', async (t) => {
  const table = laid({ channel: 'rcs' })
  table.says('Hi')
  table.pass(-60 * minute)
  t.same(table.open(opening(1, { quietMs: 30 * minute })), { messageId: 'msg_abc' })
})

t.test('People are told of a person when a session begins, and not of every word', async (t) => {
  const table = laid()
  table.says('Hi')
  table.says('there')
  t.same(table.peopleNews(), ['seen'])
  table.pass(limits.sessionIdleMs)
  table.says('again')
  t.same(table.peopleNews(), ['seen'])
})

t.test(
  'An opening to a person who just wrote STOP is refused at once, and does not wait for them to be quiet',
  async (t) => {
    const table = laid()
    table.says('STOP')
    t.same(table.open(opening(1, { quietMs: 30 * minute })), { reason: 'optedOut' })
  },
)

/** Tests of the trigger: which waiting events one turn answers. */
import fc from 'fast-check'
import t from 'tap'
import type { ConversationEvent, TypedEvent } from '../../../core/conversation/state.js'
import { turn as limits } from '../../../core/limits/index.js'
import { takeEvents } from '../../../core/turn/trigger.js'

let count = 0
function eventOf(event: TypedEvent, sessionId = 'ses_1'): ConversationEvent {
  count++
  return { eventId: `evt_${count}`, at: count, sessionId, provider: 'emulator', window: 'open', event }
}
const text = (words: string, sessionId?: string) => eventOf({ type: 'message', message: { text: words } }, sessionId)
const tap = (label: string) =>
  eventOf({
    type: 'result',
    result: { intent: 'chips', intentId: 'm', optionIds: [label], labels: [label], via: 'tap' },
  })
const system = (kind: 'conversationStarted' | 'optOut') => eventOf({ type: 'system', system: { kind } })

t.test('Messages that wait together are one turn, in their order', async (t) => {
  const { taken, trigger } = takeEvents([
    system('conversationStarted'),
    text('My name is Ann'),
    text('and I need help'),
  ])
  t.equal(taken, 3)
  t.equal(trigger?.text, 'My name is Ann\nand I need help')
  t.equal(trigger?.hasStarted, true)
})

t.test('A tap is always a turn of its own', async (t) => {
  t.match(takeEvents([text('hello'), tap('Yes'), text('more')]), { taken: 1, trigger: { text: 'hello' } })
  t.match(takeEvents([tap('Yes'), text('more')]), { taken: 1, trigger: { text: '', result: { labels: ['Yes'] } } })
})

t.test('Messages of another session wait for the next turn', async (t) => {
  t.match(takeEvents([text('old', 'ses_1'), text('new', 'ses_2')]), { taken: 1, trigger: { text: 'old' } })
})

t.test('Events that want no answer are taken without a turn', async (t) => {
  const status = eventOf({
    type: 'status',
    status: { messageId: 'm', state: 'read', attempt: { channel: 'sms', provider: 'p' } },
  })
  t.same(takeEvents([status, system('optOut')]), { taken: 2 })
})

t.test('Decision 32: pictures and places of people are lines of text', async (t) => {
  const { trigger } = takeEvents([
    eventOf({
      type: 'message',
      message: {
        text: 'Here',
        media: [{ url: 'https://m.example/1.jpg', type: 'image/jpeg' }],
        place: { address: 'Quay 1' },
      },
    }),
  ])
  t.equal(trigger?.text, 'Here\n[place: Quay 1]\n[image: https://m.example/1.jpg]')
})

t.test('A very long text is read up to a bound', async (t) => {
  t.equal(takeEvents([text('x'.repeat(64 * 1024))]).trigger?.text.length, limits.textChars)
})

t.test('Every event is taken by exactly one turn, in order, and no turn takes two answers', async () => {
  const anyEvent = fc.oneof(
    fc.string().map((words) => text(words)),
    fc.string({ minLength: 1 }).map(tap),
    fc.constant(system('conversationStarted')),
    fc.constant(system('optOut')),
  )
  fc.assert(
    fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 60 }), (events) => {
      const eventIds: string[] = []
      for (let rest = events; rest.length > 0; ) {
        const { taken, trigger } = takeEvents(rest)
        if (taken < 1 || taken > limits.eventsPerTurn) return false
        if (rest.slice(0, taken).filter(({ event }) => event.type === 'result').length > 1) return false
        eventIds.push(...(trigger?.eventIds ?? []))
        rest = rest.slice(taken)
      }
      const answerable = events.filter(({ event }) => event.type !== 'system' || event.system.kind !== 'optOut')
      return JSON.stringify(eventIds) === JSON.stringify(answerable.map(({ eventId }) => eventId))
    }),
  )
})

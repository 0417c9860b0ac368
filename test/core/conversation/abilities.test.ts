/** What a conversation remembers of the device of its person, and what that means for messages on their way. */

import t from 'tap'
import { dropStale, withAbilities } from '../../../core/conversation/device.js'
import type { DeliveryOutcome } from '../../../core/conversation/outcome.js'
import { conversation as limits, outreachSend } from '../../../core/limits.js'
import { createChat } from './chat.js'

const asked = {
  spec: 'amf/1',
  parts: [
    {
      type: 'ask.choice',
      intentId: 'room',
      prompt: 'Which room?',
      options: ['Red', 'Blue', 'Green'].map((label) => ({ id: label.toLowerCase(), label })),
    },
  ],
} as const

t.test('What a device can do is news only when it is not known already', async (t) => {
  const before = createChat().conversation()
  t.equal(withAbilities(before, undefined), before, 'who does not say takes nothing away')
  const told = withAbilities(before, ['LIST', 'QUICK'])
  t.same(told, { ...before, abilities: ['LIST', 'QUICK'] })
  t.equal(withAbilities(told, ['QUICK', 'LIST']), told, 'in whatever order it is told')
  t.equal(withAbilities(told, undefined), told)
  t.same(withAbilities(told, []).abilities, [])
})

const noCards = ['REVOCATION']
const hello = { spec: 'amf/1', parts: [{ type: 'text', text: 'Hello' }] } as const
const idOf = (answer: object) => ('messageId' in answer ? String(answer.messageId) : '')

t.test('What a refusal tells of a device is kept, whatever became of the message', async (t) => {
  for (const outcome of [
    { kind: 'sent', providerIds: ['p1'], abilities: noCards, isRewritten: true },
    { kind: 'refused', reason: 'invalidMessage', again: 'elsewhere', abilities: noCards },
    { kind: 'refused', reason: 'sendFailed', again: 'later', abilities: noCards, isRewritten: true },
  ] satisfies DeliveryOutcome[]) {
    const chat = createChat({ channel: 'rcs' })
    const messageId = idOf(chat.send(hello))
    chat.answers(outcome)
    t.same(chat.conversation().abilities, noCards)
    const { abilities, rewritten } = chat.outgoing(messageId)!
    const expected = 'isRewritten' in outcome ? [noCards, 1] : [undefined, undefined]
    t.same([abilities, rewritten], expected, 'and the message is what it was written for')
  }
})

t.test('An outcome that tells nothing of a device changes nothing of what is known', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.send(hello)
  chat.answers({ kind: 'sent', providerIds: ['p1'] })
  t.notOk('abilities' in chat.conversation())
  const messageId = idOf(chat.send(hello))
  chat.answers({ kind: 'sent', providerIds: ['p2'], abilities: noCards, isRewritten: true }, { messageId, tried: 2 })
  t.notOk('abilities' in chat.conversation(), 'and that of an earlier try is old news')
})

t.test('A message of which a piece is out goes on in the writing that piece is of', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  const messageId = idOf(chat.send(hello))
  const partly = { kind: 'refused', reason: 'sendFailed', again: 'later', providerIds: ['p1'] } as const
  chat.answers({ ...partly, abilities: noCards, isRewritten: true })
  t.match(chat.outgoing(messageId), { abilities: noCards, rewritten: 1, providerIds: ['p1'] })
  chat.pass(limits.sendAgainMs[0]!)
  chat.timerFires('send')
  chat.answers({ ...partly, abilities: [], providerIds: ['p1', 'p2'] })
  t.match(chat.outgoing(messageId), { abilities: noCards, rewritten: 1, providerIds: ['p1', 'p2'] })
  t.same(chat.conversation().abilities, [], 'although more is known by then')
})

t.test('What a refusal told holds for a while, and what a person tells until they tell otherwise', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.send(hello)
  chat.answers({ kind: 'sent', providerIds: ['p1'], abilities: noCards, isRewritten: true })
  chat.pass(outreachSend.capabilityKeptMs - 1)
  const within = idOf(chat.send(hello))
  t.same(chat.outgoing(within)?.abilities, noCards)
  chat.sent()
  chat.pass(1)
  const after = idOf(chat.send(hello))
  t.equal(chat.outgoing(after)?.abilities, undefined)
  t.notOk('abilities' in chat.conversation() || 'abilitiesUntil' in chat.conversation())
  const told = withAbilities({ ...chat.conversation(), abilities: noCards, abilitiesUntil: 1 }, noCards)
  t.same([told.abilities, told.abilitiesUntil], [noCards, undefined])
  t.equal(dropStale({ command: { at: Number.MAX_SAFE_INTEGER, mint: String, scaled: Number } }, told), told)
})

t.test('A further try of a send goes on under the ids of its last writing', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  const opening = (attempt: number) => ({ message: hello, forSend: { sendId: 'snd_1', attempt, isLast: false } })
  const messageId = idOf(chat.open(opening(1)))
  chat.answers({ kind: 'refused', reason: 'sendFailed', again: 'later', abilities: noCards, isRewritten: true })
  t.equal(idOf(chat.open(opening(2))), messageId)
  t.match(chat.outgoing(messageId), { abilities: noCards, rewritten: 1 })
})

t.test('The numbers that a person reads are those that went out, whatever was expected before', async (t) => {
  const chat = createChat({ channel: 'vendorMessages' })
  chat.says('Hi')
  const answer = chat.send(asked)
  const messageId = 'messageId' in answer ? answer.messageId : ''
  t.equal(chat.outgoing(messageId)?.numbered, undefined, 'they are known once the message is out')
  chat.answers({ kind: 'sent', providerIds: ['p1'], numbered: [0, 1, 2] })
  chat.events()
  chat.says('2')
  t.match(chat.types(), [{ type: 'result', result: { optionIds: ['blue'], via: 'text' } }])
})

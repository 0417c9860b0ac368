/** What a conversation remembers of the device of its person, and what that means for messages on their way. */
import t from 'tap'
import { believed, withAbilities } from '../../../core/conversation/abilities.js'
import type { Outcome } from '../../../core/conversation/sending.js'
import { conversation as limits, outreachSend } from '../../../core/limits.js'
import { laid } from './table.js'

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
  const before = laid().conversation()
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
  ] satisfies Outcome[]) {
    const table = laid({ channel: 'rcs' })
    const messageId = idOf(table.offer(hello))
    table.answers(outcome)
    t.same(table.conversation().abilities, noCards)
    const { abilities, rewritten } = table.outgoing(messageId)!
    const expected = 'isRewritten' in outcome ? [noCards, 1] : [undefined, undefined]
    t.same([abilities, rewritten], expected, 'and the message is what it was written for')
  }
})

t.test('An outcome that tells nothing of a device changes nothing of what is known', async (t) => {
  const table = laid({ channel: 'rcs' })
  table.offer(hello)
  table.answers({ kind: 'sent', providerIds: ['p1'] })
  t.notOk('abilities' in table.conversation())
  const messageId = idOf(table.offer(hello))
  table.answers({ kind: 'sent', providerIds: ['p2'], abilities: noCards, isRewritten: true }, { messageId, tried: 2 })
  t.notOk('abilities' in table.conversation(), 'and that of an earlier try is old news')
})

t.test('A message of which a piece is out goes on in the writing that piece is of', async (t) => {
  const table = laid({ channel: 'rcs' })
  const messageId = idOf(table.offer(hello))
  const partly = { kind: 'refused', reason: 'sendFailed', again: 'later', providerIds: ['p1'] } as const
  table.answers({ ...partly, abilities: noCards, isRewritten: true })
  t.match(table.outgoing(messageId), { abilities: noCards, rewritten: 1, providerIds: ['p1'] })
  table.pass(limits.sendAgainMs[0]!)
  table.woken('send')
  table.answers({ ...partly, abilities: [], providerIds: ['p1', 'p2'] })
  t.match(table.outgoing(messageId), { abilities: noCards, rewritten: 1, providerIds: ['p1', 'p2'] })
  t.same(table.conversation().abilities, [], 'although more is known by then')
})

t.test('What a refusal told holds for a while, and what a person tells until they tell otherwise', async (t) => {
  const table = laid({ channel: 'rcs' })
  table.offer(hello)
  table.answers({ kind: 'sent', providerIds: ['p1'], abilities: noCards, isRewritten: true })
  table.pass(outreachSend.capabilityKeptMs - 1)
  const within = idOf(table.offer(hello))
  t.same(table.outgoing(within)?.abilities, noCards)
  table.sent()
  table.pass(1)
  const after = idOf(table.offer(hello))
  t.equal(table.outgoing(after)?.abilities, undefined)
  t.notOk('abilities' in table.conversation() || 'abilitiesUntil' in table.conversation())
  const told = withAbilities({ ...table.conversation(), abilities: noCards, abilitiesUntil: 1 }, noCards)
  t.same([told.abilities, told.abilitiesUntil], [noCards, undefined])
  t.equal(believed({ at: Number.MAX_SAFE_INTEGER }, told), told)
})

t.test('A further try of a send goes on under the ids of its last writing', async (t) => {
  const table = laid({ channel: 'rcs' })
  const opening = (attempt: number) => ({ message: hello, forSend: { sendId: 'snd_1', attempt, isLast: false } })
  const messageId = idOf(table.open(opening(1)))
  table.answers({ kind: 'refused', reason: 'sendFailed', again: 'later', abilities: noCards, isRewritten: true })
  t.equal(idOf(table.open(opening(2))), messageId)
  t.match(table.outgoing(messageId), { abilities: noCards, rewritten: 1 })
})

t.test('The numbers that a person reads are those that went out, whatever was expected before', async (t) => {
  const table = laid({ channel: 'vendorMessages' })
  table.says('Hi')
  const answer = table.offer(asked)
  const messageId = 'messageId' in answer ? answer.messageId : ''
  t.same(table.outgoing(messageId)?.numbered, [], 'a list has none')
  table.answers({ kind: 'sent', providerIds: ['p1'], numbered: [0, 1, 2] })
  table.told()
  table.says('2')
  t.match(table.types(), [{ type: 'result', result: { optionIds: ['blue'], via: 'text' } }])
})

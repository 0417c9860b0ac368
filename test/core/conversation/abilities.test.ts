/** What a conversation remembers of the device of its person, and what that means for messages on their way. */
import t from 'tap'
import { withAbilities } from '../../../core/conversation/abilities.js'
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

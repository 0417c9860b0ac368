/**
 * The chat inside AI assistants has no provider of its own yet: through the emulator it gets plain text, and all of it.
 */
import fc from 'fast-check'
import t from 'tap'
import { emulatorAdapter } from '../../../../adapters/emulator/adapter.js'
import { createPhones } from '../../../../adapters/emulator/phones.js'
import { render } from '../../../../core/render/index.js'
import { message } from '../../../core/render/messages.js'

const adapter = emulatorAdapter('aiChatE', createPhones(10), Buffer.from('a key of the test'))
const reader = { locale: 'en-US', zone: 'America/New_York' }

t.test('Every message is text on aiChatE, and no part of it is lost', async (t) => {
  const isOthers = message.filter(
    ({ parts }) => !parts.some((part) => part.type === 'native' && part.channel === 'aiChatE'),
  )
  fc.assert(
    fc.property(isOthers, (each) => {
      const { blocks, loss } = render(each, adapter.descriptor.traits, reader)
      const payloads = adapter.render(blocks, { address: 'someone', messageId: 'msg_1' })
      const isText = (payload: unknown) => {
        const { block } = payload as { block: { kind: string; text: string; chips?: unknown } }
        return (
          block.kind === 'text' && block.chips === undefined && block.text.length <= adapter.descriptor.traits.text.max
        )
      }
      return loss.length === 0 && payloads.length > 0 && payloads.every(isText)
    }),
    { numRuns: 300 },
  )
  t.pass('for every message')
})

t.test('A payload that is native to aiChatE is sent as it is', async (t) => {
  const payload = { any: 'thing' }
  t.same(adapter.render([{ kind: 'native', payload }], { address: 'someone', messageId: 'msg_1' }), [
    { block: { kind: 'native', payload } },
  ])
})

t.test('aiChatE has no typing indicator', async (t) => {
  t.equal(adapter.signal?.('typing', { address: 'someone', messageId: 'msg_1' }), undefined)
})

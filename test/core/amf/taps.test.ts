/** Everything that can be tapped has one place in its message, whatever becomes of it on a channel. */
import fc from 'fast-check'
import t from 'tap'
import { type ContentMessage, type Tap, tapsOf } from '../../../core/amf/index.js'
import type { Part } from '../../../core/amf/message.js'
import { contentMessage } from './arbitrary.js'

const briefly = (taps: readonly Tap[]) => taps.map(({ intent, optionId, kind }) => `${intent} ${optionId} ${kind}`)

t.test('Taps are in the order of the message, with the chips of the message last', async (t) => {
  const start = { iso: '2030-05-17T14:30:00+02:00', tz: 'Europe/Paris' }
  const parts: Part[] = [
    { type: 'text', text: 'Hello' },
    {
      type: 'ask.choice',
      intentId: 'a',
      prompt: 'Which?',
      options: [
        { id: 'x', label: 'X' },
        { id: 'y', label: 'Y' },
      ],
    },
    {
      type: 'showcase',
      intentId: 'b',
      items: [
        { id: 'i', title: 'I', chips: [{ label: 'More', value: 'more' }] },
        { id: 'j', title: 'J' },
      ],
    },
    {
      type: 'native',
      channel: 'rcs',
      payload: {},
      fallback: [{ type: 'ask.time', intentId: 'c', prompt: 'When?', slots: [{ id: 's', start }] }],
    },
    { type: 'card', card: { title: 'A', chips: [{ label: 'Site', kind: 'url', url: 'https://a.example' }] } },
    { type: 'confirm', intentId: 'd', prompt: 'Sure?' },
    { type: 'ask.location', intentId: 'e', prompt: 'Where?' },
  ]
  t.same(briefly(tapsOf({ parts, chips: [{ label: 'Bye' }] })), [
    'ask.choice x reply',
    'ask.choice y reply',
    'showcase i reply',
    'chips more reply',
    'showcase j reply',
    'ask.time s reply',
    'chips Site url',
    'confirm yes reply',
    'confirm no reply',
    'ask.location location shareLocation',
    'chips Bye reply',
  ])
})

t.test('An option answers its intent, and a chip answers for itself', async (t) => {
  fc.assert(
    fc.property(contentMessage, (message: ContentMessage) =>
      tapsOf(message).every(
        ({ intent, intentId, optionId }) => (intent === 'chips') === (intentId === undefined) && optionId !== '',
      ),
    ),
  )
  t.pass()
})

t.test('No two taps of intents are equal, so a position is never ambiguous', async (t) => {
  fc.assert(
    fc.property(contentMessage, (message) => {
      const answers = tapsOf(message).filter(({ intent }) => intent !== 'chips')
      return new Set(answers.map(({ intentId, optionId }) => `${intentId} ${optionId}`)).size === answers.length
    }),
  )
  t.pass()
})

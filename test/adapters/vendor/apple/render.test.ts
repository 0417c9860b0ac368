/** What Apple is sent for every kind of block, judged by its limits as the emulator has them. */
import fc from 'fast-check'
import t from 'tap'
import { appleMessage } from '../../../../adapters/emulator/apple/schema.js'
import { appleAdapter } from '../../../../adapters/vendor/apple/adapter.js'
import type { ApplePayload } from '../../../../adapters/vendor/apple/render.js'
import type { Block, RenderedChip, RenderedSlot } from '../../../../core/channel/blocks.js'
import { appleMessages as limits } from '../../../../core/limits/index.js'
import { forEveryMessage } from '../../messenger/renderproperties.js'
import { person } from './samples.js'

type Loose = Readonly<Record<string, unknown>>
const about = { address: person, messageId: 'msg_1' }
const messages = (...blocks: readonly Block[]) => appleAdapter.render(blocks, about).map(({ message }) => message)
const reply = (label: string, tap: number): RenderedChip => ({ label, kind: 'reply', tap })
const interactiveOf = (message: Loose | undefined) =>
  message?.interactiveData as { data: Loose; receivedMessage?: Loose; replyMessage?: Loose }

function wrong({ message }: ApplePayload): string | undefined {
  const size = Buffer.byteLength(JSON.stringify(message.interactiveData ?? {}))
  if (size > limits.interactiveBytes) return `an interactive message of ${size} bytes`
  return appleMessage({ ...message, id: 'an-id', sourceId: 'a-business' }, '')
}

t.test('Every message becomes requests that Apple accepts, with all texts and taps in order', async () => {
  forEveryMessage(appleAdapter, about, wrong)
})

t.test('Text goes to the person as it is', async (t) => {
  t.same(messages({ kind: 'text', text: 'Hi' }), [{ type: 'text', body: 'Hi', destinationId: person, v: 1 }])
})

t.test('Chips are quick replies below the block that they belong to', async (t) => {
  const [message] = messages({ kind: 'text', text: 'Well?', chips: [reply('Yes', 0), reply('No', 1)] })
  t.same(interactiveOf(message).data['quick-reply'], {
    summaryText: 'Well?',
    items: [
      { identifier: 'p1.msg_1.0', title: 'Yes' },
      { identifier: 'p1.msg_1.1', title: 'No' },
    ],
  })
})

t.test('A list picker takes one choice, and pictures of its rows are sent before it as links', async (t) => {
  const rows = [
    { label: 'Table 1', description: 'Inside', tap: 0 },
    { label: 'Table 2', mediaUrl: 'https://media.example/2.png', tap: 1 },
  ]
  const [question, links, list] = messages({ kind: 'list', text: 'Which one?', rows })
  t.match(question, { body: 'Which one?' })
  t.match(links, { body: 'Table 2: https://media.example/2.png' })
  t.match(interactiveOf(list), {
    receivedMessage: { title: 'Which one?' },
    replyMessage: { title: 'Select' },
    data: {
      version: '1.0',
      mspVersion: '1.0',
      listPicker: {
        sections: [
          {
            multipleSelection: false,
            items: [
              { identifier: 'p1.msg_1.0', order: 0, title: 'Table 1', subtitle: 'Inside' },
              { identifier: 'p1.msg_1.1', order: 1, title: 'Table 2' },
            ],
          },
        ],
      },
    },
  })
})

t.test('A list that would be answered by a reference is sent as several, each with its own name', async (t) => {
  const rows = Array.from({ length: 50 }, (_, tap) => ({
    label: `${tap} `.repeat(60).slice(0, 200),
    description: 'd'.repeat(200),
    tap,
  }))
  const all = messages({ kind: 'list', text: 'Which one?', rows }).map(interactiveOf)
  t.ok(all.length > 1, `${all.length} lists`)
  const names = new Set(all.map(({ data }) => data.requestIdentifier))
  t.equal(names.size, all.length)
  const identifiers = all.flatMap(({ data }) => {
    const { sections } = data.listPicker as { sections: readonly { items: readonly { identifier: string }[] }[] }
    return sections.flatMap(({ items }) => items.map(({ identifier }) => identifier))
  })
  t.same(
    identifiers,
    rows.map(({ tap }) => `p1.msg_1.${tap}`),
  )
})

const slot = (iso: string, tap: number, label = `Slot ${tap}`, tz = 'America/New_York'): RenderedSlot => ({
  label,
  start: { iso, tz },
  tap,
})

t.test('A time picker has its times in UTC, and the time zone of the message', async (t) => {
  const slots = [slot('2026-11-20T19:00:00-05:00', 0), slot('2026-11-20T20:30:00-05:00', 1)]
  const [message] = messages({ kind: 'times', text: 'When?', slots })
  t.same(interactiveOf(message).data.event, {
    identifier: '1',
    title: 'When?',
    timezoneOffset: -300,
    timeslots: [
      { identifier: 'p1.msg_1.0', startTime: '2026-11-21T00:00+0000', duration: 3_600 },
      { identifier: 'p1.msg_1.1', startTime: '2026-11-21T01:30+0000', duration: 3_600 },
    ],
  })
  t.match(interactiveOf(message).data, { version: '1.0', mspVersion: '1.0' }, 'by both names of the version')
  t.match(interactiveOf(message).receivedMessage, { title: 'When?', subtitle: 'Slot 0 · Slot 1' }, 'with its labels')
})

t.test('Times on both sides of a change of clocks are shown in the zone of the reader', async (t) => {
  const slots = [slot('2026-10-31T19:00:00-04:00', 0), slot('2026-11-02T19:00:00-05:00', 1)]
  const [message] = messages({ kind: 'times', text: 'When?', slots })
  t.notOk('timezoneOffset' in (interactiveOf(message).data.event as Loose))
})

t.test('Labels of times that do not fit the bubble are sent before the picker', async (t) => {
  const slots = [0, 1].map((tap) => slot('2026-11-20T19:00:00-05:00', tap, `${'long '.repeat(30)}${tap}`))
  const [labels, picker] = messages({ kind: 'times', text: 'When?', slots })
  t.match(labels, { type: 'text', body: /^When\?\n- long/ })
  t.notOk('subtitle' in interactiveOf(picker).receivedMessage!)
})

t.test('Media is a rich link that plays a video or opens a picture', async (t) => {
  const url = 'https://media.example/tour.mov'
  const [film] = messages({ kind: 'media', media: { kind: 'video', url, alt: 'A tour' } })
  t.match(film, {
    type: 'richLink',
    richLinkData: { url, title: 'A tour', assets: { video: { url, mimeType: 'video/quicktime' } } },
  })
  const [picture] = messages({ kind: 'media', media: { kind: 'image', url: 'https://media.example/room.jpg' } })
  t.same(picture?.richLinkData, { url: 'https://media.example/room.jpg', title: 'room.jpg' })
})

t.test('The caption of media is sent above it, and with chips below it', async (t) => {
  const media = { kind: 'image', url: 'https://media.example/room.jpg' } as const
  const types = (...blocks: readonly Block[]) => messages(...blocks).map(({ type }) => type)
  t.same(types({ kind: 'media', media, text: 'This one?' }), ['text', 'richLink'])
  const chips = [reply('Yes', 0), reply('No', 1)]
  t.same(types({ kind: 'media', media, text: 'This one?', chips }), ['richLink', 'interactive'])
  t.same(types({ kind: 'media', media, chips }), ['richLink', 'interactive'], 'chips without words are not lost')
})

t.test('A native payload is sent as it is, on its own channel only', async (t) => {
  const payload = { type: 'text', body: 'Hi', destinationId: 'urn:mbid:someone-else' }
  t.same(messages({ kind: 'native', payload }), [{ type: 'text', body: 'Hi', destinationId: person, v: 1 }])
})

t.test('Typing is shown, and read marks do not exist', async (t) => {
  t.same(appleAdapter.signal?.('typing', about), { message: { type: 'typing_start', destinationId: person, v: 1 } })
  t.equal(appleAdapter.signal?.('read', about), undefined)
})

t.test('The same message always has the same request identifiers, and each block has its own', async (t) => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,80}$/), (messageId) => {
      const block: Block = { kind: 'text', text: 'Well?', chips: [reply('Yes', 0), reply('No', 1)] }
      const names = () =>
        appleAdapter
          .render([block, block], { address: person, messageId })
          .map(({ message }) => interactiveOf(message).data.requestIdentifier)
      const [first, second] = names()
      return first !== second && String(names()) === String([first, second])
    }),
  )
  t.pass('for every id')
})

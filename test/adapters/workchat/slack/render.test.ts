/** What Slack is sent for every kind of block, judged by its limits as the emulator has them. */
import t from 'tap'
import { blocksShape, isTooLong, postMessage } from '../../../../adapters/emulator/slack/schema.js'
import { slackAdapter } from '../../../../adapters/workchat/slack/adapter.js'
import type { SlackPayload } from '../../../../adapters/workchat/slack/render.js'
import type { Block, RenderedChip } from '../../../../core/channel/blocks.js'
import { slack as limits } from '../../../../core/limits/index.js'
import { forEveryMessage } from '../../messenger/renderproperties.js'
import { dm } from './samples.js'

type Loose = Readonly<Record<string, unknown>>
const context = { address: dm, messageId: 'msg_1' }
const bodies = (...blocks: readonly Block[]) => slackAdapter.render(blocks, context).map(({ body }) => body)
const blocksOf = (body: Loose | undefined) => body?.blocks as readonly Loose[]
const reply = (label: string, tap: number): RenderedChip => ({ label, kind: 'reply', tap })
const plain = (text: string) => ({ type: 'plain_text', text })
const button = (text: string, tap: number, more: object = {}) => {
  const postback = `p1.msg_1.${tap}`
  return { type: 'button', text: plain(text), action_id: postback, value: postback, ...more }
}

function wrong({ body }: SlackPayload): string | undefined {
  const { blocks = [] } = body as { blocks?: readonly unknown[] }
  if (isTooLong(blocks)) return 'msg_blocks_too_long'
  return postMessage(body, '') ?? (body.text === '' ? 'a notification says nothing' : blocksShape(blocks, 'blocks'))
}

t.test('Every message becomes requests that Slack accepts, with all texts and taps in order', async () => {
  forEveryMessage(slackAdapter, context, wrong)
})

t.test('Text is sent in the markup of Slack', async (t) => {
  t.same(bodies({ kind: 'text', text: 'Hi *you*' }), [{ channel: dm, text: 'Hi *you*' }])
})

t.test('Chips are buttons whose value is their position, links included', async (t) => {
  const chips: RenderedChip[] = [
    reply('Yes', 0),
    { label: 'Menu', kind: 'url', url: 'https://roma.example/menu', tap: 1 },
    { label: 'View on map', kind: 'url', url: 'https://maps.example' },
  ]
  const [body] = bodies({ kind: 'text', text: 'Well?', chips })
  t.equal(body?.text, 'Well?', 'the text of notifications')
  t.same(blocksOf(body), [
    { type: 'section', text: { type: 'mrkdwn', text: 'Well?' } },
    {
      type: 'actions',
      elements: [
        button('Yes', 0),
        button('Menu', 1, { url: 'https://roma.example/menu' }),
        { type: 'button', text: plain('View on map'), action_id: 'chip.2', url: 'https://maps.example' },
      ],
    },
  ])
})

t.test('A list is a menu', async (t) => {
  const rows = Array.from({ length: 6 }, (_, tap) => ({ label: `Table ${tap}`, tap }))
  const [body] = bodies({ kind: 'list', text: 'Which one?', rows })
  t.match(blocksOf(body).at(-1), {
    type: 'actions',
    elements: [
      {
        type: 'static_select',
        placeholder: plain('Select'),
        options: rows.map(({ label, tap }) => ({ text: plain(label), value: `p1.msg_1.${tap}` })),
      },
    ],
  })
})

t.test('Pictures of a long list are sent above the menu, in as many messages as needed', async (t) => {
  const rows = Array.from({ length: 100 }, (_, tap) => ({
    label: `T${tap}`,
    tap,
    mediaUrl: `https://media.example/${tap}.png`,
  }))
  const all = bodies({ kind: 'list', text: 'Which one?', rows })
  t.ok(all.every((body) => blocksOf(body).length <= limits.blocksPerMessage))
  const types = all.flatMap((body) => blocksOf(body).map(({ type }) => type))
  t.equal(types.filter((type) => type === 'image').length, 100)
  t.equal(types.at(-1), 'actions')
})

t.test('Cards follow each other with a divider between them', async (t) => {
  const card = (title: string, tap: number) => ({
    title,
    description: 'Tomato &amp; basil',
    mediaUrl: 'https://media.example/pizza.png',
    chips: [reply('Select', tap)],
  })
  const [body] = bodies({ kind: 'carousel', cards: [card('Margherita', 0), card('<!channel>', 1)] })
  t.equal(body?.text, 'Margherita, &lt;!channel&gt;', 'a title mentions no user')
  t.same(
    blocksOf(body).map(({ type }) => type),
    ['header', 'section', 'image', 'actions', 'divider', 'header', 'section', 'image', 'actions'],
  )
  t.same(blocksOf(body)[0], { type: 'header', text: plain('Margherita') })
  t.match(blocksOf(body)[2], { image_url: 'https://media.example/pizza.png', alt_text: 'Margherita' })
})

t.test('A picture has a description, in its alt text or above it if it is long', async (t) => {
  const url = 'https://media.example/room.png'
  const [short] = bodies({ kind: 'media', media: { kind: 'image', url, alt: 'The room' } })
  t.same(blocksOf(short), [{ type: 'image', image_url: url, alt_text: 'The room' }])
  const long = bodies({ kind: 'media', media: { kind: 'image', url, alt: 'w '.repeat(1_500) } })
  t.equal(long.length, 2)
  t.same(blocksOf(long[1]), [{ type: 'image', image_url: url, alt_text: 'Picture' }])
})

t.test('A person who writes in a channel is answered in the channel', async (t) => {
  const [rendered] = slackAdapter.render([{ kind: 'text', text: 'Hi' }], { ...context, address: 'C061EG9SL/U2CERLKJA' })
  t.same(rendered?.body, { text: 'Hi', channel: 'C061EG9SL' })
})

t.test('A native payload is sent as it is, on its own channel only', async (t) => {
  const payload = { text: 'Hi', channel: 'C0SOMEWHERE', blocks: [{ type: 'divider' }] }
  t.same(bodies({ kind: 'native', payload }), [{ text: 'Hi', channel: dm, blocks: [{ type: 'divider' }] }])
})

t.test('Slack has no signals', async (t) => {
  t.equal(slackAdapter.signal, undefined)
})

/** What WhatsApp is sent for every kind of block, judged by the limits of its fact sheet as the emulator has them. */
import t from 'tap'
import { messageBody } from '../../../../adapters/emulator/whatsapp/schema.js'
import { whatsappAdapter } from '../../../../adapters/messenger/whatsapp/adapter.js'
import type { WhatsappPayload } from '../../../../adapters/messenger/whatsapp/render.js'
import type { Block, RenderedChip } from '../../../../core/channel/blocks.js'
import { forEveryMessage } from '../renderproperties.js'
import { person } from '../samples.js'

const context = { address: person, messageId: 'msg_1' }
const bodies = (...blocks: readonly Block[]) => whatsappAdapter.render(blocks, context).map(({ body }) => body)
const whom = { messaging_product: 'whatsapp', recipient_type: 'individual', to: person }
const reply = (label: string, tap: number): RenderedChip => ({ label, kind: 'reply', tap })
const picture = 'https://media.example/room.jpg'

t.test('Every message becomes requests that WhatsApp accepts, with all texts and taps in order', async () => {
  forEveryMessage(whatsappAdapter, context, ({ body }: WhatsappPayload) => messageBody(body, ''))
})

t.test('Text goes out without a preview', async (t) => {
  t.same(bodies({ kind: 'text', text: 'Hi *you*' }), [
    { ...whom, type: 'text', text: { body: 'Hi *you*', preview_url: false } },
  ])
})

t.test('Replies are buttons whose payload is their position, and a link is a button of its own', async (t) => {
  const [buttons, link] = bodies(
    { kind: 'text', text: 'Well?', chips: [reply('Yes', 0), reply('No', 1)] },
    { kind: 'text', text: 'See', chips: [{ label: 'Menu', kind: 'url', url: 'https://roma.example/menu', tap: 2 }] },
  )
  t.same(buttons?.interactive, {
    type: 'button',
    body: { text: 'Well?' },
    action: {
      buttons: [
        { type: 'reply', reply: { id: 'p1.msg_1.0', title: 'Yes' } },
        { type: 'reply', reply: { id: 'p1.msg_1.1', title: 'No' } },
      ],
    },
  })
  t.same(link?.interactive, {
    type: 'cta_url',
    body: { text: 'See' },
    action: { name: 'cta_url', parameters: { display_text: 'Menu', url: 'https://roma.example/menu' } },
  })
})

t.test('A place is requested with WhatsApp’s own button, below the label of the chip', async (t) => {
  const chips: RenderedChip[] = [{ label: 'Send my location', kind: 'shareLocation', tap: 0 }]
  const [locationBody] = bodies({ kind: 'text', text: 'Where are you?', chips })
  t.same(locationBody?.interactive, {
    type: 'location_request_message',
    body: { text: 'Where are you?\n\nSend my location' },
    action: { name: 'send_location' },
  })
  const long = bodies({ kind: 'text', text: 'w'.repeat(1_020), chips })
  t.same(
    long.map(({ type }) => type),
    ['text', 'interactive'],
    'where both have no room, the words go ahead',
  )
})

t.test('Media carries its text as a caption, or as the body above its buttons', async (t) => {
  const image = { kind: 'image', url: picture } as const
  t.same(bodies({ kind: 'media', media: { ...image, alt: 'The room' } })[0], {
    ...whom,
    type: 'image',
    image: { caption: 'The room', link: picture },
  })
  const [tappable] = bodies({ kind: 'media', media: image, text: 'This one?', chips: [reply('Yes', 0)] })
  t.match(tappable?.interactive, {
    type: 'button',
    header: { type: 'image', image: { link: picture } },
    body: { text: 'This one?' },
  })
})

t.test('A document is named by its file name', async (t) => {
  const url = 'https://media.example/a/menu.pdf?v=2'
  const [body] = bodies({ kind: 'media', media: { kind: 'file', url } })
  t.same(body?.document, { link: url, filename: 'menu.pdf' })
  const [called] = bodies({ kind: 'media', media: { url, kind: 'file', name: 'Menu for May.pdf' } })
  t.same(called?.document, { link: url, filename: 'Menu for May.pdf' })
})

t.test('Audio has no caption, so its text is sent before it and its buttons below it', async (t) => {
  const media = { kind: 'audio', url: 'https://media.example/hello.mp3', alt: 'A greeting' } as const
  const all = bodies({ kind: 'media', media, chips: [reply('Again', 0)] })
  t.same(
    all.map(({ type }) => type),
    ['text', 'audio', 'interactive'],
  )
})

t.test('A caption that is too long is a message of its own', async (t) => {
  const all = bodies({ kind: 'media', media: { kind: 'image', url: picture, alt: 'w'.repeat(1_025) } })
  t.same(
    all.map(({ type }) => type),
    ['text', 'image'],
  )
})

t.test('A list is opened by one button, and pictures of its rows are sent before it as links', async (t) => {
  const row = (tap: number) => ({ label: `Table ${tap}`, description: 'By the window', tap })
  const rows = [row(0), row(1), row(2), { ...row(3), mediaUrl: picture }]
  const [question, links, list] = bodies({ kind: 'list', text: 'Which one?', rows })
  t.match(question, { text: { body: 'Which one?' } })
  t.match(links, { text: { body: `Table 3: ${picture}` } })
  t.same((list!.interactive as { action: unknown }).action, {
    button: 'Select',
    sections: [
      {
        rows: rows.map(({ label, description, tap }) => ({ id: `p1.msg_1.${tap}`, title: label, description })),
      },
    ],
  })
})

t.test('Cards have the text before them as their body, with two line breaks at most', async (t) => {
  const card = (tap: number) => ({
    description: 'Margherita\n\nTomato\nBasil\nOil',
    mediaUrl: picture,
    chips: [reply('Select', tap)],
  })
  const all = bodies({ kind: 'text', text: 'Our pizzas' }, { kind: 'carousel', cards: [card(0), card(1)] })
  t.equal(all.length, 1)
  const { body, action } = all[0]!.interactive as { body: unknown; action: { cards: readonly unknown[] } }
  t.same(body, { text: 'Our pizzas' })
  t.same(action.cards[1], {
    card_index: 1,
    type: 'cta_url',
    body: { text: 'Margherita\nTomato\nBasil Oil' },
    header: { type: 'image', image: { link: picture } },
    action: { buttons: [{ type: 'quick_reply', quick_reply: { id: 'p1.msg_1.1', title: 'Select' } }] },
  })
})

t.test('Text that is too long for the body of cards is sent before them', async (t) => {
  const cards = [0, 1].map((tap) => ({ mediaUrl: picture, chips: [reply('Select', tap)] }))
  const all = bodies({ kind: 'text', text: 'w'.repeat(1_025) }, { kind: 'carousel', cards })
  t.same(
    all.map(({ type }) => type),
    ['text', 'interactive'],
  )
})

t.test('A native payload is sent as it is, on its own channel only', async (t) => {
  const template = { name: 'hello', language: { code: 'en_US' } }
  const payload = { type: 'template', template, to: '19995550000', recipient: 'someone' }
  t.same(bodies({ kind: 'native', payload }), [{ ...whom, type: 'template', template }])
  t.same(
    bodies({ kind: 'native', payload: 'nonsense' }),
    [whom],
    'a value that is not an object is passed on, to be refused',
  )
})

t.test('A person is addressed by digits, or by another id', async (t) => {
  const to = (address: string) =>
    whatsappAdapter.render([{ kind: 'text', text: 'Hi' }], { ...context, address })[0]?.body
  t.match(to('+14155550100'), { to: '14155550100' })
  t.match(to('US.13491208655302741918'), { recipient: 'US.13491208655302741918', to: undefined })
})

t.test('Typing and read marks need a message of the person', async (t) => {
  const replyContext = { ...context, lastInboundId: 'wamid.1' }
  const seen = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.1' }
  t.same(whatsappAdapter.signal?.('typing', replyContext), { body: { ...seen, typing_indicator: { type: 'text' } } })
  t.same(whatsappAdapter.signal?.('read', replyContext), { body: seen })
  t.equal(whatsappAdapter.signal?.('typing', context), undefined)
})

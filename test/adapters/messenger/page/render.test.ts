/** What Messenger and Instagram are sent for every kind of block, judged by their limits as the emulator has them. */
import fc from 'fast-check'
import t from 'tap'
import { instagramBody, messengerBody } from '../../../../adapters/emulator/messenger/schema.js'
import { instagramAdapter } from '../../../../adapters/messenger/instagram/adapter.js'
import { messengerAdapter } from '../../../../adapters/messenger/messenger/adapter.js'
import type { PagePayload } from '../../../../adapters/messenger/page/render.js'
import type { Block, RenderedChip } from '../../../../core/channel/blocks.js'
import { forEveryMessage } from '../renderproperties.js'
import { psid } from '../samples.js'

const context = { address: psid, messageId: 'msg_1' }
const messages = (...blocks: readonly Block[]) =>
  messengerAdapter.render(blocks, context).map(({ body }) => body.message as Readonly<Record<string, unknown>>)
const reply = (label: string, tap: number): RenderedChip => ({ label, kind: 'reply', tap })
const elements = (message: Readonly<Record<string, unknown>> | undefined) =>
  (message as { attachment: { payload: { elements: readonly unknown[] } } }).attachment.payload.elements

t.test('Every message becomes requests that Messenger accepts, with all texts and taps in order', async () => {
  forEveryMessage(messengerAdapter, context, ({ body }: PagePayload) => messengerBody(body, ''))
})

t.test('Every message becomes requests that Instagram accepts, with all texts and taps in order', async () => {
  forEveryMessage(instagramAdapter, context, ({ body }: PagePayload) => instagramBody(body, ''))
})

t.test('A message is a response to a person of the page', async (t) => {
  t.same(messengerAdapter.render([{ kind: 'text', text: 'Hi' }], context), [
    { body: { recipient: { id: psid }, messaging_type: 'RESPONSE', message: { text: 'Hi' } } },
  ])
})

t.test('Chips are quick replies whose payload is their position', async (t) => {
  t.same(messages({ kind: 'text', text: 'Well?', chips: [reply('Yes', 0), reply('No', 1)] }), [
    {
      text: 'Well?',
      quick_replies: [
        { content_type: 'text', title: 'Yes', payload: 'p1.msg_1.0' },
        { content_type: 'text', title: 'No', payload: 'p1.msg_1.1' },
      ],
    },
  ])
})

t.test('A card is a generic template with its buttons', async (t) => {
  const chips: RenderedChip[] = [
    reply('Select', 0),
    { label: 'Menu', kind: 'url', url: 'https://roma.example/menu', tap: 1 },
    { label: 'Call', kind: 'dial', phone: '+1 (212) 555-0100', tap: 2 },
  ]
  const card = { title: 'Roma', description: 'Open late', mediaUrl: 'https://media.example/room.jpg', chips }
  t.same(elements(messages({ kind: 'card', card })[0]), [
    {
      title: 'Roma',
      subtitle: 'Open late',
      image_url: 'https://media.example/room.jpg',
      buttons: [
        { type: 'postback', title: 'Select', payload: 'p1.msg_1.0' },
        { type: 'web_url', title: 'Menu', url: 'https://roma.example/menu' },
        { type: 'phone_number', title: 'Call', payload: '+12125550100' },
      ],
    },
  ])
})

t.test('A number without a country code is written as text, since no button can call it', async (t) => {
  const chip = (label: string): RenderedChip => ({ label, kind: 'dial', phone: '555-0100', tap: 0 })
  const [card, rest] = messages({ kind: 'card', card: { title: 'Roma', chips: [chip('Call'), chip('Fax')] } })
  t.same(elements(card), [{ title: 'Roma', subtitle: 'Call: 555-0100' }])
  t.same(rest, { text: 'Fax: 555-0100' })
})

t.test('A video cannot be part of a card: a tap on the card opens it', async (t) => {
  const mediaUrl = 'https://media.example/tour.mp4'
  t.same(elements(messages({ kind: 'card', card: { title: 'Tour', mediaUrl } })[0]), [
    { title: 'Tour', default_action: { type: 'web_url', url: mediaUrl } },
  ])
})

t.test('The caption of media is sent before it, unless chips follow, which must come last', async (t) => {
  const media = { kind: 'image', url: 'https://media.example/room.jpg' } as const
  const expected = { attachment: { type: 'image', payload: { url: media.url } } }
  t.same(messages({ kind: 'media', media: { ...media, alt: 'The room' } }), [{ text: 'The room' }, expected])
  const tappable = messages({ kind: 'media', media, text: 'This one?', chips: [reply('Yes', 0)] })
  t.same(tappable[0], expected)
  t.match(tappable[1], { text: 'This one?', quick_replies: [{ title: 'Yes' }] })
})

t.test('A file is sent as a picture where the provider has only pictures', async (t) => {
  const block: Block = { kind: 'media', media: { kind: 'file', url: 'https://media.example/room.png' } }
  const typeOn = (adapter: typeof instagramAdapter) => adapter.render([block], context)[0]?.body
  t.match(typeOn(instagramAdapter), { message: { attachment: { type: 'image' } } })
  t.match(typeOn(messengerAdapter), { message: { attachment: { type: 'file' } } })
})

t.test('A native payload replaces the message, on its own channel only', async (t) => {
  const payload = { attachment: { type: 'template', payload: { template_type: 'receipt' } } }
  const [rendered] = messengerAdapter.render([{ kind: 'native', payload }], context)
  t.same(rendered?.body, { recipient: { id: psid }, messaging_type: 'RESPONSE', message: payload })
})

t.test('Messenger shows typing and read marks; Instagram gets none, since its support is uncertain', async (t) => {
  t.same(messengerAdapter.signal?.('typing', context), {
    body: { recipient: { id: psid }, sender_action: 'typing_on' },
  })
  t.same(messengerAdapter.signal?.('read', context), { body: { recipient: { id: psid }, sender_action: 'mark_seen' } })
  t.equal(instagramAdapter.signal, undefined)
})

t.test('A title that is cut to twenty characters still returns its own position', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat(9_999), { minLength: 1, maxLength: 13 }), (taps) => {
      const [message] = messages({ kind: 'text', text: 'Well?', chips: taps.map((tap) => reply('Same', tap)) })
      const replies = message?.quick_replies as readonly { payload: string }[]
      return replies.every(({ payload }, at) => payload === `p1.msg_1.${taps[at]}`)
    }),
  )
  t.pass('for every row')
})

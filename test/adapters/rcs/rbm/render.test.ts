/** From blocks to the bodies of RCS Business Messaging: each shape, its limits for every message, and nothing lost. */
import fc from 'fast-check'
import t from 'tap'
import { agentMessage } from '../../../../adapters/emulator/rbm/schema.js'
import { rbmAdapter } from '../../../../adapters/rcs/rbm/adapter.js'
import type { ContentMessage } from '../../../../core/amf/index.js'
import type { Block, RenderedCard, RenderedChip } from '../../../../core/channel/blocks.js'
import { traitsOf } from '../../../../core/channel/channeltraits.js'
import { formatPostback } from '../../../../core/channel/postback.js'
import { render } from '../../../../core/render/index.js'
import { cases } from '../../../core/render/cases.js'
import { message } from '../../../core/render/messages.js'

const context = { address: '+15550100', messageId: 'msg_1' }
const reader = { locale: 'en-US', zone: 'America/New_York' }
const bodies = (...blocks: Block[]): unknown[] =>
  rbmAdapter.render(blocks, context).map((payload) => ('message' in payload ? payload.message : payload))

t.test('Text goes out as text, with its chips below it', async (t) => {
  t.same(bodies({ kind: 'text', text: 'Hello' }), [{ contentMessage: { text: 'Hello' } }])
  t.same(bodies({ kind: 'text', text: 'Which?', chips: [{ kind: 'reply', label: 'This', tap: 0 }] }), [
    {
      contentMessage: { text: 'Which?', suggestions: [{ reply: { text: 'This', postbackData: 'p1.msg_1.0' } }] },
    },
  ])
})

t.test('Every kind of chip is the action that the phone knows, with a fallback URL for other clients', async (t) => {
  const start = { iso: '2026-11-20T19:00:00-05:00', tz: 'America/New_York' }
  const end = { iso: '2026-11-20T21:00:00-05:00', tz: 'America/New_York' }
  const chips: RenderedChip[] = [
    { kind: 'url', label: 'Website', tap: 1, url: 'https://roma.example' },
    { kind: 'dial', label: 'Call', tap: 2, phone: '+1 (555) 010-0100' },
    { kind: 'calendar', label: 'Save', tap: 3, event: { title: 'Dinner', start, end, description: 'No nuts.' } },
    { kind: 'viewLocation', label: 'Map', tap: 4, place: { latitude: 40.7, longitude: -74, label: 'Roma' } },
    { kind: 'viewLocation', label: 'View on map', place: { address: '12 Mulberry St' } },
    { kind: 'shareLocation', label: 'Share location', tap: 5 },
  ]
  const [body] = bodies({ kind: 'text', text: 'See', chips })
  const given = (body as { contentMessage: { suggestions: object[] } }).contentMessage.suggestions
  t.same(given, [
    {
      action: { text: 'Website', openUrlAction: { url: 'https://roma.example' }, postbackData: 'p1.msg_1.1' },
    },
    { action: { text: 'Call', dialAction: { phoneNumber: '+15550100100' }, postbackData: 'p1.msg_1.2' } },
    {
      action: {
        text: 'Save',
        createCalendarEventAction: {
          title: 'Dinner',
          startTime: '2026-11-21T00:00:00.000Z',
          endTime: '2026-11-21T02:00:00.000Z',
          description: 'No nuts.',
        },
        fallbackUrl:
          'https://calendar.google.com/calendar/render?action=TEMPLATE&text=Dinner&dates=20261121T000000Z/20261121T020000Z',
        postbackData: 'p1.msg_1.3',
      },
    },
    {
      action: {
        text: 'Map',
        viewLocationAction: { latLong: { latitude: 40.7, longitude: -74 }, label: 'Roma' },
        fallbackUrl: 'https://www.google.com/maps/search/?api=1&query=40.7,-74',
        postbackData: 'p1.msg_1.4',
      },
    },
    {
      action: {
        text: 'View on map',
        viewLocationAction: { query: '12 Mulberry St' },
        fallbackUrl: 'https://www.google.com/maps/search/?api=1&query=12+Mulberry+St',
        postbackData: 'untold',
      },
    },
    { action: { text: 'Share location', shareLocationAction: {}, postbackData: 'p1.msg_1.5' } },
  ])
})

t.test('One card is standalone, several are a carousel with pictures of one height', async (t) => {
  const card: RenderedCard = {
    title: 'Margherita',
    description: 'Tomato.',
    mediaUrl: 'https://media.example/1.jpg',
    chips: [{ kind: 'reply', label: 'Select', tap: 0 }],
  }
  const suggestions = [{ reply: { text: 'Select', postbackData: 'p1.msg_1.0' } }]
  const content = (height: string) => ({
    title: 'Margherita',
    description: 'Tomato.',
    media: { height, contentInfo: { fileUrl: 'https://media.example/1.jpg' } },
    suggestions,
  })
  t.same(bodies({ kind: 'card', card }), [
    {
      contentMessage: {
        richCard: { standaloneCard: { cardOrientation: 'VERTICAL', cardContent: content('TALL') } },
      },
    },
  ])
  const chips: RenderedChip[] = [{ kind: 'reply', label: 'None', tap: 1 }]
  t.same(bodies({ kind: 'carousel', cards: [card, { title: 'Water' }], chips }), [
    {
      contentMessage: {
        richCard: { carouselCard: { cardWidth: 'MEDIUM', cardContents: [content('MEDIUM'), { title: 'Water' }] } },
        suggestions: [{ reply: { text: 'None', postbackData: 'p1.msg_1.1' } }],
      },
    },
  ])
})

t.test('Media is sent as itself, and as a card with its caption where possible', async (t) => {
  const url = 'https://media.example/1.mp4'
  const thumbnailUrl = 'https://media.example/1.jpg'
  const chips: RenderedChip[] = [{ kind: 'reply', label: 'More', tap: 0 }]
  const suggestions = [{ reply: { text: 'More', postbackData: 'p1.msg_1.0' } }]
  const contentInfo = { fileUrl: url, thumbnailUrl }
  t.same(bodies({ kind: 'media', media: { url, kind: 'video', thumbnailUrl }, chips }), [
    { contentMessage: { contentInfo, suggestions } },
  ])
  t.same(bodies({ kind: 'media', media: { url, kind: 'video', thumbnailUrl, alt: 'A tour' }, text: 'Look', chips }), [
    {
      contentMessage: {
        richCard: {
          standaloneCard: {
            cardOrientation: 'VERTICAL',
            cardContent: { description: 'Look\n\nA tour', media: { height: 'TALL', contentInfo } },
          },
        },
        suggestions,
      },
    },
  ])
  t.same(
    bodies({ kind: 'media', media: { url: 'https://media.example/menu.pdf', kind: 'file', alt: 'The menu' }, chips }),
    [
      { contentMessage: { text: 'The menu' } },
      { contentMessage: { contentInfo: { fileUrl: 'https://media.example/menu.pdf' }, suggestions } },
    ],
  )
  const long = 'word '.repeat(800).trim()
  const parts = bodies({ kind: 'media', media: { url, kind: 'image', alt: long } })
  t.equal(parts.length, 3, 'text that fits no card and no single message is sent before the picture')
  t.same(parts.at(-1), { contentMessage: { contentInfo: { fileUrl: url } } })
})

t.test('A native payload for rcs is sent as it is', async (t) => {
  const payload = { contentMessage: { text: 'Hi' }, ttl: '60s' }
  t.same(rbmAdapter.render([{ kind: 'native', payload }], context), [{ native: payload }])
})

t.test('A part without a trait of rcs is not sent as another part', async (t) => {
  t.throws(() => bodies({ kind: 'list', text: 'Which?', rows: [] }), /no list/)
})

t.test('A calendar entry is truncated to the platform’s limit, its location first', async (t) => {
  const start = { iso: '2026-11-20T19:00:00Z', tz: 'UTC' }
  const event = { title: '😀'.repeat(60), start, end: start, description: 'x'.repeat(900), place: { address: 'Here' } }
  const [body] = bodies({ kind: 'text', text: 'See', chips: [{ kind: 'calendar', label: 'Save', tap: 0, event }] })
  const { title, description } = (
    body as { contentMessage: { suggestions: { action: { createCalendarEventAction: Record<string, string> } }[] } }
  ).contentMessage.suggestions[0]!.action.createCalendarEventAction
  t.ok(title!.length <= 100 && title!.isWellFormed() && title!.endsWith('…'), title!)
  t.ok(description!.length === 500 && description!.startsWith('Here\nx'), description!)
})

t.test('Typing is an event, and reading is an event about the last message received', async (t) => {
  t.same(rbmAdapter.signal?.('typing', context), { event: { eventType: 'IS_TYPING' } })
  t.same(rbmAdapter.signal?.('read', { ...context, lastInboundId: 'MxA1' }), {
    event: { eventType: 'READ', messageId: 'MxA1' },
  })
  t.equal(rbmAdapter.signal?.('read', context), undefined, 'no message was received')
  t.equal(
    rbmAdapter.signal?.('read', { ...context, lastInboundId: 'event e3' }),
    undefined,
    'the received item is no message',
  )
})

const broad = fc.oneof(
  { weight: 3, arbitrary: message },
  {
    weight: 1,
    arbitrary: fc.constantFrom<ContentMessage>(...Object.values(cases).flatMap((each) => Object.values(each))),
  },
)

type Loose = Readonly<Record<string, unknown>>

/** The limits as the platform states them, apart from the traits that rendering goes by. */
function checkBody(body: unknown): void {
  const { contentMessage } = body as { contentMessage: Loose }
  const kinds = ['text', 'richCard', 'contentInfo'].filter((each) => contentMessage[each] !== undefined)
  assertThat(kinds.length === 1, `one content, not ${kinds}`)
  assertThat(Buffer.byteLength(JSON.stringify(body)) <= 250_000, 'the whole is small enough')
  if (typeof contentMessage.text === 'string') {
    assertThat(contentMessage.text.length >= 1 && contentMessage.text.length <= 3_072, 'text fits')
  }
  checkSuggestions(contentMessage.suggestions, 11)
  const { standaloneCard, carouselCard } = (contentMessage.richCard ?? {}) as Record<string, Loose | undefined>
  if (standaloneCard) checkCard(standaloneCard.cardContent as Loose)
  if (carouselCard) {
    const cards = carouselCard.cardContents as readonly Loose[]
    assertThat(cards.length >= 2 && cards.length <= 10, 'a carousel has 2 to 10 cards')
    cards.forEach(checkCard)
    const heights = new Set(cards.flatMap(({ media }) => (media ? [(media as Loose).height] : [])))
    assertThat(heights.size <= 1, 'pictures of a carousel are of one height')
  }
}

function checkCard({ title, description, media, suggestions }: Loose): void {
  assertThat((title ?? description ?? media) !== undefined, 'a card shows something')
  assertThat(String(title ?? '').length <= 200 && String(description ?? '').length <= 2_000, 'its words fit')
  checkSuggestions(suggestions, 4)
}

function checkSuggestions(suggestions: unknown, most: number): void {
  if (suggestions === undefined) return
  const all = suggestions as readonly { reply?: Loose; action?: Loose }[]
  assertThat(all.length >= 1 && all.length <= most, `at most ${most} chips`)
  for (const { reply, action } of all) {
    assertThat((reply === undefined) !== (action === undefined), 'a chip is a reply or an action')
    const { text, postbackData, fallbackUrl, ...acts } = (reply ?? action)!
    assertThat(String(text).length >= 1 && String(text).length <= 25, `${text} is a short label`)
    assertThat(typeof postbackData === 'string' && postbackData.length <= 2_048, 'it brings something back')
    assertThat(Object.keys(acts).length === (action ? 1 : 0), 'an action does one thing')
    assertThat(fallbackUrl === undefined || /^https:\/\//.test(String(fallbackUrl)), 'the other page is a page')
  }
}

function assertThat(condition: boolean, sentence: string): void {
  if (!condition) throw new Error(sentence)
}

t.test('Every message fits the limits of the platform', async () => {
  fc.assert(
    fc.property(broad, (each) => {
      const { blocks } = render(each, traitsOf('rcs'), reader)
      for (const payload of rbmAdapter.render(blocks, context)) if ('message' in payload) checkBody(payload.message)
    }),
    { numRuns: 300 },
  )
})

t.test('The independently written platform emulator accepts every message', async () => {
  fc.assert(
    fc.property(broad, (each) => {
      const { blocks } = render(each, traitsOf('rcs'), reader)
      for (const payload of rbmAdapter.render(blocks, context)) {
        const problem = 'message' in payload ? agentMessage(payload.message, '') : undefined
        assertThat(problem === undefined, `${problem} in ${JSON.stringify(payload)}`)
      }
    }),
    { numRuns: 300 },
  )
})

t.test('Every text and tap is in the bodies, in the order of the blocks', async () => {
  fc.assert(
    fc.property(broad, (each) => {
      const { blocks } = render(each, traitsOf('rcs'), reader)
      const renderedText = stringsIn(rbmAdapter.render(blocks, context)).join('\n')
      let reached = 0
      for (const text of blocks.flatMap(textsOf)) {
        for (const word of text.match(/[\p{L}\p{N}]+/gu) ?? []) {
          const position = renderedText.indexOf(word, reached)
          assertThat(position >= 0, `${word} of ${JSON.stringify(text)} is missing or too early in\n${renderedText}`)
          reached = position
        }
      }
    }),
    { numRuns: 300 },
  )
})

function textsOf(block: Block): string[] {
  switch (block.kind) {
    case 'text':
      return [block.text, ...chipTexts(block.chips)]
    case 'media':
      return [
        block.text ?? '',
        block.media.alt ?? '',
        block.media.url,
        block.media.thumbnailUrl ?? '',
        ...chipTexts(block.chips),
      ]
    case 'card':
      return [...cardTexts(block.card), ...chipTexts(block.chips)]
    case 'carousel':
      return [...block.cards.flatMap(cardTexts), ...chipTexts(block.chips)]
    default:
      return []
  }
}

function cardTexts({ title = '', description = '', mediaUrl = '', chips }: RenderedCard): string[] {
  return [title, description, mediaUrl, ...chipTexts(chips)]
}

function chipTexts(chips: readonly RenderedChip[] = []): string[] {
  return chips.flatMap(({ label, url = '', tap }) => [
    label,
    url,
    ...(tap === undefined ? [] : [formatPostback({ messageId: context.messageId, tapIndex: tap })]),
  ])
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** Test messages for every adapter: all kinds of parts and chips, in sizes below, at and above common limits. */
import type { Chip, ContentMessage, Event, Part, PlainPart } from '../../../core/amf/index.js'
import { type ChannelName, channelNames } from '../../../core/channelnames.js'

const tz = 'America/New_York'
const moment = (hour: number) => ({ iso: new Date(Date.UTC(2026, 10, 20, hour)).toISOString(), tz })
const event: Event = {
  title: 'Dinner for two',
  start: moment(23),
  end: moment(25),
  description: 'Window table, no nuts.',
  place: { label: 'Trattoria Roma', address: '12 Mulberry St, New York' },
}

const content = (parts: readonly Part[], chips?: readonly Chip[]): ContentMessage => ({
  spec: 'amf/1',
  parts,
  ...(chips && { chips }),
})

const syllables = ['ba', 'ko', 'ri', 'tu', 'ne', 'sa', 'mo', 'li', 'du', 'fe'] as const

/** A distinct word for each number. */
function word(number: number): string {
  const digits = String(number + 100)
  return Array.from(digits, (digit) => syllables[Number(digit)]).join('')
}

const words = (from: number, count: number) => Array.from({ length: count }, (_, at) => word(from + at)).join(' ')

/** A text of about that many characters, in which no word repeats. */
function text(chars: number): string {
  const parts: string[] = []
  for (let length = 0, at = 0; length < chars; at += 1) {
    const next = at % 12 === 11 ? `${word(at)}.` : word(at)
    parts.push(next)
    length += next.length + 1
  }
  return parts.join(' ').slice(0, chars).trimEnd()
}

const counts = [1, 2, 3, 4, 5, 6, 8, 10, 11, 13, 14, 20] as const
const manyCounts = [...counts, 25, 50] as const
const cardCounts = [1, 2, 3, 5, 9, 10] as const

function makeOptions(count: number, labelWords = 1): readonly { readonly id: string; readonly label: string }[] {
  return Array.from({ length: count }, (_, at) => ({ id: `id${at}`, label: words(at * labelWords, labelWords) }))
}

const chipOf: Readonly<Record<NonNullable<Chip['kind']>, (label: string) => Chip>> = {
  reply: (label) => ({ label }),
  url: (label) => ({ label, kind: 'url', url: `https://shop.example/${label.replaceAll(' ', '-')}?a=1&b=2` }),
  dial: (label) => ({ label, kind: 'dial', phone: '+14155550100' }),
  calendar: (label) => ({ label, kind: 'calendar', event }),
  viewLocation: (label) => ({ label, kind: 'viewLocation', place: { latitude: 40.72, longitude: -73.99 } }),
  shareLocation: (label) => ({ label, kind: 'shareLocation' }),
}
const kinds = Object.keys(chipOf) as (keyof typeof chipOf)[]
const replies = (count: number, labelWords = 1): Chip[] =>
  makeOptions(count, labelWords).map(({ label }) => ({ label }))
const mixed = (count: number): Chip[] =>
  Array.from({ length: count }, (_, at) => chipOf[kinds[at % kinds.length]!](word(at)))

const picture = 'https://media.example/room.jpg'
function card(at: number, chips?: Chip[]): Extract<PlainPart, { type: 'card' }>['card'] {
  return {
    title: words(at * 40, 3),
    description: words(at * 40 + 3, 9),
    mediaUrl: `https://media.example/${word(at)}.jpg`,
    ...(chips && { chips }),
  }
}

type Cases = Readonly<Record<string, ContentMessage>>

const each = <T>(of: readonly T[], name: (value: T) => string, build: (value: T) => ContentMessage): Cases =>
  Object.fromEntries(of.map((value) => [name(value), build(value)]))

const texts: Cases = {
  ...each(
    [1, 20, 160, 161, 320, 640, 1_024, 1_025, 1_600, 2_000, 3_000, 4_000],
    (chars) => `a text of ${chars} characters`,
    (chars) => content([{ type: 'text', text: text(chars) }]),
  ),
  'a text of marked words': content([
    {
      type: 'text',
      text: 'Hello **Ada**, your *usual* table is ~~taken~~ free.\n\n- Inside\n- On the [terrace](https://roma.example/terrace)\n\n1. Come\n2. Eat 2*3 dishes & more\n',
    },
  ]),
  'a text of odd characters': content([
    {
      type: 'text',
      text: 'Füße “naïve” 中文字 😀👍🏽 👩‍👩‍👧 <b>A&B</b> *x* _y_ ~z~ `q` \\ "quoted" {"json":[1]} %41 +',
    },
  ]),
  'a text with values in it': content([
    { type: 'text', text: ['See you ', moment(23), '. It is ', { amount: '49.50', currency: 'USD' }, ' a head.'] },
  ]),
  'several texts': content([1, 2, 3, 4].map((at) => ({ type: 'text' as const, text: words(at * 20, 12) }))),
}

const rows: Cases = {
  ...each(
    counts,
    (count) => `a row of ${count} replies`,
    (count) => content([{ type: 'text', text: words(200, 6) }], replies(count)),
  ),
  ...each(
    [2, 5, 12],
    (count) => `a row of ${count} long replies below a long text`,
    (count) => content([{ type: 'text', text: text(1_500) }], replies(count, 7)),
  ),
  ...each(
    kinds,
    (kind) => `a chip of kind ${kind}`,
    (kind) => content([{ type: 'text', text: words(200, 6) }], [chipOf[kind]('Press here')]),
  ),
  'a row of every kind of chip': content([{ type: 'text', text: words(200, 6) }], mixed(12)),
}

const media: Cases = each(
  [
    ['image', 'https://media.example/room.png'],
    ['image', 'https://media.example/room'],
    ['video', 'https://media.example/tour.mp4'],
    ['audio', 'https://media.example/hello.mp3'],
    ['file', 'https://media.example/menu.pdf'],
  ] as const,
  ([kind, url]) => `media of kind ${kind} at ${url.slice(22)}`,
  ([kind, mediaUrl]) => content([{ type: 'media', kind, mediaUrl, alt: words(300, 5) }], replies(2)),
)

const cards: Cases = {
  'a card with a picture alone': content([{ type: 'card', card: { mediaUrl: picture } }]),
  'a card with a title alone': content([{ type: 'card', card: { title: words(10, 3) } }]),
  'a card with a long description': content([
    { type: 'card', card: { ...card(1), description: text(2_500), chips: replies(3) } },
  ]),
  ...each(
    [1, 2, 4, 5, 8],
    (count) => `a card with ${count} chips`,
    (count) => content([{ type: 'card', card: card(1, mixed(count)) }], replies(2, 2)),
  ),
  ...each(
    cardCounts,
    (count) => `a carousel of ${count} cards`,
    (count) => content([{ type: 'carousel', cards: Array.from({ length: count }, (_, at) => card(at)) }]),
  ),
  ...each(
    cardCounts,
    (count) => `a carousel of ${count} cards with a reply each`,
    (count) =>
      content([
        {
          type: 'carousel',
          cards: Array.from({ length: count }, (_, at) => card(at, [{ label: words(500 + at, 1) }])),
        },
      ]),
  ),
}

const asks: Cases = {
  ...each(
    manyCounts,
    (count) => `a choice of ${count}`,
    (count) =>
      content([
        {
          type: 'ask.choice',
          intentId: 'table',
          prompt: words(400, 5),
          options: makeOptions(count).map((option, at) => ({ ...option, description: words(600 + at * 4, 4) })),
        },
      ]),
  ),
  ...each(
    manyCounts,
    (count) => `${count} times to choose from`,
    (count) =>
      content([
        {
          type: 'ask.time',
          intentId: 'time',
          prompt: words(400, 5),
          slots: Array.from({ length: count }, (_, at) => ({ id: `s${at}`, start: moment(at + 12) })),
        },
      ]),
  ),
  ...each(
    [1, 3, 10, 30],
    (count) => `a showcase of ${count}`,
    (count) =>
      content([
        {
          type: 'showcase',
          intentId: 'dish',
          prompt: words(400, 5),
          items: Array.from({ length: count }, (_, at) => {
            const { title = '', description = '' } = card(at)
            return { id: `d${at}`, title, description, mediaUrl: picture }
          }),
        },
      ]),
  ),
  'a question to confirm': content([
    {
      type: 'confirm',
      intentId: 'sure',
      prompt: words(400, 5),
      details: [
        { label: 'When', value: moment(23) },
        { label: 'Deposit', value: { amount: '20.00', currency: 'EUR' } },
      ],
      yesLabel: 'Book it now',
      noLabel: 'Rather not',
    },
  ]),
  'a question for a place': content([{ type: 'ask.location', intentId: 'where', prompt: words(400, 5) }]),
}

const shares: Cases = {
  'an event': content([{ type: 'share.event', ...event }]),
  'a place with an address': content([{ type: 'share.place', label: 'Roma', address: '12 Mulberry St, New York' }]),
  'a place on the map': content([{ type: 'share.place', latitude: 40.72, longitude: -73.99 }]),
  'a contact': content([
    {
      type: 'share.contact',
      name: 'Ada Byron',
      phone: '+14155550100',
      email: 'ada@roma.example',
      organization: 'Roma',
    },
  ]),
  'a long message of many parts': content(
    [
      { type: 'text', text: text(900) },
      { type: 'media', kind: 'image', mediaUrl: picture, alt: words(300, 4) },
      {
        type: 'ask.choice',
        intentId: 'a',
        prompt: words(400, 4),
        options: makeOptions(7).map((option) => ({ ...option })),
      },
      { type: 'carousel', cards: [card(1), card(2), card(3)] },
      { type: 'text', text: words(800, 30) },
    ],
    replies(4, 2),
  ),
}

/** A native part passes through on its own channel and is rendered as its fallback on every other. */
function natives(channel: ChannelName): Cases {
  const fallback: PlainPart[] = [{ type: 'text', text: words(700, 6) }]
  const other = channelNames.find((name) => name !== channel)!
  return { 'what is native to another channel': content([{ type: 'native', channel: other, payload: {}, fallback }]) }
}

export function corpusFor(channel: ChannelName): Cases {
  return { ...texts, ...rows, ...media, ...cards, ...asks, ...shares, ...natives(channel) }
}

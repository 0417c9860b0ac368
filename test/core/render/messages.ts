/** Arbitrary valid messages and arbitrary channels, for every test that should hold for all of them. */
import fc from 'fast-check'
import type {
  Card,
  Chip,
  ContentMessage,
  Event,
  Moment,
  Money,
  Part,
  Place,
  PlainPart,
  Run,
} from '../../../core/amf/index.js'
import { chipKinds } from '../../../core/amf/message.js'
import type { Traits } from '../../../core/channel/traits.js'
import { channelNames } from '../../../core/channelnames.js'

/** Letters that make words unlike each other, so that a word which is found is the word that was meant. */
const asciiWord = fc.stringMatching(/^[a-z]{2,9}$/)
const oddWord = fc.constantFrom(
  'it’s',
  '“so”',
  'naïve',
  'Füße',
  '中文字',
  '😀👍🏽',
  '👩‍👩‍👧',
  'ｗｉｄｅ',
  '½',
  'a_b_c',
  '2*3',
  '*star*',
  '_low_',
  '~wave~',
  '~~gone~~',
  '`tick`',
  '<b>',
  'A&B',
  '[x]',
  '(y)',
  '\\',
  '#1',
  '-',
  '1.',
  'https://a.example/~x_y?z=1&w=2',
  'Cancel',
  'STOP',
)
const word = fc.oneof({ weight: 6, arbitrary: asciiWord }, { weight: 1, arbitrary: oddWord })
const longWord = fc.stringMatching(/^[a-z]{100,180}$/)

const phrase = (max: number) => fc.array(word, { minLength: 1, maxLength: max }).map((each) => each.join(' '))

/** A short label, seldom a long one, now and then one that others have too. */
export const label = fc.oneof(
  { weight: 5, arbitrary: phrase(3) },
  { weight: 1, arbitrary: phrase(12) },
  { weight: 1, arbitrary: fc.constant('again') },
)
const sentence = fc.oneof(
  { weight: 8, arbitrary: phrase(12) },
  { weight: 1, arbitrary: longWord },
  { weight: 1, arbitrary: fc.array(phrase(15), { minLength: 2, maxLength: 12 }).map((each) => each.join('. ')) },
)
export const url = fc
  .tuple(asciiWord, asciiWord, fc.constantFrom('', '.png', '.gif', '.mp4', '?a=1&b=2', '/x_y_(z)', '/~u'))
  .map(([host, path, ending]) => `https://${host}.example/${path}${ending}`)
const phone = fc.stringMatching(/^\+1[0-9]{10}$/)
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

/** Members that are undefined are left out, as they are in JSON. */
function members<T extends object>(shape: { [Key in keyof T]: fc.Arbitrary<T[Key]> }): fc.Arbitrary<T> {
  const without = (value: object) => Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined))
  return fc.record(shape as Record<string, fc.Arbitrary<unknown>>).map((value) => without(value) as T)
}

const zones = ['America/New_York', 'Europe/Berlin', 'Asia/Tokyo', 'Australia/Sydney', 'UTC'] as const
const instant = fc.integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2027, 11, 31) / 60_000 })
const asMoment = (minutes: number, tz: string): Moment => ({ iso: new Date(minutes * 60_000).toISOString(), tz })
export const moment: fc.Arbitrary<Moment> = fc
  .tuple(instant, fc.constantFrom(...zones))
  .map(([at, tz]) => asMoment(at, tz))
export const money: fc.Arbitrary<Money> = fc.record({
  amount: fc.stringMatching(/^-?[1-9][0-9]{0,9}(\.[0-9]{1,4})?$/),
  currency: fc.constantFrom('USD', 'EUR', 'JPY', 'KWD'),
})
const place: fc.Arbitrary<Place> = fc.oneof(
  members<Place>({ label: optional(label), address: label }),
  fc.record({
    latitude: fc.integer({ min: -90, max: 90 }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }).map((each) => Math.round(each * 1e4) / 1e4 + 0),
  }),
)
const eventMembers = fc
  .tuple(
    label,
    instant,
    fc.integer({ min: 1, max: 3_000 }),
    fc.constantFrom(...zones),
    optional(sentence),
    optional(place),
  )
  .map(
    ([title, at, length, tz, description, where]): Event => ({
      title,
      start: asMoment(at, tz),
      end: asMoment(at + length, tz),
      ...(description !== undefined && { description }),
      ...(where !== undefined && { place: where }),
    }),
  )

export const chip: fc.Arbitrary<Chip> = fc.oneof(
  { weight: 4, arbitrary: members<Chip>({ label, value: optional(asciiWord) }) },
  { weight: 2, arbitrary: fc.record({ label, kind: fc.constant('url' as const), url }) },
  { weight: 1, arbitrary: fc.record({ label, kind: fc.constant('dial' as const), phone }) },
  { weight: 1, arbitrary: fc.record({ label, kind: fc.constant('calendar' as const), event: eventMembers }) },
  { weight: 1, arbitrary: fc.record({ label, kind: fc.constant('viewLocation' as const), place }) },
  { weight: 1, arbitrary: fc.record({ label, kind: fc.constant('shareLocation' as const) }) },
)
const chips = (max: number) => fc.array(chip, { minLength: 1, maxLength: max })

const card: fc.Arbitrary<Card> = members<Card>({
  title: optional(label),
  description: optional(sentence),
  mediaUrl: optional(url),
  chips: optional(chips(6)),
}).map((each) =>
  (each.title ?? each.description ?? each.mediaUrl) === undefined ? { ...each, title: 'titled' } : each,
)

const marked = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: sentence },
    { weight: 1, arbitrary: phrase(4).map((each) => `**${each}**`) },
    { weight: 1, arbitrary: phrase(4).map((each) => `*${each}*`) },
    { weight: 1, arbitrary: fc.tuple(phrase(3), url).map(([text, to]) => `[${text}](${to})`) },
    {
      weight: 1,
      arbitrary: fc.array(phrase(4), { minLength: 1 }).map((each) => each.map((item) => `\n- ${item}`).join('')),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(phrase(4), { minLength: 1 })
        .map((each) => each.map((item, at) => `\n${at + 1}. ${item}`).join('')),
    },
    { weight: 1, arbitrary: fc.constant('\n\n') },
  ),
  { minLength: 1, maxLength: 6 },
)
const within = (text: string) => text.slice(0, 3_900)
const textOf: fc.Arbitrary<string | Run[]> = fc.oneof(
  marked.map((each) => within(each.join(' '))).filter((each) => each.trim() !== ''),
  fc.array(
    fc.oneof(
      phrase(4).map((each) => ` ${each} `),
      moment,
      money,
    ),
    { minLength: 1, maxLength: 5 },
  ),
)

/** Ids of one list are unlike each other. */
function withIds<T>(entries: fc.Arbitrary<T>, max: number): fc.Arbitrary<(T & { id: string })[]> {
  const some = fc.oneof(
    { weight: 6, arbitrary: fc.array(entries, { minLength: 1, maxLength: 6 }) },
    { weight: 1, arbitrary: fc.array(entries, { minLength: 1, maxLength: max }) },
  )
  return some.map((each) => each.map((entry, at) => ({ ...entry, id: `id${at}` })))
}

type Members<Type extends PlainPart['type']> = Omit<Extract<PlainPart, { type: Type }>, 'type'>
const intentId = fc.constant('intent')
const parts: { readonly [Type in PlainPart['type']]: fc.Arbitrary<Members<Type>> } = {
  text: fc.record({ text: textOf }),
  media: members<Members<'media'>>({
    mediaUrl: url,
    kind: fc.constantFrom('image', 'video', 'audio', 'file'),
    alt: optional(sentence),
    thumbnailUrl: optional(url),
  }),
  card: fc.record({ card }),
  carousel: fc.record({ cards: fc.array(card, { minLength: 1, maxLength: 10 }) }),
  'ask.choice': fc.record({
    intentId,
    prompt: sentence,
    options: withIds(
      members<{ label: string; description?: string; mediaUrl?: string }>({
        label,
        description: optional(phrase(6)),
        mediaUrl: optional(url),
      }),
      50,
    ),
  }),
  'ask.time': fc.record({
    intentId,
    prompt: sentence,
    slots: withIds(members<{ start: Moment; label?: string }>({ start: moment, label: optional(label) }), 50),
  }),
  confirm: members<Members<'confirm'>>({
    intentId,
    prompt: sentence,
    details: optional(
      fc.array(fc.record({ label, value: fc.oneof(phrase(4), moment, money) }), { minLength: 1, maxLength: 5 }),
    ),
    yesLabel: optional(label),
    noLabel: optional(label),
  }),
  showcase: members<Members<'showcase'>>({
    intentId,
    prompt: optional(sentence),
    items: withIds(
      members<{ title: string; description?: string; mediaUrl?: string; chips?: Chip[] }>({
        title: label,
        description: optional(phrase(8)),
        mediaUrl: optional(url),
        chips: optional(chips(3)),
      }),
      50,
    ),
  }),
  'ask.location': fc.record({ intentId, prompt: sentence }),
  'share.event': eventMembers,
  'share.place': place,
  'share.contact': members<Members<'share.contact'>>({
    name: label,
    phone: optional(phone),
    email: optional(asciiWord.map((each) => `${each}@mail.example`)),
    url: optional(url),
    organization: optional(label),
  }),
}

const plainPart = fc.oneof(
  ...Object.entries(parts).map(([type, arbitrary]) =>
    (arbitrary as fc.Arbitrary<object>).map((each) => ({ type, ...each }) as PlainPart),
  ),
)
const nativePart = fc
  .tuple(fc.constantFrom(...channelNames), fc.array(plainPart, { minLength: 1, maxLength: 2 }))
  .map(([channel, fallback]): Part => ({ type: 'native', channel, payload: { any: 'thing' }, fallback }))

/** Every intent of a message has an id of its own. */
function withIntentIds(part: Part, at: string): Part {
  if (part.type === 'native') {
    return { ...part, fallback: part.fallback.map((each, place) => withIntentIds(each, `${at}-${place}`) as PlainPart) }
  }
  return 'intentId' in part ? { ...part, intentId: `intent${at}` } : part
}

export const message: fc.Arbitrary<ContentMessage> = fc
  .tuple(
    fc.array(fc.oneof({ weight: 9, arbitrary: plainPart }, { weight: 1, arbitrary: nativePart }), {
      minLength: 1,
      maxLength: 4,
    }),
    optional(chips(14)),
    optional(fc.constantFrom('en-US', 'de-DE', 'ja-JP')),
  )
  .map(([each, row, locale]) => ({
    spec: 'amf/1',
    parts: each.map((part, at) => withIntentIds(part, String(at))),
    ...(row && { chips: row }),
    ...(locale !== undefined && { locale }),
  }))

const kinds = fc.subarray([...chipKinds], { minLength: 1 })
const upTo = (min: number, max: number) => fc.integer({ min, max })

/** Channels that nobody has built yet. */
export const traits: fc.Arbitrary<Traits> = members<Traits>({
  channel: fc.constantFrom(...channelNames),
  markup: fc.constantFrom('plain', 'commonmark', 'whatsapp', 'slack'),
  text: fc
    .record({
      max: upTo(80, 4_000),
      unit: fc.constantFrom('characters' as const, 'bytes' as const),
      encoding: fc.constantFrom('gsm7' as const, 'unicode' as const),
      beside: fc.boolean(),
    })
    .map(({ beside, ...text }) => ({ ...text, ...(beside && { besideMax: Math.max(60, text.max >> 1) }) })),
  chips: optional(
    fc
      .record({
        kinds,
        min: upTo(1, 2),
        more: upTo(0, 12),
        labelMax: upTo(1, 40),
        whileNewest: fc.boolean(),
        lonely: fc.boolean(),
      })
      .map(({ more, whileNewest, lonely, ...each }) => ({
        ...each,
        max: each.min + more,
        ...(whileNewest && { whileNewest: true as const }),
        ...(lonely && { alone: ['url', 'shareLocation'] as const }),
      })),
  ),
  card: optional(
    fc
      .record({
        titleMax: upTo(0, 200),
        descriptionMax: upTo(0, 2_000),
        chipsMax: upTo(0, 4),
        chipKinds: kinds,
        chipLabelMax: upTo(1, 40),
        media: fc.boolean(),
        title: fc.boolean(),
      })
      .map(({ media, title, ...each }) => ({
        ...each,
        ...(media && { needsMedia: true as const }),
        ...(title && each.titleMax > 0 && { needsTitle: true as const }),
      })),
  ),
  carousel: optional(
    fc
      .record({ min: upTo(1, 2), max: upTo(2, 10), alike: fc.boolean() })
      .map(({ alike, ...each }) => ({ ...each, ...(alike && { alike: true as const }) })),
  ),
  list: optional(
    fc.record({ min: upTo(1, 6), max: upTo(6, 60), labelMax: upTo(1, 100), descriptionMax: upTo(0, 100) }),
  ),
  timePicker: optional(fc.record({ max: upTo(2, 50) })),
  media: optional(
    fc.record({
      types: fc.subarray(['image/png', 'image/gif', 'video/mp4', 'audio/mpeg', 'application/pdf'], { minLength: 1 }),
      maxBytes: fc.constant(1_000_000),
    }),
  ),
  receipts: fc.record({ delivered: fc.boolean(), read: fc.boolean() }),
  typing: fc.boolean(),
  windowHours: fc.constantFrom(null, 24),
})

/** Valid messages of AMF/1, as fast-check draws them: every part, every optional member, ids that are unique. */
import fc from 'fast-check'
import type {
  Card,
  Chip,
  ContentMessage,
  Event,
  Moment,
  Money,
  Place,
  PlainPart,
  Run,
} from '../../../core/amf/index.js'
import type { Part } from '../../../core/amf/message.js'
import { channelNames } from '../../../core/channelnames.js'
import { webUrl as webUrlOf } from '../../harness/arbitraries.js'

/** Text that says something, of all sorts of characters. */
export const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((text) => /\S/.test(text) && !text.includes('\0') && !/\p{Surrogate}/u.test(text))
export const id = fc.stringMatching(/^[a-z][a-z0-9-]{0,11}$/)
export const webUrl = webUrlOf(['https', 'http'])
export const mediaUrl = webUrlOf(['https'])
export const phone = fc.stringMatching(/^\+[1-9][0-9]{6,13}$/)

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland']
export const iso = fc
  .record({ at: fc.integer({ min: 0, max: 4_000_000_000 }), offset: fc.integer({ min: -48, max: 56 }) })
  .map(({ at, offset }) => isoText(at * 1000, offset * 15))

export function isoText(at: number, offsetMinutes: number): string {
  const local = new Date(at + offsetMinutes * 60_000).toISOString().slice(0, 19)
  const size = Math.abs(offsetMinutes)
  const digits = (value: number) => String(value).padStart(2, '0')
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${digits(Math.floor(size / 60))}:${digits(size % 60)}`
}

export const moment: fc.Arbitrary<Moment> = fc.record({ iso, tz: fc.constantFrom(...zones) })
export const money: fc.Arbitrary<Money> = fc.record({
  amount: fc.stringMatching(/^-?[0-9]{1,6}(\.[0-9]{2})?$/),
  currency: fc.constantFrom('EUR', 'USD', 'JPY'),
})

const latitude = fc.double({ min: -90, max: 90, noNaN: true }).map((value) => Math.round(value * 1e6) / 1e6 + 0)
const longitude = fc.double({ min: -180, max: 180, noNaN: true }).map((value) => Math.round(value * 1e6) / 1e6 + 0)
export const place: fc.Arbitrary<Place> = fc.oneof(
  fc.record({ label: words, address: words }, { requiredKeys: ['address'] }),
  fc.record({ label: words, address: words, latitude, longitude }, { requiredKeys: ['latitude', 'longitude'] }),
)

export const event: fc.Arbitrary<Event> = fc
  .record(
    { title: words, start: moment, minutes: fc.integer({ min: 1, max: 10_000 }), description: words, place },
    { requiredKeys: ['title', 'start', 'minutes'] },
  )
  .map(({ minutes, ...rest }) => ({
    ...rest,
    end: { iso: isoText(Date.parse(rest.start.iso) + minutes * 60_000, 60), tz: rest.start.tz },
  }))

export const chip: fc.Arbitrary<Chip> = fc.oneof(
  fc.record({ label: words, kind: fc.constant('reply' as const), value: words }, { requiredKeys: ['label'] }),
  fc.record({ label: words, kind: fc.constant('url' as const), url: webUrl }),
  fc.record({ label: words, kind: fc.constant('dial' as const), phone }),
  fc.record({ label: words, kind: fc.constant('calendar' as const), event }),
  fc.record({ label: words, kind: fc.constant('viewLocation' as const), place }),
  fc.record({ label: words, kind: fc.constant('shareLocation' as const) }),
)
const chips = fc.array(chip, { maxLength: 4 })

export const card: fc.Arbitrary<Card> = fc.oneof(
  fc.record({ title: words, description: words, mediaUrl, chips }, { requiredKeys: ['title'] }),
  fc.record({ description: words, mediaUrl, chips }, { requiredKeys: ['description'] }),
  fc.record({ mediaUrl, chips }, { requiredKeys: ['mediaUrl'] }),
)

/** Entries of a list, each with an id of its own. */
export function withIds<Entry>(entry: fc.Arbitrary<Entry>, most = 6): fc.Arbitrary<(Entry & { id: string })[]> {
  return fc
    .uniqueArray(fc.tuple(id, entry), { minLength: 1, maxLength: most, selector: ([each]) => each })
    .map((all) => all.map(([each, rest]) => ({ id: each, ...rest })))
}

const run: fc.Arbitrary<Run> = fc.oneof(words, moment, money)
const type = <Name extends string>(name: Name) => fc.constant(name)
/** Replaced by `numbered`, which makes intent ids unique in a message. */
const intentId = fc.constant('')
const intent = { intentId, prompt: words }

export const plainPart: fc.Arbitrary<PlainPart> = fc.oneof(
  fc.record({ type: type('text'), text: fc.oneof(words, fc.array(run, { minLength: 1, maxLength: 4 })) }),
  fc.record(
    {
      type: type('media'),
      mediaUrl,
      kind: fc.constantFrom('image', 'video', 'audio', 'file'),
      alt: words,
      thumbnailUrl: mediaUrl,
    },
    { requiredKeys: ['type', 'mediaUrl', 'kind'] },
  ),
  fc.record({ type: type('card'), card }),
  fc.record({ type: type('carousel'), cards: fc.array(card, { minLength: 1, maxLength: 4 }) }),
  fc.record({
    type: type('ask.choice'),
    ...intent,
    options: withIds(fc.record({ label: words, description: words, mediaUrl }, { requiredKeys: ['label'] })),
  }),
  fc.record({
    type: type('ask.time'),
    ...intent,
    slots: withIds(fc.record({ start: moment, label: words }, { requiredKeys: ['start'] })),
  }),
  fc.record(
    {
      type: type('confirm'),
      ...intent,
      details: fc.array(fc.record({ label: words, value: fc.oneof(words, moment, money) }), {
        minLength: 1,
        maxLength: 4,
      }),
      yesLabel: words,
      noLabel: words,
    },
    { requiredKeys: ['type', 'intentId', 'prompt'] },
  ),
  fc.record(
    {
      type: type('showcase'),
      ...intent,
      items: withIds(fc.record({ title: words, description: words, mediaUrl, chips }, { requiredKeys: ['title'] })),
    },
    { requiredKeys: ['type', 'intentId', 'items'] },
  ),
  fc.record({ type: type('ask.location'), ...intent }),
  event.map((each) => ({ type: 'share.event' as const, ...each })),
  place.map((each) => ({ type: 'share.place' as const, ...each })),
  fc.record(
    {
      type: type('share.contact'),
      name: words,
      phone,
      email: fc.constantFrom('ann@example.com', 'bo+x@example.org'),
      url: webUrl,
      organization: words,
    },
    { requiredKeys: ['type', 'name'] },
  ),
)

export const part: fc.Arbitrary<Part> = fc.oneof(
  { weight: 12, arbitrary: plainPart },
  {
    weight: 1,
    arbitrary: fc.record({
      type: type('native'),
      channel: fc.constantFrom(...channelNames),
      payload: fc.jsonValue({ maxDepth: 4 }).filter((value) => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value))),
      fallback: fc.array(plainPart, { minLength: 1, maxLength: 3 }),
    }),
  },
)

/** Gives every intent of a message an id of its own. */
export function numbered<Some extends Part>(parts: readonly Some[], from = { next: 1 }): Some[] {
  return parts.map((each) => {
    if ('intentId' in each) return { ...each, intentId: `intent-${from.next++}` }
    return each.type === 'native' ? { ...each, fallback: numbered(each.fallback, from) } : each
  })
}

export const contentMessage: fc.Arbitrary<ContentMessage> = fc
  .record(
    {
      spec: fc.constant('amf/1' as const),
      parts: fc.array(part, { minLength: 1, maxLength: 5 }),
      chips,
      delivery: fc.record(
        {
          channels: fc.uniqueArray(fc.constantFrom(...channelNames), { minLength: 1 }),
          fallbackOn: fc.constantFrom<('sendFailed' | 'undelivered')[]>(
            [],
            ['sendFailed'],
            ['sendFailed', 'undelivered'],
          ),
          outsideWindow: fc.constantFrom('reject', 'queue', 'nextChannel'),
        },
        { requiredKeys: [] },
      ),
      id,
      locale: fc.constantFrom('en-US', 'de', 'zh-Hant-TW', 'pt-BR'),
    },
    { requiredKeys: ['spec', 'parts'] },
  )
  .map((message) => ({ ...message, parts: numbered(message.parts) }))

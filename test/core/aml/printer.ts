/** Messages that AML can say, and how it says them: the other way round from the compiler. */
import fc from 'fast-check'
import type { Card, Chip, ContentMessage, PlainPart } from '../../../core/amf/index.js'
import { isoText, numbered, phone, withIds, words } from '../amf/arbitrary.js'

/** Zones of one offset the whole year, so that a moment can be written in their local time without asking anybody. */
export const fixedZones = { UTC: 0, 'Asia/Tokyo': 540, 'Asia/Kolkata': 330, 'Etc/GMT+5': -300 } as const
export type FixedZone = keyof typeof fixedZones

/** Words that mean nothing else to AML, on one line and without space around. */
const plainWords = words
  .map((text) => text.replace(/[|=~:>\\\r\n\u2028\u2029[\]]/g, 'x').trim())
  .filter((text) => text !== '' && !text.includes('image:') && !/^-{3,}$/.test(text))
const address = fc.stringMatching(/^https:\/\/[a-z]{1,8}\.example\/[a-z0-9~]{0,8}\.png$/)
const seconds = fc.integer({ min: 0, max: 4_000_000_000 })

const chip: fc.Arbitrary<Chip> = fc.oneof(
  fc.record({ label: plainWords, value: plainWords }, { requiredKeys: ['label'] }),
  fc.record({ label: plainWords, kind: fc.constant('url' as const), url: address }),
  fc.record({ label: plainWords, kind: fc.constant('dial' as const), phone }),
)
const chips = fc.array(chip, { minLength: 1, maxLength: 4 })
const card: fc.Arbitrary<Card> = fc
  .record({ title: plainWords, description: plainWords, mediaUrl: address, chips }, { requiredKeys: [] })
  .map((each) => ((each.title ?? each.description ?? each.mediaUrl) ? each : { ...each, title: 'A card' }))

const type = <Name extends string>(name: Name) => fc.constant(name)
const intent = { intentId: fc.constant(''), prompt: plainWords }

function partsIn(zone: FixedZone): fc.Arbitrary<PlainPart> {
  const moment = seconds.map((at) => ({ iso: isoText(at * 1000, fixedZones[zone]), tz: zone }))
  return fc.oneof(
    fc.record({ type: type('text'), text: words.map((text) => text.trim().replaceAll('\r\n', '\n')) }),
    fc.record({ type: type('card'), card }),
    fc.record({ type: type('carousel'), cards: fc.array(card, { minLength: 1, maxLength: 4 }) }),
    fc.record(
      { type: type('media'), mediaUrl: address, kind: fc.constant('image' as const), alt: plainWords },
      { requiredKeys: ['type', 'mediaUrl', 'kind'] },
    ),
    fc.record({
      type: type('ask.choice'),
      ...intent,
      options: withIds(fc.record({ label: plainWords, description: plainWords }, { requiredKeys: ['label'] })),
    }),
    fc.record({
      type: type('ask.time'),
      ...intent,
      slots: withIds(fc.record({ start: moment, label: plainWords }, { requiredKeys: ['start'] })),
    }),
    fc.record(
      {
        type: type('confirm'),
        ...intent,
        details: fc.array(fc.record({ label: plainWords, value: plainWords }), { minLength: 1, maxLength: 4 }),
      },
      { requiredKeys: ['type', 'intentId', 'prompt'] },
    ),
    fc.record(
      {
        type: type('showcase'),
        ...intent,
        items: withIds(
          fc.record({ title: plainWords, description: plainWords, mediaUrl: address }, { requiredKeys: ['title'] }),
        ),
      },
      { requiredKeys: ['type', 'intentId', 'items'] },
    ),
    fc.record({ type: type('ask.location'), ...intent }),
    fc.record({ type: type('share.place'), label: plainWords, address: plainWords }),
    fc.record({
      type: type('share.place'),
      latitude: fc.integer({ min: -90, max: 90 }),
      longitude: fc.integer({ min: -180, max: 180 }).map((value) => value / 4),
    }),
    fc.record(
      { type: type('share.contact'), name: plainWords, phone, email: type('ann@example.com'), url: address },
      { requiredKeys: ['type', 'name'] },
    ),
    fc.record({ title: plainWords, at: seconds }).map(({ title, at }) => ({
      type: 'share.event' as const,
      title,
      start: { iso: isoText(at * 1000, 60), tz: 'Europe/Berlin' },
      end: { iso: isoText(at * 1000 + 60_000, 60), tz: 'Europe/Berlin' },
    })),
  )
}

export const sayable: fc.Arbitrary<{ message: ContentMessage; zone: FixedZone }> = fc
  .constantFrom(...(Object.keys(fixedZones) as FixedZone[]))
  .chain((zone) =>
    fc
      .record({ parts: fc.array(partsIn(zone), { minLength: 1, maxLength: 6 }), chips }, { requiredKeys: ['parts'] })
      .map(({ parts, ...rest }) => {
        // Two texts in a row are one in AML.
        const apart = parts.filter((part, place) => part.type !== 'text' || parts[place - 1]?.type !== 'text')
        return { zone, message: { spec: 'amf/1' as const, parts: numbered(apart), ...rest } }
      }),
  )

export function print({ parts, chips }: ContentMessage): string {
  return [
    ...parts.map((part) => printPart(part as PlainPart)),
    ...(chips ? [`[[chips: ${printChips(chips)}]]`] : []),
  ].join('\n')
}

function printPart(part: PlainPart): string {
  switch (part.type) {
    case 'text':
      return (part.text as string).replaceAll('[[', '\\[[')
    case 'media':
      return `[[media: ${fields([part.mediaUrl, part.alt], ' | ')}]]`
    case 'card':
      return `[[card${part.card.title === undefined ? '' : ` | ${part.card.title}`}\n${cardLines({ ...part.card, title: undefined })}]]`
    case 'carousel':
      return `[[carousel\n${part.cards.map((each) => cardLines(each)).join('---\n')}]]`
    case 'ask.choice':
      return block(
        part,
        part.options.map(({ id, label, description }) => `${id} = ${fields([label, description], ' ~ ')}`),
      )
    case 'ask.time':
      return block(
        part,
        part.slots.map(({ id, start, label }) => `${id} = ${fields([start.iso, label], ' ~ ')}`),
      )
    case 'confirm':
      return block(
        part,
        (part.details ?? []).map(({ label, value }) => `${label}: ${value}`),
      )
    case 'showcase':
      return block(
        part,
        part.items.map(
          ({ id, title, description, mediaUrl }) => `${id} = ${fields([title, description, mediaUrl], ' ~ ')}`,
        ),
      )
    case 'ask.location':
      return `[[ask.location #${part.intentId} | ${part.prompt}]]`
    case 'share.place':
      return `[[place: ${fields([part.label, part.address ?? `${part.latitude},${part.longitude}`], ' | ')}]]`
    case 'share.contact':
      return `[[contact: ${[part.name, part.phone, part.email, part.url].map((each) => each ?? '').join(' | ')}]]`
    case 'share.event':
      return `[[event: ${part.title} | ${part.start.iso} | ${part.end.iso} | ${part.start.tz}]]`
  }
}

function block(part: { type: string; intentId: string; prompt?: string }, lines: readonly string[]): string {
  const prompt = part.prompt === undefined ? '' : ` | ${part.prompt}`
  return [`[[${part.type} #${part.intentId}${prompt}`, ...lines, ']]'].join('\n')
}

/** What is absent at the end is not written; what is absent before something is left empty. */
function fields(values: readonly (string | undefined)[], mark: string): string {
  const last = values.findLastIndex((value) => value !== undefined)
  const written = values.slice(0, last + 1)
  return (mark === ' | ' && written[0] === undefined ? written.slice(1) : written)
    .map((value) => value ?? '')
    .join(mark)
}

function cardLines({ title, description, mediaUrl, chips }: { [Name in keyof Card]: Card[Name] | undefined }): string {
  const lines = [
    title && `title: ${title}`,
    description && `description: ${description}`,
    mediaUrl && `media: ${mediaUrl}`,
    chips && `chips: ${printChips(chips)}`,
  ]
  return lines
    .filter(Boolean)
    .map((line) => `${line}\n`)
    .join('')
}

function printChips(chips: readonly Chip[]): string {
  return chips
    .map(({ label, value, url, phone }) => {
      if (url) return `${label} -> ${url}`
      if (phone) return `${label} -> tel:${phone}`
      return value === undefined ? label : `${label} = ${value}`
    })
    .join(' | ')
}

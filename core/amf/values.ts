/** Typed values in a message before formatting: moments, sums of money, places, events. */
import Type, { type Static } from 'typebox'
import { amf as limits } from '../limits/index.js'

export const closed = { additionalProperties: false } as const

/** Compiled expressions by their pattern in the schemas, each with the requirement that a fault states. */
export const patterns = new Map<string, { readonly expression: RegExp; readonly must: string }>()

export function pattern(expression: RegExp, must: string): string {
  patterns.set(expression.source, { expression, must })
  return expression.source
}

export const NonEmptyText = Type.String({ minLength: 1, maxLength: limits.textChars })
export const Id = Type.String({
  minLength: 1,
  maxLength: limits.idChars,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what an id must not have
  pattern: pattern(/^[^\u0000-\u001f\u007f]+$/, 'must not hold control characters'),
})
/** The code that fetches the address checks whether it may be fetched. */
export const Url = Type.String({
  minLength: 1,
  maxLength: limits.urlChars,
  pattern: pattern(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s]+$/, 'must be an address that begins with https:// or http://'),
})
export const Phone = Type.String({
  minLength: 1,
  maxLength: limits.phoneChars,
  pattern: pattern(/^\+?[0-9(][0-9 ().-]*$/, 'must be a phone number such as +14155550100'),
})
export const Email = Type.String({
  minLength: 3,
  maxLength: 320,
  pattern: pattern(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address'),
})

/** A moment with its offset, and the time zone in which people should read it. */
export const Moment = Type.Object({ iso: Type.String({ maxLength: 40 }), tz: Type.String({ maxLength: 64 }) }, closed)
export type Moment = Static<typeof Moment>

export const Money = Type.Object(
  {
    amount: Type.String({
      pattern: pattern(/^-?[0-9]{1,15}(\.[0-9]{1,6})?$/, 'must be a decimal number in a string, such as "12.50"'),
    }),
    currency: Type.String({
      pattern: pattern(/^[A-Z]{3}$/, 'must be a currency of three capital letters, such as EUR'),
    }),
  },
  closed,
)
export type Money = Static<typeof Money>

/** An address, or a latitude with its longitude, or both. */
export const Place = Type.Object(
  {
    label: Type.Optional(NonEmptyText),
    address: Type.Optional(NonEmptyText),
    latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
    longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
  },
  closed,
)
export type Place = Static<typeof Place>

export const Event = Type.Object(
  {
    title: NonEmptyText,
    start: Moment,
    end: Moment,
    description: Type.Optional(NonEmptyText),
    place: Type.Optional(Place),
  },
  closed,
)
export type Event = Static<typeof Event>

/** A run of text: words, or a value that is formatted for its reader. */
export const Run = Type.Union([Type.String({ maxLength: limits.textChars }), Moment, Money])
export type Run = Static<typeof Run>

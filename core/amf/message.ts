/**
 * AMF/1, the one message format: an agent's message, independent of channels. This file has the schemas;
 * `validation.ts` checks a message against them and against rules that a schema cannot express (duplicate ids, dates
 * that do not exist).
 */
import Type, { type Static } from 'typebox'
import { channelNames } from '../channelnames.js'
import { amf as limits } from '../limits/index.js'
import { closed, Email, Event, Id, Moment, Money, NonEmptyText, Phone, Place, Run, Url } from './values.js'

const Channel = Type.Enum(channelNames)

/** Absent: `reply`. Each kind except `reply` and `shareLocation` requires a member of its own. */
export const chipKinds = ['reply', 'url', 'dial', 'calendar', 'viewLocation', 'shareLocation'] as const
export type ChipKind = (typeof chipKinds)[number]

export const Chip = Type.Object(
  {
    label: NonEmptyText,
    kind: Type.Optional(Type.Enum(chipKinds)),
    /** The value that a tapped reply returns; absent: the label. */
    value: Type.Optional(NonEmptyText),
    url: Type.Optional(Url),
    phone: Type.Optional(Phone),
    event: Type.Optional(Event),
    place: Type.Optional(Place),
  },
  closed,
)
export type Chip = Static<typeof Chip>
/** An empty list, as some serializers write it, is the same as none. */
const Chips = Type.Array(Chip, { maxItems: limits.chips })

/** At least one of title, description and mediaUrl. */
export const Card = Type.Object(
  {
    title: Type.Optional(NonEmptyText),
    description: Type.Optional(NonEmptyText),
    mediaUrl: Type.Optional(Url),
    chips: Type.Optional(Chips),
  },
  closed,
)
export type Card = Static<typeof Card>

const promptFields = { intentId: Id, prompt: NonEmptyText } as const

/** One schema for each part, by its `type`. `native` is apart, since it contains parts itself. */
export const plainParts = {
  text: Type.Object(
    {
      type: Type.Literal('text'),
      /** CommonMark (bold, italic, strikethrough, links, lists), or text runs with typed values between them. */
      text: Type.Union([NonEmptyText, Type.Array(Run, { minItems: 1, maxItems: 200 })]),
    },
    closed,
  ),
  media: Type.Object(
    {
      type: Type.Literal('media'),
      mediaUrl: Url,
      kind: Type.Enum(['image', 'video', 'audio', 'file']),
      alt: Type.Optional(NonEmptyText),
      thumbnailUrl: Type.Optional(Url),
    },
    closed,
  ),
  card: Type.Object({ type: Type.Literal('card'), card: Card }, closed),
  carousel: Type.Object(
    { type: Type.Literal('carousel'), cards: Type.Array(Card, { minItems: 1, maxItems: limits.cards }) },
    closed,
  ),
  'ask.choice': Type.Object(
    {
      type: Type.Literal('ask.choice'),
      ...promptFields,
      options: Type.Array(
        Type.Object(
          { id: Id, label: NonEmptyText, description: Type.Optional(NonEmptyText), mediaUrl: Type.Optional(Url) },
          closed,
        ),
        { minItems: 1, maxItems: limits.options },
      ),
    },
    closed,
  ),
  'ask.time': Type.Object(
    {
      type: Type.Literal('ask.time'),
      ...promptFields,
      /** A slot without a label is shown as its day and time. */
      slots: Type.Array(Type.Object({ id: Id, start: Moment, label: Type.Optional(NonEmptyText) }, closed), {
        minItems: 1,
        maxItems: limits.options,
      }),
    },
    closed,
  ),
  confirm: Type.Object(
    {
      type: Type.Literal('confirm'),
      ...promptFields,
      details: Type.Optional(
        Type.Array(Type.Object({ label: NonEmptyText, value: Type.Union([NonEmptyText, Moment, Money]) }, closed), {
          maxItems: limits.details,
        }),
      ),
      yesLabel: Type.Optional(NonEmptyText),
      noLabel: Type.Optional(NonEmptyText),
    },
    closed,
  ),
  showcase: Type.Object(
    {
      type: Type.Literal('showcase'),
      intentId: Id,
      prompt: Type.Optional(NonEmptyText),
      items: Type.Array(
        Type.Object(
          {
            id: Id,
            title: NonEmptyText,
            description: Type.Optional(NonEmptyText),
            mediaUrl: Type.Optional(Url),
            chips: Type.Optional(Chips),
          },
          closed,
        ),
        { minItems: 1, maxItems: limits.options },
      ),
    },
    closed,
  ),
  'ask.location': Type.Object({ type: Type.Literal('ask.location'), ...promptFields }, closed),
  'share.event': Type.Object({ type: Type.Literal('share.event'), ...Event.properties }, closed),
  'share.place': Type.Object({ type: Type.Literal('share.place'), ...Place.properties }, closed),
  'share.contact': Type.Object(
    {
      type: Type.Literal('share.contact'),
      name: NonEmptyText,
      phone: Type.Optional(Phone),
      email: Type.Optional(Email),
      url: Type.Optional(Url),
      organization: Type.Optional(NonEmptyText),
    },
    closed,
  ),
} as const

export type PlainPart = {
  [Name in keyof typeof plainParts]: Static<(typeof plainParts)[Name]>
}[keyof typeof plainParts]

/** Passed through unchanged on its channel; every other channel sends its fallback. */
export interface NativePart {
  readonly type: 'native'
  readonly channel: (typeof channelNames)[number]
  readonly payload: unknown
  readonly fallback: readonly PlainPart[]
}

export type Part = PlainPart | NativePart
export type PartType = Part['type']
export const partTypes = [...Object.keys(plainParts), 'native'] as readonly PartType[]

/** The intent of a part: an answer comes back as a result of that intent. */
export const intentTypes = ['ask.choice', 'ask.time', 'confirm', 'showcase', 'ask.location'] as const
export type IntentType = (typeof intentTypes)[number]

export const Delivery = Type.Object(
  {
    /** In the order of preference; absent: the channel of the person written to. */
    channels: Type.Optional(Type.Array(Channel, { minItems: 1, maxItems: channelNames.length })),
    /** What moves a message on to the next channel. `undelivered` is stored with its time and has no effect yet. */
    fallbackOn: Type.Optional(
      Type.Array(Type.Union([Type.Literal('sendFailed'), Type.Literal('undelivered')]), { maxItems: 2 }),
    ),
    outsideWindow: Type.Optional(
      Type.Union([Type.Literal('reject'), Type.Literal('queue'), Type.Literal('nextChannel')]),
    ),
  },
  closed,
)
export type Delivery = Static<typeof Delivery>

export const signals = ['typing', 'read'] as const
export type Signal = (typeof signals)[number]

export interface ContentMessage {
  readonly spec: 'amf/1'
  readonly parts: readonly Part[]
  readonly chips?: readonly Chip[]
  readonly delivery?: Delivery
  /** Chosen by the caller: a repeat within 24 hours sends nothing. */
  readonly id?: string
  /** BCP 47: the locale in which values are formatted. */
  readonly locale?: string
}

export interface SignalMessage {
  readonly spec: 'amf/1'
  readonly signal: Signal
  readonly id?: string
}

export type OutboundMessage = ContentMessage | SignalMessage

export function isSignal(message: OutboundMessage): message is SignalMessage {
  return 'signal' in message
}

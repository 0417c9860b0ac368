/**
 * What a page and the gateway say to each other over the socket of a visitor: one JSON object a frame, plain data and
 * never markup beyond the CommonMark subset of texts. The promises are in README.md; a frame of another version, of an
 * unknown type or with an unknown member is answered by `error` and changes nothing.
 */
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { chipKinds, plainParts } from '../../core/amf/message.js'
import { Event, Moment, Place } from '../../core/amf/values.js'
import { closeCodes } from '../../core/channel/socketcodec.js'
import { webchat as limits } from '../../core/limits/index.js'

/** Raised when a change here asks something of pages. */
export const frameVersion = 1

const closed = { additionalProperties: false } as const
const version = { v: Type.Literal(frameVersion) }
const frame = <const T extends string, P extends Record<string, TSchema>>(type: T, members: P) =>
  Type.Object({ ...version, type: Type.Literal(type), ...members }, closed)

type StaticOf<Shapes extends Record<string, TObject>> = { [Name in keyof Shapes]: Static<Shapes[Name]> }

/** The place of a line in the record of a visitor: whole numbers that grow, not always by one. */
const Cursor = Type.Integer({ minimum: 0 })
/** ISO 8601, in UTC. */
const At = Type.String()

// What is shown.

/** A chip. With `tap` it is told to the agent when it is tapped; its kind says what else the page does. */
export const Chip = Type.Object(
  {
    label: Type.String(),
    kind: Type.Enum(chipKinds),
    tap: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
    phone: Type.Optional(Type.String()),
    event: Type.Optional(Event),
    place: Type.Optional(Place),
  },
  closed,
)
export type Chip = Static<typeof Chip>

const chips = { chips: Type.Optional(Type.Array(Chip)) }

export const Media = Type.Object(
  {
    url: Type.String(),
    kind: Type.Enum(['image', 'video', 'audio', 'file']),
    alt: Type.Optional(Type.String()),
    thumbnailUrl: Type.Optional(Type.String()),
  },
  closed,
)
export type Media = Static<typeof Media>

export const Card = Type.Object(
  {
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    mediaUrl: Type.Optional(Type.String()),
    ...chips,
  },
  closed,
)
export type Card = Static<typeof Card>

export const Row = Type.Object(
  {
    label: Type.String(),
    description: Type.Optional(Type.String()),
    mediaUrl: Type.Optional(Type.String()),
    tap: Type.String(),
  },
  closed,
)
export type Row = Static<typeof Row>

export const Slot = Type.Object({ label: Type.String(), start: Moment, tap: Type.String() }, closed)
export type Slot = Static<typeof Slot>

/** Somebody to be kept among one's contacts; what the message says of them stands in its blocks, too. */
const { type: _type, ...contactMembers } = plainParts['share.contact'].properties
export const Contact = Type.Object(contactMembers, closed)
export type Contact = Static<typeof Contact>

const block = <const K extends string, P extends Record<string, TSchema>>(kind: K, members: P) =>
  Type.Object({ kind: Type.Literal(kind), ...members }, closed)

/** Texts are CommonMark: bold, italic, strikethrough, links and lists; everything else in them is itself. */
export const blockShapes = {
  text: block('text', { text: Type.String(), ...chips }),
  media: block('media', { media: Media, text: Type.Optional(Type.String()), ...chips }),
  card: block('card', { card: Card, ...chips }),
  carousel: block('carousel', { cards: Type.Array(Card), ...chips }),
  /** One entry is picked by its tap. */
  list: block('list', { text: Type.String(), rows: Type.Array(Row) }),
  /** One time is picked by its tap; `label` is how the gateway writes it, `start` is for pages that write it themselves. */
  times: block('times', { text: Type.String(), slots: Type.Array(Slot) }),
  /** What the agent meant for this channel and nobody else understands; a page that does not know it shows nothing. */
  native: block('native', { payload: Type.Unknown() }),
} as const
export type Block = StaticOf<typeof blockShapes>[keyof typeof blockShapes]
export const Block = Type.Unsafe<Block>(Type.Union(Object.values(blockShapes)))

/** Media that a visitor refers to. */
export const Reference = Type.Object(
  {
    url: Type.String({ pattern: '^https://[^\\s]+$', maxLength: limits.urlChars }),
    type: Type.Optional(Type.String({ minLength: 1, maxLength: limits.mediaTypeChars })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: limits.mediaNameChars })),
  },
  closed,
)
export type Reference = Static<typeof Reference>

// From the gateway to the page.

const entryFrames = {
  /** A line of the agent. `state` is what was known of it when it was told: what is `read` need not be marked again. */
  message: frame('message', {
    cursor: Cursor,
    messageId: Type.String(),
    at: At,
    state: Type.Enum(['sent', 'delivered', 'read']),
    blocks: Type.Array(Block),
    contacts: Type.Optional(Type.Array(Contact)),
  }),
  /** A line of the visitor, told to every tab, the one it came from included. `id` is what that page called it. */
  said: frame('said', {
    cursor: Cursor,
    id: Type.String(),
    at: At,
    text: Type.Optional(Type.String()),
    media: Type.Optional(Type.Array(Reference)),
    place: Type.Optional(Place),
  }),
} as const
export type EntryFrame = StaticOf<typeof entryFrames>[keyof typeof entryFrames]

export const serverFrames = {
  ...entryFrames,
  /** Always first. `cursor` is the newest line of the record; with `more` there are older ones than will be told. */
  welcome: frame('welcome', {
    visitorId: Type.String(),
    cursor: Cursor,
    more: Type.Boolean(),
    /** Whoever has heard nothing for twice this long has lost the gateway. */
    pingEveryMs: Type.Integer(),
  }),
  /** Older lines, in order: all that are kept from `from` on. With `more` there are others, to be asked for by `from`. */
  older: frame('older', {
    from: Cursor,
    lines: Type.Array(Type.Unsafe<EntryFrame>(Type.Union(Object.values(entryFrames)))),
    more: Type.Boolean(),
  }),
  /** Everything up to `cursor` has been told; what follows is new. Once a connection. */
  caughtUp: frame('caughtUp', { cursor: Cursor }),
  /** The frame with that `id` is on record, whether now or when it was sent before. */
  accepted: frame('accepted', { id: Type.String() }),
  /** The agent is writing: show it until the next line, or for so long. */
  typing: frame('typing', { forMs: Type.Integer() }),
  /** The agent has read everything that was said until now. */
  seen: frame('seen', { at: At }),
  /** The line is alive. `cursor` is the last line that this tab was told. Needs no answer. */
  ping: frame('ping', { cursor: Cursor }),
  /** Nothing has changed. `field` names what is wrong, `id` the frame it was in, where it had one. */
  error: frame('error', {
    code: Type.Enum(['invalidFrame', 'rateLimited', 'unavailable']),
    message: Type.String(),
    field: Type.Optional(Type.String()),
    id: Type.Optional(Type.String()),
    /** Send the same frame again, under the same id, after this long. */
    retryAfterMs: Type.Optional(Type.Integer()),
  }),
} as const

type ServerFrames = StaticOf<typeof serverFrames>
export type MessageFrame = ServerFrames['message']
export type VisitorFrame = ServerFrames['said']
export type ErrorFrame = ServerFrames['error']
export type ServerFrame = ServerFrames[keyof ServerFrames]

// From the page to the gateway.

/** Made by the page, another one for each thing said. The same id again is the same thing, however often it is sent. */
export const FrameId = Type.String({ pattern: `^[A-Za-z0-9_-]{1,${limits.frameIdChars}}$` })
const MessageIds = Type.Array(Type.String({ pattern: '^[A-Za-z0-9_-]{1,80}$' }), {
  minItems: 1,
  maxItems: limits.marksPerFrame,
})

export const clientFrames = {
  text: frame('text', { id: FrameId, text: Type.String({ minLength: 1, maxLength: limits.textChars }) }),
  /** A chip, a row, a slot, a yes or a no: whatever had a `tap`. `label` is what the visitor saw on it. */
  tap: frame('tap', {
    id: FrameId,
    tap: Type.String({ pattern: '^p1\\.[A-Za-z0-9_-]{1,80}\\.(0|[1-9][0-9]{0,3})$' }),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: limits.labelChars })),
  }),
  location: frame('location', { id: FrameId, place: Place }),
  media: frame('media', {
    id: FrameId,
    media: Type.Array(Reference, { minItems: 1, maxItems: limits.mediaPerFrame }),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: limits.textChars })),
  }),
  /** At most every few seconds while somebody writes; more of them change nothing. */
  typing: frame('typing', {}),
  /** Asks for lines that stand before that one; answered by `older`. */
  older: frame('older', { before: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
  /** These messages have been shown. Never answered; saying it twice changes nothing. */
  delivered: frame('delivered', { messageIds: MessageIds }),
  /** These messages have been read. It says that they were delivered, too. */
  read: frame('read', { messageIds: MessageIds }),
} as const

type ClientFrames = StaticOf<typeof clientFrames>
export type ClientFrame = ClientFrames[keyof ClientFrames]

export { closeCodes }

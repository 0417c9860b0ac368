/**
 * Frames between page and gateway over a visitor's socket: each is one JSON object of plain data, without markup beyond
 * the CommonMark subset of texts. README.md has the guarantees. A frame of another version, of an unknown type or with
 * an unknown member is answered with `error` and changes nothing.
 */
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { chipKinds, plainParts } from '../../core/amf/message.js'
import { Event, Moment, Place } from '../../core/amf/values.js'
import { closeCodes } from '../../core/channel/socketcodec.js'
import { webchat as limits } from '../../core/limits/index.js'

/** Raised when a change of the frames requires a change of pages. */
export const frameVersion = 1

const closed = { additionalProperties: false } as const
const version = { v: Type.Literal(frameVersion) }
const frame = <const T extends string, P extends Record<string, TSchema>>(type: T, members: P) =>
  Type.Object({ ...version, type: Type.Literal(type), ...members }, closed)

type StaticOf<Shapes extends Record<string, TObject>> = { [Name in keyof Shapes]: Static<Shapes[Name]> }

/** Position of an entry in the visitor's transcript: integers that grow, with gaps. */
const Cursor = Type.Integer({ minimum: 0 })
/** ISO 8601, in UTC. */
const At = Type.String()

// Content.

/** A chip. A tap on a chip with `tap` is reported to the agent; the kind says what else the page does. */
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

/** A contact that the visitor may save; the blocks of the message show it as text, too. */
const { type: _type, ...contactMembers } = plainParts['share.contact'].properties
export const Contact = Type.Object(contactMembers, closed)
export type Contact = Static<typeof Contact>

const block = <const K extends string, P extends Record<string, TSchema>>(kind: K, members: P) =>
  Type.Object({ kind: Type.Literal(kind), ...members }, closed)

/** Texts are CommonMark: bold, italic, strikethrough, links and lists. All other characters are literal. */
export const blockShapes = {
  text: block('text', { text: Type.String(), ...chips }),
  media: block('media', { media: Media, text: Type.Optional(Type.String()), ...chips }),
  card: block('card', { card: Card, ...chips }),
  carousel: block('carousel', { cards: Type.Array(Card), ...chips }),
  /** The tap of a row picks the row. */
  list: block('list', { text: Type.String(), rows: Type.Array(Row) }),
  /**
   * The tap of a slot picks its time. `label` is the gateway's spelling; `start` is for pages that format times
   * themselves.
   */
  times: block('times', { text: Type.String(), slots: Type.Array(Slot) }),
  /** A native payload for this channel; pages that do not know it show nothing. */
  native: block('native', { payload: Type.Unknown() }),
} as const
export type Block = StaticOf<typeof blockShapes>[keyof typeof blockShapes]
export const Block = Type.Unsafe<Block>(Type.Union(Object.values(blockShapes)))

/** Media that a visitor refers to by URL. */
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
  /**
   * An entry of the agent. `state` is the state at the time of the frame: a `read` message need not be marked again.
   */
  message: frame('message', {
    cursor: Cursor,
    messageId: Type.String(),
    at: At,
    state: Type.Enum(['sent', 'delivered', 'read']),
    blocks: Type.Array(Block),
    contacts: Type.Optional(Type.Array(Contact)),
  }),
  /** An entry of the visitor, sent to every tab including its origin. `id` is the frame id that the page chose. */
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
  /** The first frame. `cursor` is the newest entry; with `more` there are older entries than the ones that follow. */
  welcome: frame('welcome', {
    visitorId: Type.String(),
    cursor: Cursor,
    more: Type.Boolean(),
    /** A page that receives nothing for twice this long has lost the connection. */
    pingEveryMs: Type.Integer(),
  }),
  /**
   * Older entries in order: all retained entries from `from` on. With `more` there are older ones; request them with
   * `from`.
   */
  older: frame('older', {
    from: Cursor,
    lines: Type.Array(Type.Unsafe<EntryFrame>(Type.Union(Object.values(entryFrames)))),
    more: Type.Boolean(),
  }),
  /** All entries up to `cursor` are sent; later entries are new. Once for each connection. */
  caughtUp: frame('caughtUp', { cursor: Cursor }),
  /** The frame with that `id` is recorded, now or by an earlier attempt. */
  accepted: frame('accepted', { id: Type.String() }),
  /** The agent is typing: show it until the next entry, or for `forMs`. */
  typing: frame('typing', { forMs: Type.Integer() }),
  /** The agent has read all entries of the visitor until `at`. */
  seen: frame('seen', { at: At }),
  /** Keep-alive. `cursor` is the last entry that this tab got. Needs no answer. */
  ping: frame('ping', { cursor: Cursor }),
  /** The frame changed nothing. `field` names the error, `id` the frame, if it had one. */
  error: frame('error', {
    code: Type.Enum(['invalidFrame', 'rateLimited', 'unavailable']),
    message: Type.String(),
    field: Type.Optional(Type.String()),
    id: Type.Optional(Type.String()),
    /** Send the same frame again after this delay, under the same id. */
    retryAfterMs: Type.Optional(Type.Integer()),
  }),
} as const

type ServerFrames = StaticOf<typeof serverFrames>
export type MessageFrame = ServerFrames['message']
export type VisitorFrame = ServerFrames['said']
export type ErrorFrame = ServerFrames['error']
export type ServerFrame = ServerFrames[keyof ServerFrames]

// From the page to the gateway.

/**
 * Chosen by the page and unique for each submission. A repeated id is the same submission, however often it is sent.
 */
export const FrameId = Type.String({ pattern: `^[A-Za-z0-9_-]{1,${limits.frameIdChars}}$` })
const MessageIds = Type.Array(Type.String({ pattern: '^[A-Za-z0-9_-]{1,80}$' }), {
  minItems: 1,
  maxItems: limits.marksPerFrame,
})

export const clientFrames = {
  text: frame('text', { id: FrameId, text: Type.String({ minLength: 1, maxLength: limits.textChars }) }),
  /** A tap on any element with `tap`: chip, row, slot, yes or no. `label` is the text that the visitor saw. */
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
  /** At most every few seconds while the visitor types; more frames change nothing. */
  typing: frame('typing', {}),
  /** Requests entries before that cursor; answered with `older`. */
  older: frame('older', { before: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
  /** These messages were displayed. Never answered, and idempotent. */
  delivered: frame('delivered', { messageIds: MessageIds }),
  /** These messages were read, and therefore delivered. */
  read: frame('read', { messageIds: MessageIds }),
} as const

type ClientFrames = StaticOf<typeof clientFrames>
export type ClientFrame = ClientFrames[keyof ClientFrames]

export { closeCodes }

/**
 * The transcript of a tab and its reducer for frames. Pure, so that tests can try every order of frames for two
 * guarantees: no entry is lost, and no entry shows twice.
 */
import type {
  Block,
  ClientFrame,
  Contact,
  EntryFrame,
  MessageFrame,
  Reference,
  ServerFrame,
  VisitorFrame,
} from '../frames.js'

/** A frame with an id of the page, answered by `accepted`. */
export type OutgoingFrame = Extract<ClientFrame, { id: string }>

export interface AgentEntry {
  readonly by: 'agent'
  readonly key: string
  readonly cursor: number
  readonly at: string
  readonly messageId: string
  readonly state: MessageFrame['state']
  readonly blocks: readonly Block[]
  readonly contacts: readonly Contact[]
}

export interface VisitorEntry {
  readonly by: 'visitor'
  /** The frame id of the page. */
  readonly key: string
  /** Absent until the gateway returns the entry. */
  readonly cursor?: number
  readonly at: string
  readonly state: 'sending' | 'sent' | 'failed'
  readonly text?: string
  readonly media?: readonly Reference[]
  readonly place?: VisitorFrame['place']
  /** The tap that the entry came from, if it was made in this tab. */
  readonly tap?: string
  /** Present until the frame is accepted, for another attempt. */
  readonly frame?: OutgoingFrame
  /** A tap without text, such as a followed link: sent and not shown. */
  readonly isHidden?: true
}

export type Entry = AgentEntry | VisitorEntry

export interface Transcript {
  /** Sorted by cursor; unrecorded entries come last, in the order of submission. */
  readonly entries: readonly Entry[]
  /** The newest entry received; the cursor to resume from. */
  readonly cursor: number | undefined
  /** The oldest entry received; older entries are requested before it. */
  readonly oldest: number | undefined
  /** The transcript on the gateway has entries before `oldest`. */
  readonly more: boolean
  /** A request for older entries is pending. */
  readonly isLoadingOlder: boolean
  readonly caughtUp: boolean
  /** Show the typing indicator until then, in milliseconds since 1970; 0: not at all. */
  readonly typingUntil: number
  /** The agent has read the visitor's entries until then. */
  readonly seenAt: string
}

export const emptyTranscript: Transcript = {
  entries: [],
  cursor: undefined,
  oldest: undefined,
  more: false,
  isLoadingOlder: false,
  caughtUp: false,
  typingUntil: 0,
  seenAt: '',
}

/** Applies a frame of the gateway. `now` is in milliseconds since 1970. */
export function applyFrame(transcript: Transcript, frame: ServerFrame, now: number): Transcript {
  switch (frame.type) {
    case 'welcome':
      // After a reconnect only entries behind the cursor follow, so only the first `welcome` knows `more`. A request
      // over the lost connection gets no answer.
      return { ...transcript, isLoadingOlder: false, ...(transcript.cursor === undefined && { more: frame.more }) }
    case 'message':
    case 'said': {
      const { cursor } = frame
      if (isKnown(transcript, cursor)) return transcript
      const next = { ...withEntry(transcript, frame), cursor, oldest: transcript.oldest ?? cursor }
      return frame.type === 'message' ? { ...next, typingUntil: 0 } : next
    }
    case 'older': {
      const { from, lines: entries, more } = frame
      const oldestCursor = transcript.oldest ?? from
      const newFrames = entries.filter(({ cursor }) => cursor < oldestCursor)
      return {
        ...newFrames.reduce(withEntry, transcript),
        oldest: Math.min(from, oldestCursor),
        more,
        isLoadingOlder: false,
      }
    }
    case 'caughtUp': {
      const { cursor } = frame
      const newest = Math.max(cursor, transcript.cursor ?? 0)
      return { ...transcript, caughtUp: true, cursor: newest, oldest: transcript.oldest ?? cursor + 1 }
    }
    case 'accepted':
      return updateVisitorEntry(transcript, frame.id, ({ frame: _, ...entry }) => ({ ...entry, state: 'sent' }))
    case 'error':
      if (frame.id === undefined) return { ...transcript, isLoadingOlder: false }
      return frame.code === 'invalidFrame' ? markFailed(transcript, frame.id) : transcript
    case 'typing':
      return { ...transcript, typingUntil: now + frame.forMs }
    case 'seen':
      return frame.at > transcript.seenAt ? { ...transcript, seenAt: frame.at } : transcript
    case 'ping':
      return transcript
  }
}

function withEntry(transcript: Transcript, frame: EntryFrame): Transcript {
  const entry = frame.type === 'message' ? agentEntryOf(frame) : visitorEntryOf(transcript, frame)
  const others = transcript.entries.filter(({ key }) => key !== entry.key)
  return { ...transcript, entries: sortByCursor([...others, entry]) }
}

function agentEntryOf({ cursor, at, messageId, state, blocks, contacts = [] }: MessageFrame): AgentEntry {
  return { by: 'agent', key: `m${cursor}`, cursor, at, messageId, state, blocks, contacts }
}

function visitorEntryOf({ entries }: Transcript, { cursor, id, at, text, media, place }: VisitorFrame): VisitorEntry {
  const existing = entries.find((entry) => entry.key === id)
  return {
    by: 'visitor',
    key: id,
    cursor,
    at,
    state: 'sent',
    ...(text !== undefined && { text }),
    ...(media && { media }),
    ...(place && { place }),
    ...(existing?.by === 'visitor' && existing.tap !== undefined && { tap: existing.tap }),
    ...(existing?.by === 'visitor' && existing.isHidden && { isHidden: true }),
  }
}

/** Marks a request for older entries as pending. */
export function startLoadingOlder(transcript: Transcript): Transcript {
  return { ...transcript, isLoadingOlder: true }
}

/** Adds a submission of the visitor at once. `shown` is the text of a tap; without it a tap is hidden. */
export function addOutgoing(transcript: Transcript, frame: OutgoingFrame, at: string, shown?: string): Transcript {
  if (transcript.entries.some(({ key }) => key === frame.id)) return transcript
  const text = frame.type === 'text' ? frame.text : frame.type === 'tap' ? shown : undefined
  const entry: VisitorEntry = {
    by: 'visitor',
    key: frame.id,
    at,
    state: 'sending',
    frame,
    ...(text !== undefined && { text }),
    ...(frame.type === 'location' && { place: frame.place }),
    ...(frame.type === 'tap' && { tap: frame.tap }),
    ...(frame.type === 'tap' && shown === undefined && { isHidden: true }),
  }
  return { ...transcript, entries: [...transcript.entries, entry] }
}

/** Marks an entry for another attempt by the visitor. */
export function retryEntry(transcript: Transcript, id: string): Transcript {
  return updateVisitorEntry(transcript, id, (entry) => ({ ...entry, state: 'sending' }))
}

/** Marks an entry as failed; it is sent again only when the visitor asks for it. */
export function markFailed(transcript: Transcript, id: string): Transcript {
  return updateVisitorEntry(transcript, id, (entry) => (entry.frame ? { ...entry, state: 'failed' } : entry))
}

/** Marks messages of the agent as read, in this tab or another. */
export function markRead(transcript: Transcript, messageIds: ReadonlySet<string>): Transcript {
  const isNew = (entry: Entry) => entry.by === 'agent' && entry.state !== 'read' && messageIds.has(entry.messageId)
  if (!transcript.entries.some(isNew)) return transcript
  const entries = transcript.entries.map((entry) => (isNew(entry) ? ({ ...entry, state: 'read' } as Entry) : entry))
  return { ...transcript, entries }
}

/** Unrecorded frames in the order of submission. */
export function unsentFrames({ entries }: Transcript): OutgoingFrame[] {
  return entries.flatMap((entry) =>
    entry.by === 'visitor' && entry.state === 'sending' && entry.frame ? [entry.frame] : [],
  )
}

export function unreadEntries({ entries }: Transcript): AgentEntry[] {
  return entries.filter((entry): entry is AgentEntry => entry.by === 'agent' && entry.state !== 'read')
}

/** Starts over for another visitor id: entries of the old one are dropped, and unsent ones belong to the new one. */
export function resetForVisitor({ entries }: Transcript): Transcript {
  return { ...emptyTranscript, entries: entries.filter((entry) => entry.by === 'visitor' && entry.frame) }
}

/**
 * The visitor's next entry after a message of the agent answers that message. The same rule holds for taps and typed
 * answers, in every tab and after a reload.
 */
export function answerOf({ entries }: Transcript, entry: AgentEntry): VisitorEntry | undefined {
  const later = entries.slice(entries.indexOf(entry) + 1)
  return later.find((each): each is VisitorEntry => each.by === 'visitor' && !each.isHidden)
}

function isKnown({ cursor }: Transcript, cursorToCheck: number): boolean {
  return cursor !== undefined && cursorToCheck <= cursor
}

function updateVisitorEntry(
  transcript: Transcript,
  id: string,
  change: (entry: VisitorEntry) => VisitorEntry,
): Transcript {
  const entries = transcript.entries.map((entry) =>
    entry.by === 'visitor' && entry.key === id ? change(entry) : entry,
  )
  return { ...transcript, entries }
}

/** A stable sort: entries without a cursor stay in the order of submission. */
function sortByCursor(entries: readonly Entry[]): Entry[] {
  const sortKey = ({ cursor = Number.POSITIVE_INFINITY }: Entry) => cursor
  return [...entries].sort((a, b) => (sortKey(a) === sortKey(b) ? 0 : sortKey(a) - sortKey(b)))
}

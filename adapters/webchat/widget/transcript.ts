/**
 * What a tab knows of its conversation, and how each frame changes it. Pure, so that the two promises that matter can be
 * tried with every order of frames: nothing that was told or said is lost, and nothing is shown twice.
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

/** What is said under an id of the page's own, and answered by `accepted`. */
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
  /** The id under which it was said. */
  readonly key: string
  /** Absent until it is told back. */
  readonly cursor?: number
  readonly at: string
  readonly state: 'sending' | 'sent' | 'failed'
  readonly text?: string
  readonly media?: readonly Reference[]
  readonly place?: VisitorFrame['place']
  /** What was tapped to say it, where that was in this tab. */
  readonly tap?: string
  /** Kept until it is accepted, to be sent again. */
  readonly frame?: OutgoingFrame
  /** A tap that says nothing, such as a link that was followed: told, and not shown. */
  readonly isHidden?: true
}

export type Entry = AgentEntry | VisitorEntry

export interface Transcript {
  /** In the order of the record; what is not on record yet stands last, in the order in which it was said. */
  readonly entries: readonly Entry[]
  /** The newest line that was told; where to go on after a break. */
  readonly cursor: number | undefined
  /** The oldest line that was told; where older ones are asked for. */
  readonly oldest: number | undefined
  /** The record has lines before that. */
  readonly more: boolean
  /** Older lines have been asked for, and have not come yet. */
  readonly isLoadingOlder: boolean
  readonly caughtUp: boolean
  /** Until when the agent is said to be writing, in milliseconds since 1970; 0: not at all. */
  readonly typingUntil: number
  /** Until when the agent has read what was said. */
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

/** What the gateway tells. `now` is in milliseconds since 1970. */
export function applyFrame(transcript: Transcript, frame: ServerFrame, now: number): Transcript {
  switch (frame.type) {
    case 'welcome':
      // After a break only what followed the cursor is told, so `more` is known from the first connection alone. What
      // was asked over the line that broke is answered by nobody.
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

/** The page asks for older lines. */
export function startLoadingOlder(transcript: Transcript): Transcript {
  return { ...transcript, isLoadingOlder: true }
}

/** What the visitor says, shown at once. `shown` is what a tap reads as; without it nothing is shown of a tap. */
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

/** The visitor asks for another try. */
export function retryEntry(transcript: Transcript, id: string): Transcript {
  return updateVisitorEntry(transcript, id, (entry) => ({ ...entry, state: 'sending' }))
}

/** It will not be sent again unless the visitor asks for it. */
export function markFailed(transcript: Transcript, id: string): Transcript {
  return updateVisitorEntry(transcript, id, (entry) => (entry.frame ? { ...entry, state: 'failed' } : entry))
}

/** The agent's lines with these ids were read, in this tab or in another. */
export function markRead(transcript: Transcript, messageIds: ReadonlySet<string>): Transcript {
  const isNew = (entry: Entry) => entry.by === 'agent' && entry.state !== 'read' && messageIds.has(entry.messageId)
  if (!transcript.entries.some(isNew)) return transcript
  const entries = transcript.entries.map((entry) => (isNew(entry) ? ({ ...entry, state: 'read' } as Entry) : entry))
  return { ...transcript, entries }
}

/** What is still to be sent, in the order in which it was said. */
export function unsentFrames({ entries }: Transcript): OutgoingFrame[] {
  return entries.flatMap((entry) =>
    entry.by === 'visitor' && entry.state === 'sending' && entry.frame ? [entry.frame] : [],
  )
}

export function unreadEntries({ entries }: Transcript): AgentEntry[] {
  return entries.filter((entry): entry is AgentEntry => entry.by === 'agent' && entry.state !== 'read')
}

/** Another visitor: nothing of the old record is theirs. What was not sent yet is said by them. */
export function resetForVisitor({ entries }: Transcript): Transcript {
  return { ...emptyTranscript, entries: entries.filter((entry) => entry.by === 'visitor' && entry.frame) }
}

/**
 * What the visitor said next after a line of the agent; with it the questions of that line are answered. One rule for
 * taps and for typed answers, in every tab and after a reload.
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

/** Sorting keeps the order of equals, so what has no place yet stays as it was said. */
function sortByCursor(entries: readonly Entry[]): Entry[] {
  const sortKey = ({ cursor = Number.POSITIVE_INFINITY }: Entry) => cursor
  return [...entries].sort((a, b) => (sortKey(a) === sortKey(b) ? 0 : sortKey(a) - sortKey(b)))
}

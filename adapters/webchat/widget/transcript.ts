/**
 * What a tab knows of its conversation, and how each frame changes it. Pure, so that the two promises that matter can be
 * tried with every order of frames: nothing that was told or said is lost, and nothing is shown twice.
 */
import type {
  Block,
  ClientFrame,
  Contact,
  LineFrame,
  MessageFrame,
  Reference,
  SaidFrame,
  ServerFrame,
} from '../frames.js'

/** What is said under an id of the page's own, and answered by `accepted`. */
export type SaidByPage = Extract<ClientFrame, { id: string }>

export interface AgentLine {
  readonly by: 'agent'
  readonly key: string
  readonly cursor: number
  readonly at: string
  readonly messageId: string
  readonly state: MessageFrame['state']
  readonly blocks: readonly Block[]
  readonly contacts: readonly Contact[]
}

export interface OwnLine {
  readonly by: 'visitor'
  /** The id under which it was said. */
  readonly key: string
  /** Absent until it is told back. */
  readonly cursor?: number
  readonly at: string
  readonly state: 'sending' | 'sent' | 'failed'
  readonly text?: string
  readonly media?: readonly Reference[]
  readonly place?: SaidFrame['place']
  /** What was tapped to say it, where that was in this tab. */
  readonly tap?: string
  /** Kept until it is accepted, to be sent again. */
  readonly frame?: SaidByPage
  /** A tap that says nothing, such as a link that was followed: told, and not shown. */
  readonly isSilent?: true
}

export type Line = AgentLine | OwnLine

export interface Transcript {
  /** In the order of the record; what is not on record yet stands last, in the order in which it was said. */
  readonly lines: readonly Line[]
  /** The newest line that was told; where to go on after a break. */
  readonly cursor: number | undefined
  /** The oldest line that was told; where older ones are asked for. */
  readonly oldest: number | undefined
  /** The record has lines before that. */
  readonly more: boolean
  /** Older lines have been asked for, and have not come yet. */
  readonly isAskingOlder: boolean
  readonly caughtUp: boolean
  /** Until when the agent is said to be writing, in milliseconds since 1970; 0: not at all. */
  readonly typingUntil: number
  /** Until when the agent has read what was said. */
  readonly seenAt: string
}

export const emptyTranscript: Transcript = {
  lines: [],
  cursor: undefined,
  oldest: undefined,
  more: false,
  isAskingOlder: false,
  caughtUp: false,
  typingUntil: 0,
  seenAt: '',
}

/** What the gateway tells. `now` is in milliseconds since 1970. */
export function told(transcript: Transcript, frame: ServerFrame, now: number): Transcript {
  switch (frame.type) {
    case 'welcome':
      // After a break only what followed the cursor is told, so `more` is known from the first connection alone. What
      // was asked over the line that broke is answered by nobody.
      return { ...transcript, isAskingOlder: false, ...(transcript.cursor === undefined && { more: frame.more }) }
    case 'message':
    case 'said': {
      const { cursor } = frame
      if (isKnown(transcript, cursor)) return transcript
      const told = { ...withLine(transcript, frame), cursor, oldest: transcript.oldest ?? cursor }
      return frame.type === 'message' ? { ...told, typingUntil: 0 } : told
    }
    case 'older': {
      const { from, lines, more } = frame
      const known = transcript.oldest ?? from
      const unknown = lines.filter(({ cursor }) => cursor < known)
      return { ...unknown.reduce(withLine, transcript), oldest: Math.min(from, known), more, isAskingOlder: false }
    }
    case 'caughtUp': {
      const { cursor } = frame
      const newest = Math.max(cursor, transcript.cursor ?? 0)
      return { ...transcript, caughtUp: true, cursor: newest, oldest: transcript.oldest ?? cursor + 1 }
    }
    case 'accepted':
      return changed(transcript, frame.id, ({ frame: _, ...line }) => ({ ...line, state: 'sent' }))
    case 'error':
      if (frame.id === undefined) return { ...transcript, isAskingOlder: false }
      return frame.code === 'invalidFrame' ? failed(transcript, frame.id) : transcript
    case 'typing':
      return { ...transcript, typingUntil: now + frame.forMs }
    case 'seen':
      return frame.at > transcript.seenAt ? { ...transcript, seenAt: frame.at } : transcript
    case 'ping':
      return transcript
  }
}

function withLine(transcript: Transcript, frame: LineFrame): Transcript {
  const line = frame.type === 'message' ? agentLine(frame) : ownLine(transcript, frame)
  const others = transcript.lines.filter(({ key }) => key !== line.key)
  return { ...transcript, lines: placed([...others, line]) }
}

function agentLine({ cursor, at, messageId, state, blocks, contacts = [] }: MessageFrame): AgentLine {
  return { by: 'agent', key: `m${cursor}`, cursor, at, messageId, state, blocks, contacts }
}

function ownLine({ lines }: Transcript, { cursor, id, at, text, media, place }: SaidFrame): OwnLine {
  const known = lines.find((line) => line.key === id)
  return {
    by: 'visitor',
    key: id,
    cursor,
    at,
    state: 'sent',
    ...(text !== undefined && { text }),
    ...(media && { media }),
    ...(place && { place }),
    ...(known?.by === 'visitor' && known.tap !== undefined && { tap: known.tap }),
    ...(known?.by === 'visitor' && known.isSilent && { isSilent: true }),
  }
}

/** The page asks for older lines. */
export function askingOlder(transcript: Transcript): Transcript {
  return { ...transcript, isAskingOlder: true }
}

/** What the visitor says, shown at once. `shown` is what a tap reads as; without it nothing is shown of a tap. */
export function said(transcript: Transcript, frame: SaidByPage, at: string, shown?: string): Transcript {
  if (transcript.lines.some(({ key }) => key === frame.id)) return transcript
  const text = frame.type === 'text' ? frame.text : frame.type === 'tap' ? shown : undefined
  const line: OwnLine = {
    by: 'visitor',
    key: frame.id,
    at,
    state: 'sending',
    frame,
    ...(text !== undefined && { text }),
    ...(frame.type === 'location' && { place: frame.place }),
    ...(frame.type === 'tap' && { tap: frame.tap }),
    ...(frame.type === 'tap' && shown === undefined && { isSilent: true }),
  }
  return { ...transcript, lines: [...transcript.lines, line] }
}

/** The visitor asks for another try. */
export function retried(transcript: Transcript, id: string): Transcript {
  return changed(transcript, id, (line) => ({ ...line, state: 'sending' }))
}

/** It will not be sent again unless the visitor asks for it. */
export function failed(transcript: Transcript, id: string): Transcript {
  return changed(transcript, id, (line) => (line.frame ? { ...line, state: 'failed' } : line))
}

/** The agent's lines with these ids were read, in this tab or in another. */
export function seen(transcript: Transcript, messageIds: ReadonlySet<string>): Transcript {
  const isNew = (line: Line) => line.by === 'agent' && line.state !== 'read' && messageIds.has(line.messageId)
  if (!transcript.lines.some(isNew)) return transcript
  const lines = transcript.lines.map((line) => (isNew(line) ? ({ ...line, state: 'read' } as Line) : line))
  return { ...transcript, lines }
}

/** What is still to be sent, in the order in which it was said. */
export function unsent({ lines }: Transcript): SaidByPage[] {
  return lines.flatMap((line) => (line.by === 'visitor' && line.state === 'sending' && line.frame ? [line.frame] : []))
}

export function unread({ lines }: Transcript): AgentLine[] {
  return lines.filter((line): line is AgentLine => line.by === 'agent' && line.state !== 'read')
}

/** Another visitor: nothing of the old record is theirs. What was not sent yet is said by them. */
export function forgotten({ lines }: Transcript): Transcript {
  return { ...emptyTranscript, lines: lines.filter((line) => line.by === 'visitor' && line.frame) }
}

/**
 * What the visitor said next after a line of the agent; with it the questions of that line are answered. One rule for
 * taps and for typed answers, in every tab and after a reload.
 */
export function answerTo({ lines }: Transcript, line: AgentLine): OwnLine | undefined {
  const after = lines.slice(lines.indexOf(line) + 1)
  return after.find((each): each is OwnLine => each.by === 'visitor' && !each.isSilent)
}

function isKnown({ cursor }: Transcript, told: number): boolean {
  return cursor !== undefined && told <= cursor
}

function changed(transcript: Transcript, id: string, change: (line: OwnLine) => OwnLine): Transcript {
  const lines = transcript.lines.map((line) => (line.by === 'visitor' && line.key === id ? change(line) : line))
  return { ...transcript, lines }
}

/** Sorting keeps the order of equals, so what has no place yet stays as it was said. */
function placed(lines: readonly Line[]): Line[] {
  const place = ({ cursor = Number.POSITIVE_INFINITY }: Line) => cursor
  return [...lines].sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)))
}

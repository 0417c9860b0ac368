/**
 * Reassembles multipart texts. Parts arrive in any order, repeated or never. Parts wait until the text is complete or a
 * time limit has passed; then the text is delivered with gaps.
 */
import { textIn } from './alphabet.js'
import type { Concatenated } from './parts.js'
import type { ParsedText } from './pdu.js'

export interface PartText extends ParsedText {
  readonly part: Concatenated
}

/** A text ready to report. Its id is stable until it is recorded. */
export interface JoinedText {
  readonly key: string
  readonly id: string
  readonly from: string
  readonly text: string
}

export interface PartialLimits {
  readonly partialTexts: number
  readonly partialMs: number
}

export interface Reassembly {
  /** `waiting` for more parts; `duplicate` when the whole text is recorded already; or the whole text. */
  add(text: PartText, now: number): 'waiting' | 'duplicate' | JoinedText
  /** The text is recorded: repeated parts of it become duplicates. */
  markRecorded(key: string): void
  /** Texts over the time limit, and the oldest ones over the limit of pending texts, with gaps for missing parts. */
  overdue(now: number): readonly JoinedText[]
  /** All texts that are not recorded, with gaps for missing parts. */
  all(): readonly JoinedText[]
  /** The time at which the next text is overdue. */
  nextAt(): number | undefined
}

interface PendingText {
  readonly id: string
  readonly from: string
  readonly since: number
  readonly total: number
  readonly parts: Map<number, PartText>
  isRecorded: boolean
}

export function createReassembly({ partialTexts, partialMs }: PartialLimits, newId: () => string): Reassembly {
  /** In the order of their first parts. */
  const pending = new Map<string, PendingText>()
  let superseded = 0

  function add(text: PartText, now: number): 'waiting' | 'duplicate' | JoinedText {
    const { from, to, part } = text
    const key = [from, to, part.reference, part.total].join(' ')
    const existing = pending.get(key)
    const previous = existing?.parts.get(part.number)
    if (existing && previous && !previous.octets.equals(text.octets)) supersede(key, existing)
    else if (existing?.isRecorded) return 'duplicate'
    const entry = pending.get(key) ?? {
      id: newId(),
      from,
      since: now,
      total: part.total,
      parts: new Map(),
      isRecorded: false,
    }
    pending.set(key, entry)
    entry.parts.set(part.number, text)
    return entry.parts.size === part.total ? joinParts(key, entry) : 'waiting'
  }

  /** The sender reuses the reference for another text: the older text gets no further parts. */
  function supersede(key: string, older: PendingText): void {
    pending.delete(key)
    if (older.isRecorded) return
    superseded += 1
    pending.set(`${key} ${superseded}`, { ...older, since: Number.NEGATIVE_INFINITY })
  }

  function overdue(now: number): readonly JoinedText[] {
    const texts: JoinedText[] = []
    let tooMany = pending.size - partialTexts
    for (const [key, each] of pending) {
      if (now - each.since < partialMs && tooMany <= 0) continue
      tooMany -= 1
      if (each.isRecorded) pending.delete(key)
      else texts.push(joinParts(key, each))
    }
    return texts
  }

  return {
    add,
    markRecorded(key) {
      const entry = pending.get(key)
      if (!entry) return
      if (entry.parts.size === entry.total) entry.isRecorded = true
      else pending.delete(key)
    },
    overdue,
    all: () => [...pending].filter(([, each]) => !each.isRecorded).map(([key, each]) => joinParts(key, each)),
    nextAt() {
      let next: number | undefined
      for (const { since } of pending.values()) next = Math.min(next ?? since, since)
      return next === undefined ? undefined : next + partialMs
    },
  }
}

const gap = '…'

function joinParts(key: string, { id, from, total, parts }: PendingText): JoinedText {
  const runs: PartText[][] = []
  let isGap = true
  for (let number = 1; number <= total; number += 1) {
    const part = parts.get(number)
    if (part && isGap) runs.push([part])
    else if (part) runs.at(-1)!.push(part)
    isGap = part === undefined
  }
  const texts = runs.map(textOf)
  const first = parts.has(1) ? '' : gap
  const last = parts.has(total) ? '' : gap
  return { key, id, from, text: `${first}${texts.join(gap)}${last}` }
}

/** Joins octets before decoding, since some phones split characters. */
function textOf(run: readonly PartText[]): string {
  const [{ dataCoding }] = run as [PartText]
  if (run.every((each) => each.dataCoding === dataCoding)) {
    return textIn(Buffer.concat(run.map(({ octets }) => octets)), dataCoding) ?? ''
  }
  return run.map((each) => textIn(each.octets, each.dataCoding) ?? '').join('')
}

/**
 * Texts that come in several parts, in any order, some of them twice, some never. Parts are kept until the text is whole, or
 * until they have waited long enough: then there is a text with gaps, which is better than none.
 */
import { textIn } from './alphabet.js'
import type { Concatenated } from './parts.js'
import type { ReadText } from './read.js'

export interface PartText extends ReadText {
  readonly part: Concatenated
}

/** A text that is ready to be told, under an id that stays the same until it has been. */
export interface Joined {
  readonly key: string
  readonly id: string
  readonly from: string
  readonly text: string
}

export interface PartialLimits {
  readonly partialTexts: number
  readonly partialMs: number
}

export interface Partials {
  /** `waiting` for more parts; `known` when all of it was told before; or the whole text. */
  add(text: PartText, now: number): 'waiting' | 'known' | Joined
  /** It is on record: parts of it that come again say nothing new. */
  told(key: string): void
  /** Those that have waited long enough, and those that are too many, as far as they came. */
  overdue(now: number): readonly Joined[]
  /** All that are not told, as far as they came. */
  all(): readonly Joined[]
  /** When the next is overdue. */
  nextAt(): number | undefined
}

interface Held {
  readonly id: string
  readonly from: string
  readonly since: number
  readonly total: number
  readonly parts: Map<number, PartText>
  isTold: boolean
}

export function openPartials({ partialTexts, partialMs }: PartialLimits, newId: () => string): Partials {
  /** In the order of their first parts. */
  const held = new Map<string, Held>()
  let strays = 0

  function add(text: PartText, now: number): 'waiting' | 'known' | Joined {
    const { from, to, part } = text
    const key = [from, to, part.reference, part.total].join(' ')
    const same = held.get(key)
    const before = same?.parts.get(part.number)
    if (same && before && !before.octets.equals(text.octets)) setAside(key, same)
    else if (same?.isTold) return 'known'
    const found = held.get(key) ?? { id: newId(), from, since: now, total: part.total, parts: new Map(), isTold: false }
    held.set(key, found)
    found.parts.set(part.number, text)
    return found.parts.size === part.total ? joined(key, found) : 'waiting'
  }

  /** The reference is in use for another text: the older one gets no further parts. */
  function setAside(key: string, older: Held): void {
    held.delete(key)
    if (older.isTold) return
    strays += 1
    held.set(`${key} ${strays}`, { ...older, since: Number.NEGATIVE_INFINITY })
  }

  function overdue(now: number): readonly Joined[] {
    const found: Joined[] = []
    let tooMany = held.size - partialTexts
    for (const [key, each] of held) {
      if (now - each.since < partialMs && tooMany <= 0) continue
      tooMany -= 1
      if (each.isTold) held.delete(key)
      else found.push(joined(key, each))
    }
    return found
  }

  return {
    add,
    told(key) {
      const found = held.get(key)
      if (!found) return
      if (found.parts.size === found.total) found.isTold = true
      else held.delete(key)
    },
    overdue,
    all: () => [...held].filter(([, each]) => !each.isTold).map(([key, each]) => joined(key, each)),
    nextAt() {
      let next: number | undefined
      for (const { since } of held.values()) next = Math.min(next ?? since, since)
      return next === undefined ? undefined : next + partialMs
    },
  }
}

const gap = '…'

function joined(key: string, { id, from, total, parts }: Held): Joined {
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

/** Octets are put together before they are read, since careless phones divide characters. */
function textOf(run: readonly PartText[]): string {
  const [{ dataCoding }] = run as [PartText]
  if (run.every((each) => each.dataCoding === dataCoding)) {
    return textIn(Buffer.concat(run.map(({ octets }) => octets)), dataCoding) ?? ''
  }
  return run.map((each) => textIn(each.octets, each.dataCoding) ?? '').join('')
}

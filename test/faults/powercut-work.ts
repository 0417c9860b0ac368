/** The work during a power cut, and what may be found of it afterwards. */
import { type Space, table, type Write } from '../../runtime/store/contract.js'

export const writers = 4
/** Commits of each writer in one life of the program, unless its disk fails first. */
export const commitsPerRun = 60
/** Rows of a writer that stay; it removes older ones, so that LMDB reuses their pages. */
const retainedRows = 7

interface Half {
  readonly n: number
  readonly text: string
}

const latest = table<[], number>('latest')
const left = table<[n: number], Half>('left')
const right = table<[n: number], Half>('right')

/** One commit: increments the writer's count, adds a pair of rows and removes one. */
export function writesOf(writer: number, n: number): Write[] {
  const value = { n, text: textOf(writer, n) }
  return [
    { table: latest, key: [], value: n },
    { table: left, key: [n], value },
    { table: right, key: [n], value },
    ...(n > retainedRows ? [left, right].map((of) => ({ table: of, key: [n - retainedRows] })) : []),
  ]
}

/** Of many lengths, some larger than a page. */
function textOf(writer: number, n: number): string {
  return `${writer}/${n} `.repeat(1 + ((n * 131 + writer * 17) % 1_500))
}

export function countOf(space: Space): number {
  return space.get(latest, []) ?? 0
}

/** The fault of a writer's space, if any: it must be as some whole commit left it. */
export function problemOf(space: Space, writer: number): string | undefined {
  const count = countOf(space)
  const first = Math.max(1, count - retainedRows + 1)
  const expected = Array.from({ length: count - first + 1 }, (_, at) => first + at)
  for (const of of [left, right]) {
    const rows = [...space.range(of)]
    const keys = rows.map((row) => row.key[0])
    if (String(keys) !== String(expected)) return `${of.name} of writer ${writer} holds ${keys}, not ${expected}`
    const wrong = rows.find(({ key, value }) => value.n !== key[0] || value.text !== textOf(writer, key[0]))
    if (wrong) return `${of.name} of writer ${writer} holds something else in row ${wrong.key[0]}`
  }
  return undefined
}

/** The program's lines about itself: what it found, what it promises, and when it can promise no more. */
export interface Ack {
  readonly did: 'opened' | 'committed' | 'performed' | 'failed' | 'closed'
  readonly writer: number
  readonly n: number
}

/** One writer's knowledge at the time of the cut. */
export interface Acked {
  /** Commits that were there when the data was last opened. */
  readonly opened: number
  /** The last acknowledged commit. */
  readonly last: number
  readonly closed: boolean
  /** Commits that were acknowledged and missing when the same machine opened the data again. */
  readonly lost: number
}

/** `mayForget`: write-behind commits may be lost with the process or on a failed disk. */
export function ackedBy(acks: readonly Ack[], mayForget = false): Acked[] {
  const all = Array.from({ length: writers }, (): Acked => ({ opened: 0, last: 0, closed: false, lost: 0 }))
  for (const { did, writer, n } of acks) {
    const before = all[writer]!
    if (did === 'committed') all[writer] = { ...before, last: n }
    if (did === 'closed') for (const one of all.keys()) all[one] = { ...all[one]!, closed: true }
    if (did === 'opened') {
      const lost = mayForget ? 0 : Math.max(before.lost, before.last - n)
      all[writer] = { opened: n, last: n, closed: false, lost }
    }
  }
  return all
}

/** The subject of a power cut. */
export interface Subject {
  /**
   * One life on the data in `dir`, of this many commits of each writer. Reports its promises; resolves with how the
   * life ends.
   */
  work(dir: string, acknowledge: (ack: Ack) => void, commits: number): Promise<() => Promise<void>>
  /** Opens the data found after the cut; returns its fault, if any, given the acknowledgements. */
  check(dir: string, acks: readonly Ack[]): Promise<string | undefined>
}

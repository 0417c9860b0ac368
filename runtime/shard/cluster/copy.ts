/** This node's copy of a shard: what the log says, as far as it has been applied, in the node's own store. */
import type { Change, Space } from '../../store/contract.js'
import { table } from '../../store/contract.js'
import { type Entry, isFounding, lineOf, openAssembler } from './entry.js'

export interface Parent {
  readonly line: string
  readonly before: number
}

export interface Position {
  /** Empty while nothing was ever applied. */
  readonly line: string
  readonly epoch: number
  readonly holder: string
  /** The last entry applied. */
  readonly number: number
  /** The lines that this one was founded upon, each with the number of the founding that ended it. */
  readonly parents?: readonly Parent[]
  /** Made from a snapshot that was taken while commits went on: whole only from this entry on. */
  readonly wholeFrom?: number
  /** A snapshot is being loaded: what is there now is neither the old state nor the new one. */
  readonly loading?: true
}

const positionTable = table<[], Position>('shard.copy')
const nowhere: Position = { line: '', epoch: 0, holder: '', number: 0 }

/**
 * Whether a copy there holds all of a log that ends so, and more: the servers have lost the rest, if need be with the
 * founding of the copy's line. A log that went on without the founding is another history.
 */
export function isBeyond(
  { line, number, parents = [] }: Pick<Position, 'line' | 'number' | 'parents'>,
  log: LogEnd,
): boolean {
  const isParents = parents.some((parent) => parent.line === log.line && log.last < parent.before)
  return number > log.last && (line === log.line || isParents)
}

/** As many lines as are remembered; each of them was ended by a loss of the servers' disks. */
const parentsKept = 16

/** What a line that is founded there is founded upon: what stands in the log, what the copy was on, and what that was. */
export function parentsOf(
  { line, parents = [] }: Position,
  inLog: string | undefined,
  number: number,
): readonly Parent[] {
  const ended = [...new Set([inLog, line])].filter((each): each is string => Boolean(each))
  return [...ended.map((each) => ({ line: each, before: number })), ...parents].slice(0, parentsKept)
}

/** Where a log ends, and the line of its last message. */
export interface LogEnd {
  readonly line: string
  readonly last: number
}

/** The log does not go on where this copy ends: it must be made anew from a snapshot. */
export class Diverged extends Error {
  override readonly name = 'Diverged'
}

export interface Copy {
  /** How far readers see it. */
  position(): Position
  /** The last message taken, which may be the beginning of an entry that nobody finished. */
  reached(): number
  /** Whether it can be served from once the log has nothing more. */
  isWhole(): boolean
  /** Whether it holds nothing at all, not even from before the log began. */
  isEmpty(): boolean
  /** Begins to take: answers the number after which the log must go on. What was taken and not written is forgotten. */
  begin(): number
  /** Takes the next message of the log. Resolves when one more may come. Throws Diverged, or why it cannot write. */
  take(message: Uint8Array, number: number): Promise<void>
  /** Resolves when readers see all that was taken; rejects when that cannot be. */
  settled(): Promise<void>
  /** Applies an entry of this node's own. Resolves when readers see it. */
  apply(line: string, entry: Entry, number: number): Promise<void>
  /** Begins a line of this node's own on what it holds. Resolves when readers see it. */
  found(head: Position): Promise<void>
  /** Forgets everything, as if nothing had ever been applied. */
  empty(): Promise<void>
  /** Forgets everything, takes rows as they come, and ends at the position that `rows` returns. */
  load(rows: AsyncGenerator<readonly Change[], Position>): Promise<void>
}

/** Rows cleared at a time, and changes that may wait while others are being written. */
const rowsAtOnce = 500
const changesWaiting = 2_000

export function openCopy(space: Space): Copy {
  let position = space.get(positionTable, []) ?? nowhere
  let taken = position
  let reached = position.number
  let waiting: Change[] = []
  let writing: Promise<void> | undefined
  let failure: unknown
  let assembler = openAssembler()
  const positionKey = positionChange(nowhere).key

  function positionChange(value: Position): Change {
    return space.encode([{ table: positionTable as never, key: [], value }])[0]!
  }

  function isOwnRecord({ key }: Change): boolean {
    return Buffer.compare(key, positionKey) === 0
  }

  async function write(changes: readonly Change[], next: Position): Promise<void> {
    await space.commit([...changes, positionChange(next)])
    position = next
    taken = next
    reached = next.number
  }

  /** Writes what waits, and what comes meanwhile, until nothing does: one commit for all that waited. */
  async function writeTaken(): Promise<void> {
    try {
      while (taken !== position) {
        const [changes, next] = [waiting, taken]
        waiting = []
        await space.commit([...changes, positionChange(next)])
        position = next
      }
    } catch (error) {
      failure = error
      throw error
    } finally {
      writing = undefined
    }
  }

  async function clear(): Promise<void> {
    await writing?.catch(() => {})
    await write([], { ...nowhere, loading: true })
    for (;;) {
      const rows = space.rows(undefined, rowsAtOnce).filter((row) => !isOwnRecord(row))
      if (rows.length === 0) return
      const removals = rows.map(({ key }) => ({ key, value: undefined }))
      await write(removals, { ...nowhere, loading: true })
    }
  }

  return {
    position: () => position,
    reached: () => reached,
    isWhole: () => !position.loading && (position.wholeFrom ?? 0) <= position.number,
    isEmpty: () => space.rows(undefined, 2).every(isOwnRecord),
    begin() {
      assembler = openAssembler()
      waiting = []
      failure = undefined
      taken = position
      reached = position.number
      return reached
    },
    async take(message, number) {
      if (failure) throw failure
      const line = lineOf(message)
      const isAnother = taken.number > 0 && line !== taken.line
      if (isAnother || isFounding(message)) throw new Diverged('the log goes on from a snapshot')
      const entry = assembler.add(message)
      reached = number
      if (!entry) return
      taken = after(taken, line, entry, number)
      waiting.push(...changesOf(entry))
      writing ??= writeTaken()
      if (waiting.length >= changesWaiting) await writing
      else writing.catch(() => {})
    },
    async settled() {
      await writing
      if (failure) throw failure
    },
    apply: (line, entry, number) => write(changesOf(entry), after(position, line, entry, number)),
    found: (head) => write([], head),
    async empty() {
      await clear()
      await write([], nowhere)
    },
    async load(rows) {
      await clear()
      for (;;) {
        const { done, value } = await rows.next()
        if (done) return write([], value)
        const others = value.filter((row) => !isOwnRecord(row))
        await write(others, { ...nowhere, loading: true })
      }
    },
  }
}

function changesOf(entry: Entry): readonly Change[] {
  return entry.kind === 'commit' ? entry.changes : []
}

/** Where an entry leads from there. Epochs come one after the other, and commits belong to the one that is on. */
function after({ epoch, holder, wholeFrom, parents }: Position, line: string, entry: Entry, number: number): Position {
  const rest = {
    ...(parents && { parents }),
    ...(wholeFrom !== undefined && wholeFrom > number && { wholeFrom }),
  }
  if (entry.kind === 'owner') {
    if (entry.epoch !== epoch + 1) throw new Diverged(`epoch ${entry.epoch} came after ${epoch}`)
    return { line, epoch: entry.epoch, holder: entry.holder, number, ...rest }
  }
  if (entry.epoch !== epoch || entry.holder !== holder) {
    throw new Diverged(`a commit of epoch ${entry.epoch} came in epoch ${epoch}`)
  }
  return { line, epoch, holder, number, ...rest }
}

/** This node's copy of a shard: the entries of the log, as far as they are applied, in the node's own store. */
import type { Change, Space } from '../../store/contract.js'
import { table } from '../../store/contract.js'
import { createAssembler, type Entry, isReseed, lineageIdOf } from './entry.js'

export interface Ancestor {
  readonly lineageId: string
  readonly before: number
}

export interface Position {
  /** Empty before the first entry. */
  readonly lineageId: string
  readonly epoch: number
  readonly owner: string
  /** The last entry applied. */
  readonly number: number
  /** The lineages from which this one was reseeded, each with the number of the reseeding entry that ended it. */
  readonly ancestors?: readonly Ancestor[]
  /**
   * The copy was loaded from a snapshot that was taken while commits went on: it is complete only from this entry on.
   */
  readonly completeFrom?: number
  /** A snapshot is being loaded: the rows are neither the old state nor the new one. */
  readonly loading?: true
}

const positionTable = table<[], Position>('shard.copy')
const emptyPosition: Position = { lineageId: '', epoch: 0, owner: '', number: 0 }

/**
 * Whether a copy at that position has all of a log that ends there, and more: the servers have lost the rest, possibly
 * including the reseeding entry of the copy's lineage. A log that continued without that entry is another history.
 */
export function isAheadOf(
  { lineageId, number, ancestors = [] }: Pick<Position, 'lineageId' | 'number' | 'ancestors'>,
  log: LogEnd,
): boolean {
  const isOfAncestor = ancestors.some((ancestor) => ancestor.lineageId === log.lineageId && log.last < ancestor.before)
  return number > log.last && (lineageId === log.lineageId || isOfAncestor)
}

/** Lineages that are remembered; each was ended by a loss of the servers' disks. */
const ancestorsKept = 16

/**
 * The ancestors of a lineage that begins at `number`: the log's lineage, the copy's lineage, and the copy's own
 * ancestors.
 */
export function ancestorsOf(
  { lineageId, ancestors = [] }: Position,
  logLineageId: string | undefined,
  number: number,
): readonly Ancestor[] {
  const endedLineages = [...new Set([logLineageId, lineageId])].filter((each): each is string => Boolean(each))
  return [...endedLineages.map((each) => ({ lineageId: each, before: number })), ...ancestors].slice(0, ancestorsKept)
}

/** The end of a log, and the lineage of its last message. */
export interface LogEnd {
  readonly lineageId: string
  readonly last: number
}

/** The log does not continue from this copy: the copy must be rebuilt from a snapshot. */
export class Diverged extends Error {
  override readonly name = 'Diverged'
}

export interface Copy {
  /** The position that readers see. */
  position(): Position
  /** The last message received, which may be the beginning of an entry that was never finished. */
  readTo(): number
  /** Whether the shard can be served from the copy once all entries of the log are applied. */
  isComplete(): boolean
  /** Whether the copy has no rows at all, not even from before the log began. */
  isEmpty(): boolean
  /**
   * Begins to receive: returns the number after which the log must continue. Drops received entries that are not
   * written.
   */
  startReading(): number
  /**
   * Receives the next message of the log. Resolves when another may come. Throws Diverged, or the error that prevents
   * writing.
   */
  receive(message: Uint8Array, number: number): Promise<void>
  /** Resolves when readers see all received entries; rejects when they cannot be written. */
  flush(): Promise<void>
  /** Applies an entry that this node appended. Resolves when readers see it. */
  apply(lineageId: string, entry: Entry, number: number): Promise<void>
  /** Begins a lineage on the rows of this copy. Resolves when readers see it. */
  reseed(head: Position): Promise<void>
  /** Removes all rows, as if no entry had ever been applied. */
  reset(): Promise<void>
  /** Removes all rows, writes the given ones as they come, and ends at the position that `rows` returns. */
  load(rows: AsyncGenerator<readonly Change[], Position>): Promise<void>
}

/** Rows removed at a time, and changes that may wait while others are being written. */
const rowsAtOnce = 500
const pendingChangesMax = 2_000

export function createCopy(space: Space): Copy {
  let position = space.get(positionTable, []) ?? emptyPosition
  let received = position
  let readTo = position.number
  let pendingChanges: Change[] = []
  let writeInProgress: Promise<void> | undefined
  let failure: unknown
  let assembler = createAssembler()
  const positionKey = positionChange(emptyPosition).key

  function positionChange(value: Position): Change {
    return space.encode([{ table: positionTable as never, key: [], value }])[0]!
  }

  function isPositionRow({ key }: Change): boolean {
    return Buffer.compare(key, positionKey) === 0
  }

  async function write(changes: readonly Change[], next: Position): Promise<void> {
    await space.commit([...changes, positionChange(next)])
    position = next
    received = next
    readTo = next.number
  }

  /** Writes the waiting changes until none are left: all that wait share one commit. */
  async function writePending(): Promise<void> {
    try {
      while (received !== position) {
        const [changes, next] = [pendingChanges, received]
        pendingChanges = []
        await space.commit([...changes, positionChange(next)])
        position = next
      }
    } catch (error) {
      failure = error
      throw error
    } finally {
      writeInProgress = undefined
    }
  }

  async function clear(): Promise<void> {
    await writeInProgress?.catch(() => {})
    await write([], { ...emptyPosition, loading: true })
    for (;;) {
      const rows = space.rows(undefined, rowsAtOnce).filter((row) => !isPositionRow(row))
      if (rows.length === 0) return
      const removals = rows.map(({ key }) => ({ key, value: undefined }))
      await write(removals, { ...emptyPosition, loading: true })
    }
  }

  return {
    position: () => position,
    readTo: () => readTo,
    isComplete: () => !position.loading && (position.completeFrom ?? 0) <= position.number,
    isEmpty: () => space.rows(undefined, 2).every(isPositionRow),
    startReading() {
      assembler = createAssembler()
      pendingChanges = []
      failure = undefined
      received = position
      readTo = position.number
      return readTo
    },
    async receive(message, number) {
      if (failure) throw failure
      const lineageId = lineageIdOf(message)
      const isOtherLineage = received.number > 0 && lineageId !== received.lineageId
      if (isOtherLineage || isReseed(message)) throw new Diverged('the log goes on from a snapshot')
      const entry = assembler.add(message)
      readTo = number
      if (!entry) return
      received = nextPosition(received, lineageId, entry, number)
      pendingChanges.push(...changesOf(entry))
      writeInProgress ??= writePending()
      if (pendingChanges.length >= pendingChangesMax) await writeInProgress
      else writeInProgress.catch(() => {})
    },
    async flush() {
      await writeInProgress
      if (failure) throw failure
    },
    apply: (lineageId, entry, number) => write(changesOf(entry), nextPosition(position, lineageId, entry, number)),
    reseed: (head) => write([], head),
    async reset() {
      await clear()
      await write([], emptyPosition)
    },
    async load(rows) {
      await clear()
      for (;;) {
        const { done, value } = await rows.next()
        if (done) return write([], value)
        const others = value.filter((row) => !isPositionRow(row))
        await write(others, { ...emptyPosition, loading: true })
      }
    },
  }
}

function changesOf(entry: Entry): readonly Change[] {
  return entry.kind === 'commit' ? entry.changes : []
}

/** The position after an entry. Epochs are consecutive, and a commit must belong to the current one. */
function nextPosition(
  { epoch, owner, completeFrom, ancestors }: Position,
  lineageId: string,
  entry: Entry,
  number: number,
): Position {
  const rest = {
    ...(ancestors && { ancestors }),
    ...(completeFrom !== undefined && completeFrom > number && { completeFrom }),
  }
  if (entry.kind === 'owner') {
    if (entry.epoch !== epoch + 1) throw new Diverged(`epoch ${entry.epoch} came after ${epoch}`)
    return { lineageId, epoch: entry.epoch, owner: entry.owner, number, ...rest }
  }
  if (entry.epoch !== epoch || entry.owner !== owner) {
    throw new Diverged(`a commit of epoch ${entry.epoch} came in epoch ${epoch}`)
  }
  return { lineageId, epoch, owner, number, ...rest }
}

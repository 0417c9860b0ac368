/**
 * The format of a snapshot: a head, rows, an end. Rows are read while commits go on, so they belong to several moments.
 * Entries of the log hold whole records, so applying all of them from the head's position on makes the copy complete.
 * The end says from which entry on it is.
 */

import { decodePlain, encodePlain } from '../../store/codec.js'
import type { Change, Space } from '../../store/contract.js'
import type { ClusterLimits } from '../limits.js'
import type { Position } from './copy.js'

/** Snapshots of another version are refused (decision 073). */
const snapshotVersion = 3
const lengthBytes = 4

interface Head {
  readonly version: number
  readonly position: Position
}

export interface SnapshotSource {
  readonly space: Space
  readonly head: Position
  readonly position: () => Position
  /** Awaited between parts: it yields to other work, and throws when the snapshot is no longer needed. */
  readonly pace: () => Promise<void>
  readonly limits: Pick<ClusterLimits, 'rowsPerSnapshotPart'>
}

export async function* writeSnapshot({ space, head, position, pace, limits }: SnapshotSource): AsyncGenerator<Buffer> {
  yield frame({ version: snapshotVersion, position: head } satisfies Head)
  let after: Buffer | undefined
  for (;;) {
    await pace()
    const rows: Change[] = space.rows(after, limits.rowsPerSnapshotPart)
    if (rows.length > 0) yield frame({ rows: rows.flatMap(({ key, value }) => [key, value!]) })
    if (rows.length < limits.rowsPerSnapshotPart) break
    after = rows.at(-1)!.key
  }
  yield frame({ end: position().number })
}

/** Yields the rows and returns the position after them. Throws when the snapshot is cut short. */
export async function* readSnapshot(parts: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Change[], Position> {
  let head: Head | undefined
  let end: number | undefined
  for await (const part of frames(parts)) {
    if (!head) head = part as unknown as Head
    else if (part.rows) yield changesFrom(part.rows)
    else end = part.end
    if (head.version !== snapshotVersion) {
      const writer = head.version > snapshotVersion ? 'a newer' : 'an earlier'
      throw new Error(
        `a snapshot of version ${head.version} was written by ${writer} Parley; this one reads ${snapshotVersion}`,
      )
    }
  }
  if (!head || end === undefined) throw new Error('a snapshot is cut short')
  return { ...head.position, completeFrom: end }
}

interface Part {
  /** Keys and values alternate. */
  readonly rows?: Buffer[]
  readonly end?: number
}

function changesFrom(rows: readonly Buffer[]): Change[] {
  return Array.from({ length: rows.length / 2 }, (_, at) => ({ key: rows[at * 2]!, value: rows[at * 2 + 1]! }))
}

function frame(content: unknown): Buffer {
  const body = encodePlain(content)
  const length = Buffer.allocUnsafe(lengthBytes)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

async function* frames(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Part> {
  let buffered: Buffer = Buffer.alloc(0)
  for await (const part of parts) {
    buffered = buffered.length === 0 ? Buffer.from(part) : Buffer.concat([buffered, part])
    while (buffered.length >= lengthBytes) {
      const size = lengthBytes + buffered.readUInt32BE(0)
      if (buffered.length < size) break
      yield decodePlain(buffered.subarray(lengthBytes, size)) as Part
      buffered = buffered.subarray(size)
    }
  }
  if (buffered.length > 0) throw new Error('a snapshot is cut short')
}

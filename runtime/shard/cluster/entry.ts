/**
 * Entries of the log of a shard: commits, and changes of owner. An entry too large for one message is cut into several,
 * and only the last of them makes it valid. Every message names its lineage, so that the end of a log tells its
 * lineage.
 */
import type { Change } from '../../store/contract.js'

/**
 * A lineage is one history of a shard. A new one begins when the log was empty, or when the log had lost entries that a
 * node still has and that node reseeded it from its own copy. A commit is valid only in the epoch of its writer, so
 * every reader detects a missed change of owner.
 */
export type Entry = OwnerEntry | CommitEntry

export interface OwnerEntry {
  readonly kind: 'owner'
  readonly epoch: number
  /** The writer from here on; empty when the owner has released the shard. */
  readonly owner: string
  /** A lineage begins here, and its state is the snapshot of this epoch and lineage. */
  readonly reseeded?: true
}

export interface CommitEntry {
  readonly kind: 'commit'
  readonly epoch: number
  readonly owner: string
  readonly changes: readonly Change[]
}

/** Entries of another version are refused (decision 073). */
const entryVersion = 3
const firstFlag = 1
const lastFlag = 2
const reseedFlag = 4
/** Flags, then the lineage as eight bytes. */
const headBytes = 9
const lineageHexChars = 16
/** Of an entry before it is cut: version, kind, epoch and the length of the owner's name, which follows. */
const bodyHeadBytes = 9
const kinds = ['owner', 'commit'] as const
/** Before each change: the length of its key, and that of its value or `absentValue`. */
const lengthsBytes = 6
const absentValue = 0xffff_ffff

export function newLineageId(random: (bytes: number) => Uint8Array): string {
  return Buffer.from(random(lineageHexChars / 2)).toString('hex')
}

export function encodeEntry(lineageId: string, entry: Entry, messageBytes: number): Buffer[] {
  const owner = Buffer.from(entry.owner)
  const first = Buffer.allocUnsafe(headBytes + bodyBytes(entry, owner.length))
  writeBody(entry, owner, first.subarray(headBytes))
  const reseed = entry.kind === 'owner' && entry.reseeded ? reseedFlag : 0
  const size = messageBytes - headBytes
  const count = Math.max(1, Math.ceil((first.length - headBytes) / size))
  return Array.from({ length: count }, (_, at) => {
    const message = count === 1 ? first : Buffer.from(first.subarray(at * size, (at + 1) * size + headBytes))
    message[0] = (at === 0 ? firstFlag : 0) | (at === count - 1 ? lastFlag : 0) | reseed
    message.write(lineageId, 1, 'hex')
    return message
  })
}

function bodyBytes(entry: Entry, ownerBytes: number): number {
  let size = bodyHeadBytes + ownerBytes
  if (entry.kind === 'owner') return size
  for (const { key, value } of entry.changes) size += lengthsBytes + key.length + (value?.length ?? 0)
  return size
}

function writeBody(entry: Entry, owner: Buffer, body: Buffer): void {
  body[0] = entryVersion
  body[1] = kinds.indexOf(entry.kind)
  body.writeUIntBE(entry.epoch, 2, 6)
  body[8] = owner.length
  body.set(owner, bodyHeadBytes)
  if (entry.kind === 'owner') return
  let at = bodyHeadBytes + owner.length
  for (const { key, value } of entry.changes) {
    body.writeUInt16BE(key.length, at)
    body.writeUInt32BE(value ? value.length : absentValue, at + 2)
    body.set(key, at + lengthsBytes)
    at += lengthsBytes + key.length
    if (!value) continue
    body.set(value, at)
    at += value.length
  }
}

export function lineageIdOf(message: Uint8Array): string {
  return Buffer.from(message.subarray(1, headBytes)).toString('hex')
}

/** Whether a lineage begins here whose state is in a snapshot. */
export function isReseed(message: Uint8Array): boolean {
  return (message[0]! & reseedFlag) !== 0
}

export interface Assembler {
  /** The entry that this message completes, if any. Drops an unfinished entry when the next one begins. */
  add(message: Uint8Array): Entry | undefined
}

export function createAssembler(): Assembler {
  let pieces: Uint8Array[] = []
  return {
    add(message) {
      if (message[0]! & firstFlag) pieces = []
      pieces.push(message.subarray(headBytes))
      if (!(message[0]! & lastFlag)) return undefined
      const isReseeded = isReseed(message)
      // Copied, because the values read from it outlive the message.
      const body = Buffer.concat(pieces)
      pieces = []
      return readBody(body, isReseeded)
    },
  }
}

function readBody(body: Buffer, isReseeded: boolean): Entry {
  const version = body[0]
  if (version !== entryVersion) {
    const writer = (version ?? 0) > entryVersion ? 'a newer' : 'an earlier'
    throw new Error(
      `the log holds entries of version ${version}, written by ${writer} Parley; this one reads ${entryVersion}`,
    )
  }
  const kind = kinds[body[1]!]
  const epoch = body.readUIntBE(2, 6)
  const after = bodyHeadBytes + body[8]!
  const owner = body.toString('utf8', bodyHeadBytes, after)
  if (kind === 'owner') return { kind, epoch, owner, ...(isReseeded && { reseeded: true }) }
  return { kind: 'commit', epoch, owner, changes: readChanges(body, after) }
}

function readChanges(body: Buffer, from: number): Change[] {
  const changes: Change[] = []
  for (let at = from; at < body.length; ) {
    const keyEnd = at + lengthsBytes + body.readUInt16BE(at)
    const valueBytes = body.readUInt32BE(at + 2)
    const end = valueBytes === absentValue ? keyEnd : keyEnd + valueBytes
    const value = valueBytes === absentValue ? undefined : body.subarray(keyEnd, end)
    changes.push({ key: body.subarray(at + lengthsBytes, keyEnd), value })
    at = end
  }
  return changes
}

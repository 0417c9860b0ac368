/**
 * What stands in the log of a shard: commits, and changes of owner. An entry too large for one message stands in several,
 * of which only the last makes it count. Every message names its line, so that the end of a log tells which one it is.
 */
import { decodePlain, encodePlain } from '../../store/codec.js'
import type { Change } from '../../store/contract.js'

/**
 * A line is one history of a shard. A new one begins when the log was empty, or had lost what a node still knows and that
 * node founded it anew on its own copy. A commit counts only in the epoch of its writer, so every reader can tell that it
 * has not missed a change of owner.
 */
export type Entry = OwnerEntry | CommitEntry

export interface OwnerEntry {
  readonly kind: 'owner'
  readonly epoch: number
  /** Who may write from here on; empty when the owner has let go. */
  readonly holder: string
  /** The line begins here, and its state is the snapshot that this epoch has on this line. */
  readonly founded?: true
}

export interface CommitEntry {
  readonly kind: 'commit'
  readonly epoch: number
  readonly holder: string
  readonly changes: readonly Change[]
}

const entryVersion = 1
const firstFlag = 1
const lastFlag = 2
const foundingFlag = 4
/** Flags, then the line as eight bytes. */
const headBytes = 9
const lineHexChars = 16

export function newLine(random: (bytes: number) => Uint8Array): string {
  return Buffer.from(random(lineHexChars / 2)).toString('hex')
}

export function messagesOf(line: string, entry: Entry, messageBytes: number): Buffer[] {
  const body = encodePlain(inArray(entry))
  const founding = entry.kind === 'owner' && entry.founded ? foundingFlag : 0
  const size = messageBytes - headBytes
  const count = Math.max(1, Math.ceil(body.length / size))
  return Array.from({ length: count }, (_, at) => {
    const piece = body.subarray(at * size, (at + 1) * size)
    const message = Buffer.allocUnsafe(headBytes + piece.length)
    message[0] = (at === 0 ? firstFlag : 0) | (at === count - 1 ? lastFlag : 0) | founding
    message.write(line, 1, 'hex')
    message.set(piece, headBytes)
    return message
  })
}

export function lineOf(message: Uint8Array): string {
  return Buffer.from(message.subarray(1, headBytes)).toString('hex')
}

/** Whether a line begins here whose state is in a snapshot. */
export function isFounding(message: Uint8Array): boolean {
  return (message[0]! & foundingFlag) !== 0
}

export interface Assembler {
  /** The entry that this message completes, if it does. What an owner left unfinished is dropped when the next begins. */
  add(message: Uint8Array): Entry | undefined
}

export function openAssembler(): Assembler {
  let pieces: Uint8Array[] = []
  return {
    add(message) {
      if (message[0]! & firstFlag) pieces = []
      pieces.push(message.subarray(headBytes))
      if (!(message[0]! & lastFlag)) return undefined
      const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
      pieces = []
      return fromArray(decodePlain(body) as never)
    },
  }
}

type Flat = [version: number, kind: string, epoch: number, holder: string, rest: unknown]

function inArray(entry: Entry): Flat {
  const { kind, epoch, holder } = entry
  if (kind === 'owner') return [entryVersion, kind, epoch, holder, entry.founded ?? null]
  return [entryVersion, kind, epoch, holder, entry.changes.flatMap(({ key, value }) => [key, value ?? null])]
}

function fromArray([version, kind, epoch, holder, rest]: Flat): Entry {
  if (version !== entryVersion)
    throw new Error(`the log holds entries of version ${version}, written by a newer Parley`)
  if (kind === 'owner') return { kind, epoch, holder, ...(rest === true && { founded: true }) }
  return { kind: 'commit', epoch, holder, changes: changesFrom(rest as (Buffer | null)[]) }
}

export function changesFrom(flat: readonly (Buffer | null)[]): Change[] {
  return Array.from({ length: flat.length / 2 }, (_, at) => ({
    key: flat[at * 2]!,
    value: flat[at * 2 + 1] ?? undefined,
  }))
}

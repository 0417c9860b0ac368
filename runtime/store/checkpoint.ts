/**
 * The last state that is known to be on the disk, while the data itself runs ahead of it. Its head is kept in a file
 * beside the data for as long as the data is written without waiting for the disk; where such a file is found, the data
 * was not closed, and after a power cut nothing newer than that state can be trusted.
 */
import { createHash } from 'node:crypto'
import { closeSync, constants, existsSync, fdatasyncSync, openSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { decodePlain, encodePlain } from './codec.js'
import { syncDirectory } from './directory.js'
import { putBackHead } from './head.js'

export const checkpointPath = (path: string) => `${path}-synced`
/** Two places are written in turn, so that one that was being written when the power failed leaves the other. */
const placeBytes = 4_096
const hashBytes = 16
const bootIdPath = '/proc/sys/kernel/random/boot_id'

interface Checkpoint {
  /** Counts up: of two the higher is newer. */
  readonly serial: number
  /** Names this run of the machine; while it is the same, the system still has everything that was ever written. */
  readonly boot: string
  readonly head: Uint8Array
}

export interface CheckpointFile {
  /** Resolves once it would survive a power cut. */
  write(boot: string, head: Uint8Array): Promise<void>
  /** Only once the data is whole on the disk. */
  remove(): Promise<void>
  close(): Promise<void>
}

/** What names this run of the machine; empty where the system does not tell. */
export function thisBoot(): string {
  try {
    return readFileSync(bootIdPath, 'latin1').trim()
  } catch {
    return ''
  }
}

/** Brings data that was not closed to a state that is whole and on the disk. Does nothing for any other. */
export function recoverData(path: string, boot: string): void {
  const beside = checkpointPath(path)
  if (!existsSync(beside)) return
  const last = readCheckpoint(beside)
  const data = openSync(path, 'r+')
  try {
    if (last && (boot === '' || last.boot !== boot)) putBackHead(data, Buffer.from(last.head))
    else fdatasyncSync(data)
  } finally {
    closeSync(data)
  }
  rmSync(beside)
  syncDirectory(dirname(path))
}

export async function openCheckpointFile(path: string): Promise<CheckpointFile> {
  const { O_RDWR, O_CREAT, O_DSYNC } = constants
  const beside = checkpointPath(path)
  const file = await open(beside, O_RDWR | O_CREAT | O_DSYNC, 0o600)
  syncDirectory(dirname(path))
  let serial = 0
  return {
    async write(boot, head) {
      serial++
      const bytes = sealed({ serial, boot, head })
      const { bytesWritten } = await file.write(bytes, 0, bytes.length, (serial % 2) * placeBytes)
      if (bytesWritten < bytes.length) throw new Error('the checkpoint was written in part only')
    },
    async remove() {
      await file.close()
      rmSync(beside)
      syncDirectory(dirname(path))
    },
    close: () => file.close(),
  }
}

function readCheckpoint(path: string): Checkpoint | undefined {
  const bytes = readFileSync(path)
  const whole = [0, placeBytes].map((at) => opened(bytes.subarray(at, at + placeBytes)))
  return whole.reduce((newest, one) => (!newest || (one && one.serial > newest.serial) ? one : newest))
}

/** A place that was written in part has another hash than it says. */
function sealed(checkpoint: Checkpoint): Buffer {
  const plain = encodePlain(checkpoint)
  const size = Buffer.alloc(2)
  size.writeUInt16BE(plain.length)
  return Buffer.concat([size, hashOf(plain), plain])
}

function opened(place: Buffer): Checkpoint | undefined {
  if (place.length < 2 + hashBytes) return undefined
  const plain = place.subarray(2 + hashBytes, 2 + hashBytes + place.readUInt16BE())
  return hashOf(plain).equals(place.subarray(2, 2 + hashBytes)) ? (decodePlain(plain) as Checkpoint) : undefined
}

function hashOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest().subarray(0, hashBytes)
}

/** Runs a program with writelog.c loaded into it, and reads the log that it leaves. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, truncateSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The source stays where it is when the tests are built. */
const source = resolve(import.meta.dirname, '../../../test/faults/writelog.c')

/** Made anew by the system's own compiler, since it is loaded into this machine's own programs. */
export function buildWritelog(home: string): string {
  const library = join(home, 'writelog.so')
  const { status, stderr, error } = spawnSync('cc', [
    '-shared',
    '-fPIC',
    '-O2',
    '-o',
    library,
    source,
    '-ldl',
    '-lpthread',
  ])
  if (status !== 0) throw new Error(`writelog.c cannot be compiled: ${error?.message ?? stderr}`)
  return library
}

export interface Life {
  readonly library: string
  /** Below it every change of a file is logged. */
  readonly folder: string
  readonly acks: string
  readonly log: string
  readonly program: string
  readonly args: readonly string[]
  /** After so many syncs the disk fails. */
  readonly syncs?: number
}

/** One life of the program from start to end; rejects when it ended otherwise than by itself or its own SIGKILL. */
export async function runLife({ library, folder, acks, log, program, args, syncs }: Life): Promise<void> {
  const child = spawn(process.execPath, [program, folder, acks, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      LD_PRELOAD: library,
      WRITELOG_FOLDER: folder,
      WRITELOG_ACKS: acks,
      WRITELOG_LOG: log,
      ...(syncs !== undefined && { WRITELOG_SYNCS: String(syncs) }),
      // The library sees calls of the C library only.
      UV_USE_IO_URING: '0',
    },
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [code, signal] = await once(child, 'close')
  endWhole(log)
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`${program} ended with ${code ?? signal}: ${said}`)
}

export type Kind = 'S' | 'C' | 'W' | 'T' | 'B' | 'E' | 'P' | 'R' | 'U' | 'Y' | 'A' | 'X'

/** As writelog.c tells of each kind. */
export interface Entry {
  readonly kind: Kind
  readonly file: number
  readonly offset: number
  readonly bytes: Buffer
}

const headBytes = 24

export function readLog(path: string): Entry[] {
  return entriesOf(readFileSync(path)).entries
}

/** A process that ended in the middle of an entry had not yet been told that the call was done; the next life begins behind. */
export function endWhole(path: string): void {
  const log = readFileSync(path)
  const { wholeBytes } = entriesOf(log)
  if (wholeBytes < log.length) truncateSync(path, wholeBytes)
}

function entriesOf(log: Buffer): { entries: Entry[]; wholeBytes: number } {
  const entries: Entry[] = []
  let at = 0
  while (at + headBytes <= log.length) {
    const kind = String.fromCharCode(log.readUInt32LE(at)) as Kind
    const size = Number(log.readBigUInt64LE(at + 16))
    const bytes = log.subarray(at + headBytes, at + headBytes + size)
    if (bytes.length < size) break
    entries.push({ kind, file: log.readUInt32LE(at + 4), offset: Number(log.readBigUInt64LE(at + 8)), bytes })
    at += headBytes + size
  }
  return { entries, wholeBytes: at }
}

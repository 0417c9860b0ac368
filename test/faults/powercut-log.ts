/** Runs a program with writelog.c preloaded, and reads its log. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, truncateSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The source is not part of the build of the tests. */
const source = resolve(import.meta.dirname, '../../../test/faults/writelog.c')

/** Compiled on this machine, since it is loaded into this machine's programs. */
export function buildWritelog(workDir: string): string {
  const library = join(workDir, 'writelog.so')
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

export interface ProgramRun {
  readonly library: string
  /** The folder whose file changes are logged. */
  readonly folder: string
  readonly acks: string
  readonly log: string
  readonly program: string
  readonly args: readonly string[]
  /** The disk fails after this many syncs. */
  readonly syncs?: number
}

/** One life of the program; rejects when it ended other than by itself or its own SIGKILL. */
export async function runProgram({ library, folder, acks, log, program, args, syncs }: ProgramRun): Promise<void> {
  const child = spawn(process.execPath, [program, folder, acks, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      LD_PRELOAD: library,
      WRITELOG_FOLDER: folder,
      WRITELOG_ACKS: acks,
      WRITELOG_LOG: log,
      ...(syncs !== undefined && { WRITELOG_SYNCS: String(syncs) }),
      // The library intercepts calls of the C library alone.
      UV_USE_IO_URING: '0',
    },
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code, signal] = await once(child, 'close')
  endWhole(log)
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`${program} ended with ${code ?? signal}: ${output}`)
}

export type Kind = 'S' | 'C' | 'W' | 'T' | 'B' | 'E' | 'P' | 'R' | 'U' | 'Y' | 'A' | 'X'

/** The kinds of writelog.c. */
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

/** Cuts off an incomplete last entry: its call had not returned, and the next life appends behind whole entries. */
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

/**
 * Cuts the power of a process that acknowledges commits: a real run logs its writes, and the log is cut at random
 * places and replayed as a disk might have stored it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { CheckRequest } from './powercut-check.js'
import { type Disk, type Draw, emptyDisk } from './powercut-disk.js'
import { buildWritelog, type Entry, readLog, runProgram } from './powercut-log.js'
import { type Ack, commitsPerRun } from './powercut-work.js'

/** The subjects that must survive every cut, and the promises of each. */
export const promises = {
  store: 'The store keeps what it acknowledged, whole, when the power fails at any moment',
  'store with write-behind': 'A store with write-behind keeps whole commits, and all of them once it was closed',
  engine: 'The engine keeps what it answered and performs what it owes when the power fails at any moment',
} as const

export interface PowerCuts {
  readonly cuts: number
  /** The same seed cuts the same log in the same places; random when absent. */
  readonly seed?: number
  /** The log of an earlier run to cut again; absent, the program is run. */
  readonly log?: string
  /** Where to store the log of a failing run. */
  readonly logFolder?: string
  readonly report?: (line: string) => void
  /** One of `promises`, or a subject that is known to fail; the store when absent. */
  readonly subject?: string
  /** Whether syncs begin to fail in the first life. */
  readonly badDisk?: boolean
}

export interface PowerCutsDone {
  readonly seed: number
  readonly cuts: number
  /** Acknowledgements in the whole log. */
  readonly acks: number
  /** Images with unsynced blocks whose fate was drawn. */
  readonly atStake: number
  /** Lives that ended because the disk failed. */
  readonly failures: number
  /** One for each image that broke a promise. */
  readonly problems: readonly string[]
}

/** More than the creation of the data takes. */
const fewestSyncs = 15
const moreSyncs = 15

const program = fileURLToPath(new URL('./powercut-child.js', import.meta.url))
const checker = fileURLToPath(new URL('./powercut-check.js', import.meta.url))

export async function powerCuts(options: PowerCuts): Promise<PowerCutsDone> {
  const { cuts, subject = 'store', report = () => undefined } = options
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 32)
  const workDir = mkdtempSync(join(tmpdir(), 'parley-powercut-'))
  const checkProcess = openChecker()
  const problems: string[] = []
  let atStake = 0
  report(`cutting the power from the ${subject} ${cuts} times, seed ${seed}`)
  try {
    const draw = drawFrom(seed)
    const syncs = options.badDisk ? fewestSyncs + draw(moreSyncs) : undefined
    const path = options.log ?? (await runTwice(workDir, subject, syncs))
    const log = readLog(path)
    const disk = emptyDisk()
    let at = 0
    for (const offset of cutOffsets(log, cuts, draw)) {
      while (at < offset) disk.follow(log[at++]!)
      if (disk.unsynced() > 0) atStake++
      const dir = writeImage(workDir, disk, draw)
      const problem = await checkProcess.check({ subject, dir, acks: acksOf(disk) })
      if (problem) problems.push(`cut at entry ${offset} of ${log.length}: ${problem}`)
      if (problem) report(problems.at(-1)!)
      rmSync(dir, { recursive: true })
    }
    while (at < log.length) disk.follow(log[at++]!)
    if (problems.length > 0 && options.logFolder) report(`the log is kept in ${saveLog(path, options.logFolder, seed)}`)
    const acks = acksOf(disk)
    const failures = acks.filter((ack) => ack.did === 'failed').length
    return { seed, cuts, acks: acks.length, atStake, failures, problems }
  } finally {
    await checkProcess.close()
    rmSync(workDir, { recursive: true, force: true })
  }
}

/** The first life ends like a killed process, the second in order; so data is created, opened again and closed. */
async function runTwice(workDir: string, subject: string, syncs?: number): Promise<string> {
  const library = buildWritelog(workDir)
  const folder = join(workDir, 'data')
  const [acks, log] = [join(workDir, 'acks'), join(workDir, 'log')]
  mkdirSync(folder)
  const programRun = { library, folder, acks, log, program }
  const commits = syncs === undefined ? commitsPerRun : Number.POSITIVE_INFINITY
  await runProgram({ ...programRun, args: [subject, 'killed', String(commits)], syncs })
  await runProgram({ ...programRun, args: [subject, 'closed', String(commitsPerRun)] })
  return log
}

function saveLog(path: string, folder: string, seed: number): string {
  const saved = join(folder, `powercut-${seed}.log`)
  mkdirSync(folder, { recursive: true })
  copyFileSync(path, saved)
  return saved
}

/** Spread over the whole log, with a share before the first acknowledgement, while the data is being created. */
function cutOffsets(log: readonly Entry[], cuts: number, draw: Draw): number[] {
  const firstAck = log.findIndex((entry) => entry.kind === 'A')
  const early = Math.ceil(cuts / 10)
  const offsets = Array.from({ length: cuts }, (_, n) => {
    if (n < early) return 1 + draw(firstAck)
    const step = log.length / (cuts - early)
    return 1 + Math.min(log.length - 1, Math.floor(step * (n - early)) + draw(Math.ceil(step)))
  })
  return offsets.sort((a, b) => a - b)
}

function writeImage(workDir: string, disk: Disk, draw: Draw): string {
  const dir = mkdtempSync(join(workDir, 'found-'))
  for (const [path, content] of disk.image(draw)) writeFileSync(join(dir, basename(path)), content)
  return dir
}

function acksOf(disk: Disk): Ack[] {
  return disk.acks().map((line) => JSON.parse(line) as Ack)
}

/** mulberry32: small, and the same on every machine. */
function drawFrom(seed: number): Draw {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** Checks images in another process, and in a new one when an image ended it. */
function openChecker() {
  let judging: { child: ChildProcess; answers: AsyncIterator<string> } | undefined

  function start() {
    const child = spawn(process.execPath, [checker], { stdio: ['pipe', 'pipe', 'inherit'] })
    return { child, answers: createInterface({ input: child.stdout! })[Symbol.asyncIterator]() }
  }

  return {
    async check(request: CheckRequest): Promise<string | null> {
      judging ??= start()
      const { child, answers } = judging
      child.stdin!.write(`${JSON.stringify(request)}\n`)
      const answer = await answers.next()
      if (!answer.done) return JSON.parse(answer.value)
      judging = undefined
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      return `the process that opened it ended with ${child.signalCode ?? child.exitCode}`
    },
    async close() {
      const child = judging?.child
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      child.stdin!.end()
      await once(child, 'exit')
    },
  }
}

/**
 * Runs built test files, each in a Node of its own and several at a time, and counts what they assert. A tap file
 * prints
 * its own results, so tap's command, whose loaders cost each file a second or more, is not needed.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { Base } from 'tap'
import type { Failure, FileReport, Title } from './report.js'

export interface RunOptions {
  readonly cwd: string
  readonly jobs: number
  /** How long a file may say nothing. One on a slow machine says little but goes on; one that hangs is silent. */
  readonly silentSeconds: number
  /** Told of each file as it ends. */
  ended(report: FileReport): void
}

/** A file that is told its time is up shows what still ran; past this it is taken to be unable to. */
const graceMs = 3_000
/** How long the output of a file that has ended may stay open by something it left behind. */
const lingerMs = 2_000
const maxStrayChars = 16_000

/**
 * Flags of `npm start`, and tap as quick as it can be. Places in stack traces are told as those of the sources
 * afterwards.
 */
const unhooked = new URL('./unhooked.js', import.meta.url).href
const nodeArgs = ['--disable-proto=delete', '--import', unhooked]

const running = new Set<ChildProcess>()

// Importing tap starts a test of this process, which has none and must not time out.
t.setTimeout(0)

/** Each job takes the next file that is left; runs that share an iterator share its files. */
export async function runFiles(files: Iterable<string>, options: RunOptions): Promise<void> {
  const remaining = files[Symbol.iterator]()
  const job = async () => {
    for (let next = remaining.next(); !next.done; next = remaining.next())
      options.ended(await runFile(next.value, options))
  }
  await Promise.all(Array.from({ length: options.jobs }, job))
}

/** Ends every file that runs, with all that it started. */
export function endAll(): void {
  for (const child of running) endGroup(child)
}

async function runFile(file: string, { cwd, silentSeconds }: RunOptions): Promise<FileReport> {
  const startedMs = performance.now()
  const results = new Base({ name: file })
  results.resume()
  const titles: Title[] = []
  follow(results.parser, titles, 0)
  let stray = ''
  const collectStray = (text: string | Buffer) => {
    stray = `${stray}${text}`.slice(-maxStrayChars)
  }
  results.parser.on('extra', collectStray)

  // A group of its own, so that servers and browsers it started can be ended with it.
  const args = [...nodeArgs, file]
  const child = spawn(process.execPath, args, { cwd, env: env(), stdio: 'pipe', detached: true })
  child.stdin.end()
  child.stdout.pipe(results.parser)
  child.stderr.on('data', collectStray)
  const ending = await endOf(child, silentSeconds)
  child.stdout.unpipe()
  results.parser.end()

  const { pass, fail, skip, todo } = results.counts
  const report: FileReport = {
    file,
    passed: pass,
    failed: fail,
    skipped: skip + todo,
    failures: results.lists.fail.map(({ fullname, diag }) => ({ title: fullname.slice(file.length + 3), diag })),
    titles,
    stray,
    seconds: (performance.now() - startedMs) / 1000,
  }
  const crash = crashOf(ending, results)
  return crash === undefined ? report : withCrash(report, crash)
}

/** An exit code, or in words what else ended it. */
type Ending = number | string

/** Waits until a file has ended and its output is read, and ends what it left running. */
async function endOf(child: ChildProcessWithoutNullStreams, silentSeconds: number): Promise<Ending> {
  running.add(child)
  let hung = false
  const giveUp = () => {
    hung = true
    child.kill('SIGALRM')
    setTimeout(() => endGroup(child), graceMs).unref()
  }
  const silence = setTimeout(giveUp, silentSeconds * 1000)
  const resetSilence = () => {
    if (!hung) silence.refresh()
  }
  child.stdout.on('data', resetSilence)
  child.stderr.on('data', resetSilence)
  const closed = once(child, 'close')
  const [code, signal] = await once(child, 'exit')
  clearTimeout(silence)
  endGroup(child)
  await Promise.race([closed, sleep(lingerMs, undefined, { ref: false })])
  running.delete(child)
  if (hung) return `said nothing for ${silentSeconds} seconds`
  return code ?? `was ended by ${signal}`
}

/** Notes the title of each test when it starts, so that they stand in the order and the depth of the file. */
function follow(parser: Base['parser'], titles: Title[], depth: number): void {
  parser.on('child', (child: Base['parser']) => {
    const title: Title = { name: child.name, depth, ok: false }
    titles.push(title)
    child.on('complete', ({ ok }) => {
      title.ok = ok
    })
    follow(child, titles, depth + 1)
  })
}

/** What is wrong with the way a file ended. Code 1 is right for one with failed assertions. */
function crashOf(ending: Ending, { counts, results }: Base): string | undefined {
  if (typeof ending === 'string') return ending
  if (ending !== (counts.fail > 0 ? 1 : 0)) return `ended with code ${ending}`
  if (counts.total === 0) return 'asserted nothing'
  if (counts.fail === 0 && results?.ok === false) return 'ended before its tests did'
  return undefined
}

function withCrash(report: FileReport, crash: string): FileReport {
  const failure: Failure = { title: `The file ${crash}`, diag: undefined }
  return { ...report, failed: Math.max(1, report.failed), failures: [...report.failures, failure] }
}

/** Only the machine's environment: what tunes Node, tap or Parley itself would make one run unlike another. */
function env(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(NODE_(OPTIONS|PATH|V8_COVERAGE)|TAP.*|PARLEY_.*)$/.test(name),
  )
  return { ...Object.fromEntries(inherited), NODE_ENV: 'test', TAP: '1', TAP_TIMEOUT: '0' }
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Nobody is left in it.
  }
}

/**
 * Runs built test files, each in a Node of its own and several at a time, and counts what they assert. A tap file prints
 * its own results, so tap's command, whose loaders cost each file a second or more, is not needed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Base } from 'tap'
import { type Failure, type FileReport, isFailed, type Title } from './report.js'

export interface RunOptions {
  readonly cwd: string
  readonly jobs: number
  readonly timeoutSeconds: number
  /** Told of each file as it ends. */
  ended(report: FileReport): void
}

/** A file shows its own timeout and what still ran; past this it is taken to be unable to. */
const graceMs = 10_000
/** How long the output of a file that has ended may stay open by something it left behind. */
const lingerMs = 2_000
const keptChars = 16_000

/** Flags of `npm start`, and stack traces that name the source. */
const nodeArgs = ['--disable-proto=delete', '--enable-source-maps']

const running = new Set<ChildProcess>()

export async function runFiles(files: readonly string[], options: RunOptions): Promise<void> {
  const waiting = [...files]
  const job = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      options.ended(await runFile(file, options))
    }
  }
  await Promise.all(Array.from({ length: options.jobs }, job))
}

/** Ends every file that runs, with all that it started. */
export function endAll(): void {
  for (const child of running) endGroup(child)
}

async function runFile(file: string, { cwd, timeoutSeconds }: RunOptions): Promise<FileReport> {
  const startedMs = performance.now()
  const results = new Base({ name: file })
  results.resume()
  const titles: Title[] = []
  follow(results.parser, titles, 0)

  // A group of its own, so that servers and browsers it started can be ended with it.
  const args = [...nodeArgs, file]
  const child = spawn(process.execPath, args, { cwd, env: envOf(timeoutSeconds), stdio: 'pipe', detached: true })
  running.add(child)
  child.stdin.end()
  child.stdout.pipe(results.parser)
  let stray = ''
  const keep = (text: string | Buffer) => {
    stray = `${stray}${text}`.slice(-keptChars)
  }
  child.stderr.on('data', keep)
  results.parser.on('extra', keep)
  let hung = false
  const timer = setTimeout(
    () => {
      hung = true
      endGroup(child)
    },
    timeoutSeconds * 1000 + graceMs,
  )
  const closed = once(child, 'close')
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  clearTimeout(timer)
  endGroup(child)
  await Promise.race([closed, sleep(lingerMs, undefined, { ref: false })])
  running.delete(child)
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
  const crash = hung ? `did not end within ${timeoutSeconds} seconds` : crashOf(code, signal, results)
  return isFailed(report) || crash === undefined ? report : withCrash(report, crash)
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

/** Why a file failed that no assertion of its own says so of. */
function crashOf(code: number | null, signal: NodeJS.Signals | null, results: Base): string | undefined {
  if (signal !== null) return `was ended by ${signal}`
  if (code !== 0) return `ended with code ${code}`
  if (results.counts.total === 0) return 'asserted nothing'
  if (results.results?.ok === false) return 'ended before its tests did'
  return undefined
}

function withCrash(report: FileReport, crash: string): FileReport {
  const failure: Failure = { title: `The file ${crash}`, diag: undefined }
  return { ...report, failed: report.failed + 1, failures: [...report.failures, failure] }
}

/** Only the machine's environment: what tunes Node, tap or Parley itself would make one run unlike another. */
function envOf(timeoutSeconds: number): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(NODE_(OPTIONS|PATH|V8_COVERAGE)|TAP.*|PARLEY_.*)$/.test(name),
  )
  return { ...Object.fromEntries(kept), NODE_ENV: 'test', TAP: '1', TAP_TIMEOUT: String(timeoutSeconds) }
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Nobody is left in it.
  }
}

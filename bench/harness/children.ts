/** Starts the bench's processes and makes sure that none outlives it. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const running = new Set<ChildProcess>()

/** Leads a group of its own, so that whatever it starts can be ended with it. */
export function startChild(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(command, args, { ...options, detached: true })
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.once('error', () => running.delete(child))
  return child
}

/** The compiled file of a program, named as in `scenarios/`. */
export function programFile(program: string): string {
  return fileURLToPath(new URL(`../scenarios/${program}.js`, import.meta.url))
}

/** Resolves with the exit code; a process that has not ended in time is killed. */
export async function waitForExit(child: ChildProcess, withinMs: number): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const timer = setTimeout(() => killChild(child), withinMs)
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  return code
}

/** Runs a command to its end and returns what it wrote; a failing one is an error carrying its own words. */
export async function outputOf(child: ChildProcess, withinMs: number): Promise<string> {
  const output = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.err += text
  })
  const code = await waitForExit(child, withinMs)
  if (code !== 0) throw new Error(`${child.spawnargs.slice(0, 2).join(' ')} ended with ${code}: ${output.err.trim()}`)
  return output.out
}

/** Ends it at once, and all that it started. */
export function killChild(child: ChildProcess): void {
  signalChild(child, 'SIGKILL')
}

/** To it and to all that it started. */
export function signalChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // It is gone already.
  }
}

export function killChildren(): void {
  for (const child of running) killChild(child)
}

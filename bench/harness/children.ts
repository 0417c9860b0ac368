/** Child processes of the bench: start, wait, signal; none outlives the bench. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const running = new Set<ChildProcess>()

/** Starts the process as leader of its own group, so that a signal reaches its children too. */
export function startChild(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(command, args, { ...options, detached: true })
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.once('error', () => running.delete(child))
  return child
}

/** Path of a program's compiled file; the name is relative to `scenarios/`. */
export function programFile(program: string): string {
  return fileURLToPath(new URL(`../scenarios/${program}.js`, import.meta.url))
}

/** Resolves with the exit code; kills a process that does not end in time. */
export async function waitForExit(child: ChildProcess, withinMs: number): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const timer = setTimeout(() => killChild(child), withinMs)
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  return code
}

/** Runs a command to its end and returns its output; a failing command rejects with its own stderr. */
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

/** Kills the process and its group at once. */
export function killChild(child: ChildProcess): void {
  signalChild(child, 'SIGKILL')
}

/** Signals the process and its group. */
export function signalChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The process has already ended.
  }
}

export function killChildren(): void {
  for (const child of running) killChild(child)
}

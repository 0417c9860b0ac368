/** Suspends a process, like a machine that stops for a while. */
import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Resolves once no thread of the process runs: the signal alone leaves some running a while, longer on a busy machine.
 */
export async function suspendProcess(child: ChildProcess | undefined): Promise<void> {
  if (!child?.pid) return
  child.kill('SIGSTOP')
  while (child.exitCode === null && child.signalCode === null && threadStates(child.pid).some((state) => state !== 'T'))
    await sleep(1)
}

/** One state letter per thread; empty where the system does not report them, or when the process has ended. */
function threadStates(pid: number): string[] {
  const threads = `/proc/${pid}/task`
  try {
    return readdirSync(threads).map((thread) => parseState(readFileSync(`${threads}/${thread}/stat`, 'latin1')))
  } catch {
    return []
  }
}

/** The state follows the process name, which stands in brackets and may contain any character. */
function parseState(stat: string): string {
  return stat.charAt(stat.lastIndexOf(')') + 2)
}

/** Holds a process still, as a machine does that stops for a while. */
import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves once no thread of it runs any more: the signal alone leaves some of them a while, longer on a busy machine. */
export async function suspendProcess(child: ChildProcess | undefined): Promise<void> {
  if (!child?.pid) return
  child.kill('SIGSTOP')
  while (child.exitCode === null && child.signalCode === null && threadStates(child.pid).some((state) => state !== 'T'))
    await sleep(1)
}

/** A letter for each thread; none where the system does not tell, or when the process has gone. */
function threadStates(pid: number): string[] {
  const threads = `/proc/${pid}/task`
  try {
    return readdirSync(threads).map((thread) => parseState(readFileSync(`${threads}/${thread}/stat`, 'latin1')))
  } catch {
    return []
  }
}

/** The state follows the name, which stands in brackets and may hold anything. */
function parseState(stat: string): string {
  return stat.charAt(stat.lastIndexOf(')') + 2)
}

/** Processes that outlive the command: starts them, identifies them, and ends them. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { localCluster as limits } from '../../runtime/shard/limits.js'
import type { StartedProcess } from './state.js'

export interface Program {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The process appends its output to this file. */
  readonly logFile: string
}

/** Resolves once the process exists, ready or not. */
export async function startProcess({ name, command, args, env, logFile }: Program): Promise<StartedProcess> {
  const log = openSync(logFile, 'a', 0o600)
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', log, log], detached: true })
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  child.unref()
  const pid = child.pid!
  return { name, pid, identity: identityOf(pid) ?? '' }
}

export function isRunning({ pid, identity }: StartedProcess): boolean {
  return identity !== '' && identityOf(pid) === identity
}

/** Asks the process to end, and kills it when it does not. Leaves another process with the same pid alone. */
export async function endProcess(started: StartedProcess): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isRunning(started)) return
    process.kill(started.pid, signal)
    for (const deadline = Date.now() + limits.endMs; isRunning(started) && Date.now() < deadline; ) {
      await sleep(limits.pollEveryMs)
    }
  }
}

/** The start time of the process, which no later process with the same pid shares. Undefined when it has ended. */
function identityOf(pid: number): string | undefined {
  return existsSync('/proc/self/stat') ? linuxIdentity(pid) : otherIdentity(pid)
}

function linuxIdentity(pid: number): string | undefined {
  try {
    // The name in brackets may contain any character, so fields are counted after it: state is the first, start the
    // twentieth.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return fields[0] === 'Z' ? undefined : `${boot} ${fields[19]}`
  } catch {
    return undefined
  }
}

function otherIdentity(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}

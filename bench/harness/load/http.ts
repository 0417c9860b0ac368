/** The two kinds of load: the HTTP generator in a process of its own, and candidates that load themselves. */
import { programFile, startChild, waitForExit } from '../children.js'
import type { CandidateProcess } from '../process.js'
import type { Sample, Window } from '../sample.js'
import type { Load } from '../scenario.js'
import { type Job, linesOf } from './job.js'
import { watchMemory, withMemory } from './timeline.js'

/** How long a load may run beyond its window before the bench gives it up. */
export const graceMs = 15_000

export function jobOf(target: CandidateProcess, window: Window): Job {
  const { port, request } = target.ready
  if (port === undefined || request === undefined)
    throw new Error('the candidate does not say what it wants to be sent')
  return { port, request, window }
}

/**
 * Runs the HTTP load in a process of its own. Measuring begins after the bench has read the candidate's processor time,
 * however late the candidate answers.
 */
export async function loadBy(program: string, target: CandidateProcess, window: Window): Promise<Sample> {
  const job = jobOf(target, window)
  const child = startChild(process.execPath, [programFile(program)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const done = waitForExit(child, (window.warmSeconds + window.seconds) * 1000 + graceMs)
  const nextLine = linesOf(child.stdout!)
  const readLine = () => nextLine().catch(async () => Promise.reject(new Error(`the load ended with ${await done}`)))
  child.stdin!.on('error', () => undefined)
  child.stdin!.write(`${JSON.stringify(job)}\n`)
  await readLine()
  const before = await target.cpuMicros()
  child.stdin!.end('begin\n')
  const memory = watchMemory(target, window.seconds)
  const line = await readLine()
  const after = await target.cpuMicros()
  await done
  const sample: Sample = JSON.parse(line)
  return { ...sample, cpuMicros: after - before, timeline: withMemory(sample.timeline ?? [], memory.end()) }
}

export const httpLoad: Load = (target, window) => loadBy('../harness/load/main', target, window)

/** For a candidate whose own process does the work, such as a store. */
export const ownWork: Load = (target, window) => target.work(window)

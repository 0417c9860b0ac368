/** Loads of the bench's side: our own HTTP load in a process of its own, and candidates that load themselves. */
import { ended, programFile, startChild } from '../children.js'
import type { Sample, Window } from '../sample.js'
import type { Load } from '../scenario.js'
import type { Subject } from '../subject.js'
import { type Job, linesOf } from './job.js'
import { watchMemory, withMemory } from './timeline.js'

/** How long a load may take beyond its window before it is given up. */
export const graceMs = 15_000

export function jobOf(subject: Subject, window: Window): Job {
  const { port, request } = subject.ready
  if (port === undefined || request === undefined)
    throw new Error('the candidate does not say what it wants to be sent')
  return { port, request, window }
}

/** A load in a process of its own. Measuring begins once the candidate's processor time was read, however late it answers. */
export async function loadBy(program: string, subject: Subject, window: Window): Promise<Sample> {
  const job = jobOf(subject, window)
  const child = startChild(process.execPath, [programFile(program)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const done = ended(child, (window.warmSeconds + window.seconds) * 1000 + graceMs)
  const nextLine = linesOf(child.stdout!)
  const heard = () => nextLine().catch(async () => Promise.reject(new Error(`the load ended with ${await done}`)))
  child.stdin!.on('error', () => undefined)
  child.stdin!.write(`${JSON.stringify(job)}\n`)
  await heard()
  const before = await subject.cpuMicros()
  child.stdin!.end('begin\n')
  const memory = watchMemory(subject, window.seconds)
  const line = await heard()
  const after = await subject.cpuMicros()
  await done
  const sample: Sample = JSON.parse(line)
  return { ...sample, cpuMicros: after - before, timeline: withMemory(sample.timeline ?? [], memory.end()) }
}

export const httpLoad: Load = (subject, window) => loadBy('load/main', subject, window)

/** For a candidate whose process does the work itself, as a store's must. */
export const ownWork: Load = (subject, window) => subject.work(window)

/** Loads of the bench's side: our own HTTP load in a process of its own, and candidates that load themselves. */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { ended, programFile, startChild } from '../children.js'
import type { HttpRequest } from '../control.js'
import type { Load, Sample, Window } from '../scenario.js'
import type { Subject } from '../subject.js'
import { watchMemory, withMemory } from './timeline.js'

export interface Job {
  readonly port: number
  readonly request: HttpRequest
  readonly window: Window
}

/** How long a load may take beyond its window before it is given up. */
export const graceMs = 15_000

export function jobOf(subject: Subject, window: Window): Job {
  const { port, request } = subject.ready
  if (port === undefined || request === undefined)
    throw new Error('the candidate does not say what it wants to be sent')
  return { port, request, window }
}

/**
 * A load in a process of its own. The candidate's processor time is read when the load's first line says that measuring
 * begins, and at its end.
 */
export async function loadBy(program: string, subject: Subject, window: Window): Promise<Sample> {
  const job = jobOf(subject, window)
  const child = startChild(process.execPath, [programFile(program)], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin!.on('error', () => undefined)
  child.stdin!.end(JSON.stringify(job))
  const done = ended(child, (window.warmSeconds + window.seconds) * 1000 + graceMs)
  const lines = createInterface({ input: child.stdout! })
  const stopped = done.then((code) => {
    throw new Error(`the load ended with ${code}`)
  })
  stopped.catch(() => undefined)
  await Promise.race([once(lines, 'line'), stopped])
  const before = await subject.cpuMicros()
  const memory = watchMemory(subject, window.seconds)
  const [line] = await Promise.race([once(lines, 'line'), stopped])
  const after = await subject.cpuMicros()
  await done
  const sample: Sample = JSON.parse(line)
  return { ...sample, cpuMicros: after - before, timeline: withMemory(sample.timeline ?? [], memory.end()) }
}

export const httpLoad: Load = (subject, window) => loadBy('load/main', subject, window)

/** For a candidate whose process does the work itself, as a store's must. */
export const ownWork: Load = (subject, window) => subject.work(window)

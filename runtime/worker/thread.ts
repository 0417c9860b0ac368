/** The worker thread: runs one job at a time, and sends the next part of its result on request. */
import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { worker as limits } from '../../core/limits/index.js'
import type { FromThread, JobName, ToThread } from './contract.js'
import { jobs } from './jobs.js'

let parts: Iterator<unknown> | undefined

function step(message: ToThread): FromThread {
  const { id } = message
  try {
    if ('job' in message) parts = run(message.job, message.input)
    const { done, value } = parts!.next()
    return done ? { id, isDone: true } : { id, part: value }
  } catch (error) {
    return { id, failed: String((error as Error | undefined)?.message ?? error) }
  }
}

function run(job: JobName, input: unknown): Iterator<unknown> {
  const work = jobs[job] as (input: unknown) => Iterable<unknown>
  return work(input)[Symbol.iterator]()
}

/** With a lower priority the event loop gets most of a core that both need. Only Linux has priorities of threads. */
function lowerPriority(): void {
  try {
    const id = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(id, getPriority() + limits.niceness)
  } catch {
    // On other systems the thread keeps the priority of the process.
  }
}

lowerPriority()
parentPort!.on('message', (message: ToThread) => parentPort!.postMessage(step(message)))

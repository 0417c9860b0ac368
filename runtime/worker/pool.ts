/**
 * The worker pool: a few threads and a queue of jobs, owner by owner. Threads are started on demand, and keep no
 * process alive.
 */
import { Worker } from 'node:worker_threads'
import { worker as defaults } from '../../core/limits/index.js'
import { systemClock } from '../clock.js'
import type { Log } from '../observe/log.js'
import { createSemaphore } from '../semaphore.js'
import { nextSlice } from '../slices.js'
import type { FromThread, JobName, NoResult, ToThread, Workers } from './contract.js'

interface Job {
  readonly id: number
  readonly owner: string
  readonly name: JobName
  readonly input: unknown
  readonly transfer: readonly ArrayBuffer[]
  readonly onPart: (part: never) => void
  readonly resolve: (outcome: NoResult | 'done') => void
}

interface Thread {
  readonly worker: Worker
  job?: Job
  timer?: NodeJS.Timeout
}

type Limits = { readonly [name in keyof typeof defaults]: number }

export function openWorkers(log: Log, limits: Limits = defaults): Workers {
  const threads = new Set<Thread>()
  const slots = createSemaphore({ max: limits.threads, maxPerKey: 1 })
  let ids = 0
  let isClosed = false

  function start(): Thread {
    const { heapMb, stackMb } = limits
    const resourceLimits = { maxOldGenerationSizeMb: heapMb, stackSizeMb: stackMb }
    const worker = new Worker(new URL('./thread.js', import.meta.url), { name: 'parley-worker', resourceLimits })
    const thread: Thread = { worker }
    worker.unref()
    worker.on('message', (message: FromThread) => handleMessage(thread, message))
    // A thread that runs out of memory ends by itself; without this listener its error would end the process.
    worker.on('error', (error) => log.warn('worker.failed', { job: thread.job?.name, error }))
    worker.on('exit', () => removeThread(thread, 'failed'))
    threads.add(thread)
    return thread
  }

  function startJob(thread: Thread, job: Job): void {
    thread.job = job
    thread.timer = setTimeout(() => {
      log.warn('worker.job.timed_out', { job: job.name, afterMs: limits.jobMs })
      removeThread(thread, 'tooLong')
      void thread.worker.terminate()
    }, limits.jobMs)
    thread.worker.ref()
    send(thread, { id: job.id, job: job.name, input: job.input }, job.transfer)
  }

  function send({ worker }: Thread, message: ToThread, transfer: readonly ArrayBuffer[] = []): void {
    worker.postMessage(message, [...transfer])
  }

  function handleMessage(thread: Thread, message: FromThread): void {
    const { job } = thread
    if (!job || message.id !== job.id) return
    if ('part' in message) {
      job.onPart(message.part as never)
      // All messages that have arrived are handled in one turn, so the next part is requested in the next turn.
      void nextSlice(systemClock).then(() => thread.job === job && send(thread, { id: job.id, next: true }))
      return
    }
    if ('failed' in message) log.warn('worker.job.failed', { job: job.name, why: message.failed })
    release(thread, 'failed' in message ? 'failed' : 'done')
  }

  function release(thread: Thread, outcome: NoResult | 'done'): void {
    clearTimeout(thread.timer)
    const { job } = thread
    thread.job = undefined
    thread.worker.unref()
    if (!job) return
    job.resolve(outcome)
    slots.release(job.owner)
  }

  function removeThread(thread: Thread, outcome: NoResult): void {
    if (threads.delete(thread)) release(thread, outcome)
  }

  /** A job is about to start, so fewer jobs are running than there may be threads. */
  function idleThread(): Thread {
    return [...threads].find((thread) => !thread.job) ?? start()
  }

  function isFull(owner: string): boolean {
    return slots.waiting(owner) > limits.waitingJobsPerOwner || slots.waiting() > limits.waitingJobs
  }

  return {
    async run(owner, name, { input, onPart, transfer = [] }) {
      if (isClosed) return 'failed'
      const queued = slots.acquire(owner)
      if (queued && isFull(owner)) {
        queued.cancel()
        return 'full'
      }
      await queued?.granted
      if (isClosed) {
        slots.release(owner)
        return 'failed'
      }
      return new Promise((resolve) => {
        startJob(idleThread(), { id: ++ids, owner, name, input, transfer, onPart: onPart as Job['onPart'], resolve })
      })
    },
    async close() {
      isClosed = true
      // Each job that ends gives its slot to a waiting one, which then fails at once.
      const all = [...threads]
      for (const thread of all) removeThread(thread, 'failed')
      await Promise.all(all.map(({ worker }) => worker.terminate()))
    },
  }
}

/**
 * The thread of one module of a partner, as the node runs it: every call is answered by the thread or rejected when the
 * thread ends. A thread that misses its beats or takes too much memory is ended, and started again with backoff.
 */
import { Worker } from 'node:worker_threads'
import { backoffMs } from '../../core/time.js'
import type { Log } from '../observe/log.js'
import { type Around, answerAsk, answerBack, givenOf } from './answers.js'
import type { FromThread, KnownTraits, LoadedAdapter, Member, ToThread } from './contract.js'
import { adapterThread as defaults } from './limits.js'

export type ThreadLimits = { readonly [name in keyof typeof defaults]: number }

/** The thread is not there, or ended before it answered. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
  /** The adapter had begun, and something may have left the node. */
  constructor(readonly mayHaveSent: boolean) {
    super('The adapter of the channel is being started again.')
  }
}

interface Pending {
  readonly adapter: number
  readonly around?: Around
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
  readonly stopListening: () => void
  mayHaveSent: boolean
}

interface OpenLine {
  readonly adapter: number
  readonly around: Around
  trouble?: string
}

export interface Host {
  call(adapter: number, member: Member, args: readonly unknown[], around?: Around): Promise<unknown>
  /** A line stays open over restarts of the thread. */
  openLine(adapter: number, around: Around): number
  troubleOf(line: number): string | undefined
  closeLine(line: number): Promise<void>
  onTraits(learn: (traits: KnownTraits, adapter: number) => void): void
  close(): Promise<void>
}

export interface HostOptions {
  readonly file: string
  /** As the configuration names the module. */
  readonly name: string
  readonly log: Log
  readonly limits?: ThreadLimits
}

/** Resolves once the module is loaded, to a sentence when it cannot be. */
export async function openHost(
  options: HostOptions,
): Promise<{ host: Host; adapters: readonly LoadedAdapter[] } | string> {
  const { file, name: module, log, limits = defaults } = options
  const calls = new Map<number, Pending>()
  const lines = new Map<number, OpenLine>()
  const learners: ((traits: KnownTraits, adapter: number) => void)[] = []
  let worker: Worker | undefined
  let isUp = false
  let hasLoaded = false
  let isClosed = false
  let missedBeats = 0
  let failures = 0
  let ids = 0
  let startedAt = 0
  let reason = ''
  let restart: NodeJS.Timeout | undefined
  let settleLoad: (loaded: readonly LoadedAdapter[] | string) => void = () => {}

  const post = (message: ToThread) => worker?.postMessage(message)
  const aroundOf = (call: number) => calls.get(call)?.around ?? lines.get(call)?.around

  function start(): void {
    const { heapMb, stackMb } = limits
    const resourceLimits = { maxOldGenerationSizeMb: heapMb, stackSizeMb: stackMb }
    const thread = new Worker(new URL('./thread.js', import.meta.url), {
      name: 'parley-adapter',
      workerData: { file },
      resourceLimits,
    })
    worker = thread
    missedBeats = 0
    reason = 'it ended by itself'
    startedAt = performance.now()
    thread.on('message', heed)
    thread.on('error', (error: Error & { code?: string }) => {
      if (worker !== thread) return
      reason = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it took too much memory' : `it failed: ${error.name}`
    })
    thread.on('exit', ended)
  }

  const beats = setInterval(() => {
    if (!worker) return
    missedBeats++
    const isLate = isUp ? missedBeats > limits.missedBeats : performance.now() - startedAt > limits.loadMs
    if (isLate) return end('it did not respond')
    post({ kind: 'beat' })
  }, limits.beatMs)
  beats.unref()

  function end(because: string): void {
    reason = because
    const over = worker
    over?.removeAllListeners('message')
    ended()
    void over?.terminate()
  }

  function ended(): void {
    if (!worker) return
    worker.removeAllListeners('exit')
    worker = undefined
    isUp = false
    const pending = [...calls.values()]
    calls.clear()
    for (const { reject, stopListening, mayHaveSent } of pending) {
      stopListening()
      reject(new ThreadEnded(mayHaveSent))
    }
    settleLoad(`cannot be loaded: ${reason}`)
    if (isClosed || !hasLoaded) return
    failures = performance.now() - startedAt > limits.steadyMs ? 1 : failures + 1
    const waitMs = backoffMs(failures, { firstMs: limits.restartMs, mostMs: limits.restartMostMs })
    log.error('adapter.thread.ended', { module, reason, calls: pending.length, restartInMs: waitMs })
    restart = setTimeout(start, waitMs)
  }

  function heed(message: FromThread): void {
    switch (message.kind) {
      case 'loaded':
        isUp = true
        hasLoaded = true
        missedBeats = 0
        settleLoad(message.adapters)
        for (const [id, { adapter, around }] of lines) connect(id, adapter, around)
        return
      case 'unusable':
        settleLoad(message.problem)
        return end(message.problem)
      case 'beat':
        missedBeats = 0
        for (const [, line] of lines) delete line.trouble
        for (const [id, trouble] of message.troubles) Object.assign(lines.get(id) ?? {}, { trouble })
        if (message.externalBytes > limits.externalBytes) end('it took too much memory')
        return
      case 'log':
        return log.error('adapter.failed', message.fields)
      case 'ask':
        return answerAsk(message, aroundOf(message.call))
      case 'back': {
        const pending = calls.get(message.call)
        if (pending && message.name === 'call') pending.mayHaveSent = true
        return void answerBack(message, aroundOf(message.call), post)
      }
      default:
        return settle(message)
    }
  }

  function settle(message: Extract<FromThread, { readonly kind: 'done' | 'failed' }>): void {
    const pending = calls.get(message.id)
    calls.delete(message.id)
    pending?.stopListening()
    if (message.kind === 'failed') return pending?.reject(new Error(message.problem))
    if (message.traits && pending) for (const learn of learners) learn(message.traits, pending.adapter)
    pending?.resolve(message.answer)
  }

  function connect(id: number, adapter: number, around: Around): void {
    post({ kind: 'call', id, adapter, member: 'connect', args: [], given: givenOf(around) })
  }

  const loading = new Promise<readonly LoadedAdapter[] | string>((resolve) => {
    settleLoad = resolve
  })
  start()
  const loaded = await loading

  const host: Host = {
    call(adapter, member, args, around) {
      if (!isUp) return Promise.reject(new ThreadEnded(false))
      const id = ++ids
      return new Promise((resolve, reject) => {
        const abort = () => post({ kind: 'abort', id })
        const stopListening = () => around?.signal?.removeEventListener('abort', abort)
        around?.signal?.addEventListener('abort', abort, { once: true })
        // Over a line messages go without the node.
        const mayHaveSent = around?.line !== undefined
        calls.set(id, { adapter, ...(around && { around }), resolve, reject, stopListening, mayHaveSent })
        try {
          post({ kind: 'call', id, adapter, member, args, ...(around && { given: givenOf(around) }) })
        } catch (error) {
          calls.delete(id)
          stopListening()
          reject(error)
        }
      })
    },
    openLine(adapter, around) {
      const id = ++ids
      lines.set(id, { adapter, around })
      around.signal.addEventListener('abort', () => post({ kind: 'abort', id }), { once: true })
      if (isUp) connect(id, adapter, around)
      return id
    },
    troubleOf: (line) => (isUp ? lines.get(line)?.trouble : new ThreadEnded(false).message),
    async closeLine(id) {
      if (!lines.has(id)) return
      if (isUp)
        await new Promise((resolve) => {
          calls.set(id, { adapter: -1, resolve, reject: resolve, stopListening: () => {}, mayHaveSent: false })
          post({ kind: 'closeLine', id })
        })
      lines.delete(id)
    },
    onTraits: (learn) => void learners.push(learn),
    async close() {
      isClosed = true
      clearInterval(beats)
      clearTimeout(restart)
      const over = worker
      ended()
      await over?.terminate()
    },
  }
  if (typeof loaded !== 'string') return { host, adapters: loaded }
  await host.close()
  return loaded
}

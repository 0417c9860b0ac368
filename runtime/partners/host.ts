/**
 * The thread of one partner module, as the node runs it: every call is answered by the thread or rejected when the
 * thread ends. The node ends a thread that misses its heartbeats or takes too much memory, and restarts it with
 * backoff.
 */
import { Worker } from 'node:worker_threads'
import { backoffMs } from '../../core/time.js'
import type { Log } from '../observe/log.js'
import { answerCallback, answerSyncCall, type CallContext, serializeContext } from './callbacks.js'
import type { FromThread, KnownTraits, LoadedAdapter, Member, ToThread } from './contract.js'
import { adapterThread as defaults } from './limits.js'

export type ThreadLimits = { readonly [name in keyof typeof defaults]: number }

/** The thread does not run, or ended before it answered. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
  /** True when the adapter had begun, so that it may have sent a request. */
  constructor(readonly mayHaveSent: boolean) {
    super('The adapter of the channel is being started again.')
  }
}

interface Pending {
  readonly adapter: number
  readonly callContext?: CallContext
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
  readonly stopListening: () => void
  mayHaveSent: boolean
}

interface OpenConnection {
  readonly adapter: number
  readonly callContext: CallContext
  failure?: string
}

export interface Host {
  call(adapter: number, member: Member, args: readonly unknown[], callContext?: CallContext): Promise<unknown>
  /** A connection stays open over restarts of the thread. */
  openConnection(adapter: number, callContext: CallContext): number
  failureOf(connectionId: number): string | undefined
  closeConnection(connectionId: number): Promise<void>
  onTraits(listener: (traits: KnownTraits, adapter: number) => void): void
  close(): Promise<void>
}

export interface HostOptions {
  readonly file: string
  /** The name of the module in the configuration. */
  readonly name: string
  readonly log: Log
  readonly limits?: ThreadLimits
}

/** Resolves once the module is loaded, or with a sentence when it cannot be loaded. */
export async function openHost(
  options: HostOptions,
): Promise<{ host: Host; adapters: readonly LoadedAdapter[] } | string> {
  const { file, name: module, log, limits = defaults } = options
  const calls = new Map<number, Pending>()
  const connections = new Map<number, OpenConnection>()
  const traitListeners: ((traits: KnownTraits, adapter: number) => void)[] = []
  let worker: Worker | undefined
  let isUp = false
  let hasLoaded = false
  let isClosed = false
  let missedHeartbeats = 0
  let failures = 0
  let ids = 0
  let startedAt = 0
  let reason = ''
  let restart: NodeJS.Timeout | undefined
  let resolveLoad: (loaded: readonly LoadedAdapter[] | string) => void = () => {}

  const post = (message: ToThread) => worker?.postMessage(message)
  const contextOf = (call: number) => calls.get(call)?.callContext ?? connections.get(call)?.callContext

  function start(): void {
    const { heapMb, stackMb } = limits
    const resourceLimits = { maxOldGenerationSizeMb: heapMb, stackSizeMb: stackMb }
    const thread = new Worker(new URL('./thread.js', import.meta.url), {
      name: 'parley-adapter',
      workerData: { file },
      resourceLimits,
    })
    worker = thread
    missedHeartbeats = 0
    reason = 'it ended by itself'
    startedAt = performance.now()
    thread.on('message', handleMessage)
    thread.on('error', (error: Error & { code?: string }) => {
      if (worker !== thread) return
      reason = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it took too much memory' : `it failed: ${error.name}`
    })
    thread.on('exit', handleExit)
  }

  const heartbeatTimer = setInterval(() => {
    if (!worker) return
    missedHeartbeats++
    const isLate = isUp ? missedHeartbeats > limits.missedHeartbeats : performance.now() - startedAt > limits.loadMs
    if (isLate) return terminate('it did not respond')
    post({ kind: 'heartbeat' })
  }, limits.heartbeatMs)
  heartbeatTimer.unref()

  function terminate(problem: string): void {
    reason = problem
    const endedWorker = worker
    endedWorker?.removeAllListeners('message')
    handleExit()
    void endedWorker?.terminate()
  }

  function handleExit(): void {
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
    resolveLoad(`cannot be loaded: ${reason}`)
    if (isClosed || !hasLoaded) return
    failures = performance.now() - startedAt > limits.stableMs ? 1 : failures + 1
    const waitMs = backoffMs(failures, { firstMs: limits.restartMs, mostMs: limits.restartMaxMs })
    log.error('adapter.thread.ended', { module, reason, calls: pending.length, restartInMs: waitMs })
    restart = setTimeout(start, waitMs)
  }

  function handleMessage(message: FromThread): void {
    switch (message.kind) {
      case 'loaded':
        isUp = true
        hasLoaded = true
        missedHeartbeats = 0
        resolveLoad(message.adapters)
        for (const [id, { adapter, callContext }] of connections) connect(id, adapter, callContext)
        return
      case 'unusable':
        resolveLoad(message.problem)
        return terminate(message.problem)
      case 'heartbeat':
        missedHeartbeats = 0
        for (const [, connection] of connections) delete connection.failure
        for (const [id, failure] of message.failures) Object.assign(connections.get(id) ?? {}, { failure })
        if (message.externalBytes > limits.externalBytes) terminate('it took too much memory')
        return
      case 'log':
        return log.error('adapter.failed', message.fields)
      case 'syncCall':
        return answerSyncCall(message, contextOf(message.call))
      case 'callback': {
        const pending = calls.get(message.call)
        if (pending && message.name === 'call') pending.mayHaveSent = true
        return void answerCallback(message, contextOf(message.call), post)
      }
      default:
        return complete(message)
    }
  }

  function complete(message: Extract<FromThread, { readonly kind: 'done' | 'failed' }>): void {
    const pending = calls.get(message.id)
    calls.delete(message.id)
    pending?.stopListening()
    if (message.kind === 'failed') return pending?.reject(new Error(message.problem))
    if (message.traits && pending) for (const listener of traitListeners) listener(message.traits, pending.adapter)
    pending?.resolve(message.answer)
  }

  function connect(id: number, adapter: number, callContext: CallContext): void {
    post({ kind: 'call', id, adapter, member: 'connect', args: [], contextData: serializeContext(callContext) })
  }

  const loading = new Promise<readonly LoadedAdapter[] | string>((resolve) => {
    resolveLoad = resolve
  })
  start()
  const loaded = await loading

  const host: Host = {
    call(adapter, member, args, callContext) {
      if (!isUp) return Promise.reject(new ThreadEnded(false))
      const id = ++ids
      return new Promise((resolve, reject) => {
        const abort = () => post({ kind: 'abort', id })
        const stopListening = () => callContext?.signal?.removeEventListener('abort', abort)
        callContext?.signal?.addEventListener('abort', abort, { once: true })
        // Messages over a connection do not pass through the node.
        const mayHaveSent = callContext?.connectionId !== undefined
        calls.set(id, { adapter, ...(callContext && { callContext }), resolve, reject, stopListening, mayHaveSent })
        try {
          post({
            kind: 'call',
            id,
            adapter,
            member,
            args,
            ...(callContext && { contextData: serializeContext(callContext) }),
          })
        } catch (error) {
          calls.delete(id)
          stopListening()
          reject(error)
        }
      })
    },
    openConnection(adapter, callContext) {
      const id = ++ids
      connections.set(id, { adapter, callContext })
      callContext.signal.addEventListener('abort', () => post({ kind: 'abort', id }), { once: true })
      if (isUp) connect(id, adapter, callContext)
      return id
    },
    failureOf: (connectionId) => (isUp ? connections.get(connectionId)?.failure : new ThreadEnded(false).message),
    async closeConnection(id) {
      if (!connections.has(id)) return
      if (isUp)
        await new Promise((resolve) => {
          calls.set(id, { adapter: -1, resolve, reject: resolve, stopListening: () => {}, mayHaveSent: false })
          post({ kind: 'closeConnection', id })
        })
      connections.delete(id)
    },
    onTraits: (listener) => void traitListeners.push(listener),
    async close() {
      isClosed = true
      clearInterval(heartbeatTimer)
      clearTimeout(restart)
      const endedWorker = worker
      handleExit()
      await endedWorker?.terminate()
    },
  }
  if (typeof loaded !== 'string') return { host, adapters: loaded }
  await host.close()
  return loaded
}

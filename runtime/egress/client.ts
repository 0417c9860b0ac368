/**
 * The HTTP client for URLs that users supply: every request and every redirect goes through the URL guard, within a
 * deadline.
 */
import { Agent, type buildConnector, DecoratorHandler, type Dispatcher } from 'undici'
import { parseUrl } from '../config/url.js'
import type { Semaphore } from '../semaphore.js'
import { AddressRefused, checkUrl, guardedConnector, type Resolve, type UrlPolicy } from './guard.js'
import { type FailureReason, failureMessages, reasonOf } from './reason.js'

export interface EgressClientOptions extends UrlPolicy {
  readonly resolve?: Resolve
  /** Certificates trusted in place of the well-known ones. */
  readonly ca?: string
  /** Creates the sockets that the guard checks; tests replace it. */
  readonly build?: typeof buildConnector
  /** Origins of emulated providers of this node, which may be called at private addresses. */
  readonly ownOrigins?: () => ReadonlySet<string>
  /** Bounds concurrent requests of all clients in the process. A request waits for its slot within its deadline. */
  readonly slots?: Semaphore
}

export interface EgressTimeouts {
  readonly connectMs: number
  readonly headersMs: number
  readonly totalMs: number
}

/** A failure whose message reveals nothing about Parley's side. */
export interface EgressFailure {
  readonly ok: false
  readonly reason: FailureReason
  readonly message: string
}

export interface EgressRequest {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Evaluated once there is a connection, right before the first byte is written; true cancels the request. */
  readonly isWithheld?: () => boolean
}

/** Sends one request; a URL that the guard refuses fails before anything else is done. */
export type Send = (request: EgressRequest) => Promise<Dispatcher.ResponseData>

export interface EgressClient {
  /**
   * Runs an exchange of one or more requests within one deadline. At the deadline, when `callerSignal` fires, or when
   * the client closes, the current request and the body being read are aborted. An error thrown by `run` becomes a
   * failure.
   */
  request<T>(callerSignal: AbortSignal | undefined, run: (send: Send) => Promise<T>): Promise<T | EgressFailure>
  /** Aborts running requests, whose result is then `stopped`. */
  close(): Promise<void>
}

/**
 * The guard refused the URL itself. This takes precedence over every other failure; an address refused while connecting
 * does not.
 */
class UrlRefused extends AddressRefused {}

class CancelledBeforeWrite extends Error {}

/** Passes on all handler callbacks; the types of undici name none of them. */
const Decorator = DecoratorHandler as unknown as new (
  handler: Dispatcher.DispatchHandler,
) => { onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void }

/** Evaluates `isWithheld` once the socket is ready: nothing runs between that and the write. */
class PreWriteCheck extends Decorator {
  readonly #isWithheld: () => boolean

  constructor(handler: Dispatcher.DispatchHandler, isWithheld: () => boolean) {
    super(handler)
    this.#isWithheld = isWithheld
  }

  override onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    super.onRequestStart(controller, context)
    if (this.#isWithheld()) controller.abort(new CancelledBeforeWrite())
  }
}

const preWriteInterceptor: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const { isWithheld } = options as { isWithheld?: () => boolean }
  return dispatch(options, isWithheld ? new PreWriteCheck(handler, isWithheld) : handler)
}

export function createEgressClient(options: EgressClientOptions, limits: EgressTimeouts): EgressClient {
  const agentWith = (policy: UrlPolicy) =>
    new Agent({
      connect: guardedConnector({ ...options, ...policy, connectMs: limits.connectMs }, options.build),
      headersTimeout: limits.headersMs,
      bodyTimeout: limits.totalMs,
    }).compose(preWriteInterceptor)
  const agent = agentWith(options)
  const ownAgent = options.ownOrigins && agentWith({ allowPrivate: true })
  const { slots } = options
  const active = new Set<Deadline>()
  let closed = false

  function sendWithin(deadline: Deadline): Send {
    return async ({ url, ...request }) => {
      const isOwn = options.ownOrigins?.().has(parseUrl(url)?.origin ?? '') ?? false
      if (checkUrl(url, isOwn ? { allowPrivate: true } : options) !== undefined) throw new UrlRefused()
      if (closed) throw new Error('the door is closed')
      const { origin, host, pathname, search } = new URL(url)
      if (slots) await deadline.acquireSlot(slots, host)
      if (closed) throw new Error('the door is closed')
      const dispatcher = isOwn && ownAgent ? ownAgent : agent
      const answer = dispatcher.request({ ...request, origin, path: pathname + search, signal: deadline.signal })
      return Promise.race([answer, deadline.aborted])
    }
  }

  return {
    async request(callerSignal, run) {
      const deadline = createDeadline(callerSignal, limits.totalMs)
      active.add(deadline)
      try {
        return await run(sendWithin(deadline))
      } catch (error) {
        if (error instanceof UrlRefused) return failureOf('refused-address')
        if (error instanceof CancelledBeforeWrite) return failureOf('withheld')
        if (closed || callerSignal?.aborted) return failureOf('stopped')
        return failureOf(deadline.isLate() ? 'timeout' : reasonOf(error))
      } finally {
        active.delete(deadline)
        deadline.dispose()
      }
    },
    async close() {
      closed = true
      for (const deadline of active) deadline.stop()
      await Promise.all([agent.destroy(), ownAgent?.destroy()])
    },
  }
}

export function failureOf(reason: FailureReason): EgressFailure {
  return { ok: false, reason, message: failureMessages[reason] }
}

interface Deadline {
  readonly signal: AbortSignal
  /** Rejects when the signal fires: undici checks the signal of a connecting request only once it is connected. */
  readonly aborted: Promise<never>
  isLate(): boolean
  /** Waits for a slot, after releasing the one held before. The deadline restarts after a wait. */
  acquireSlot(slots: Semaphore, host: string): Promise<void>
  stop(): void
  dispose(): void
}

/** One signal for the caller's signal and the deadline. */
function createDeadline(callerSignal: AbortSignal | undefined, totalMs: number): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // The signal may fire while no request is waiting for `aborted`.
  aborted.catch(() => {})
  let isTimedOut = false
  let releaseSlot = () => {}
  const startTimer = () =>
    setTimeout(() => {
      isTimedOut = true
      stop()
    }, totalMs)
  let timer = startTimer()
  async function acquireSlot(slots: Semaphore, host: string): Promise<void> {
    releaseSlot()
    releaseSlot = () => {}
    const queuedSlot = slots.acquire(host)
    if (queuedSlot) {
      try {
        await Promise.race([queuedSlot.granted, aborted])
      } catch (error) {
        queuedSlot.cancel()
        throw error
      }
      clearTimeout(timer)
      timer = startTimer()
    }
    releaseSlot = () => slots.release(host)
  }
  function stop(): void {
    clearTimeout(timer)
    controller.abort()
  }
  callerSignal?.addEventListener('abort', stop, { once: true })
  if (callerSignal?.aborted) stop()
  return {
    signal,
    aborted,
    isLate: () => isTimedOut,
    acquireSlot,
    stop,
    dispose() {
      releaseSlot()
      clearTimeout(timer)
      callerSignal?.removeEventListener('abort', stop)
    },
  }
}

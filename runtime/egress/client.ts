/**
 * The HTTP client for URLs that users supply: every request and every redirect goes through the URL guard, within a
 * deadline.
 */
import { Agent, type buildConnector, type Dispatcher } from 'undici'
import { parseUrl } from '../config/url.js'
import type { MaybePromise } from '../maybeasync.js'
import type { Semaphore } from '../semaphore.js'
import { decode } from './body.js'
import { createDeadline, type Deadline, ExchangeStopped } from './deadline.js'
import { fetchWhole, type WholeResponse } from './fetchwhole.js'
import { AddressRefused, guardedConnector, parseCheckedUrl, type Resolve, type UrlPolicy } from './guard.js'
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
  /**
   * Each request has a connection of its own. On one that was used before, a request may meet its close, and then it is
   * not known whether the request arrived.
   */
  readonly reusesNoConnection?: true
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
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'PROPFIND' | 'REPORT'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** Sends one request; a URL that the guard refuses fails before anything else is done. */
export type Send = (request: EgressRequest) => Promise<Dispatcher.ResponseData>

export interface WholeRequest extends EgressRequest {
  readonly signal: AbortSignal | undefined
  /** Of the body as sent, and of the body once decompressed. */
  readonly maxBytes: number
  /** Evaluated once there is a connection, right before the first byte is written; true cancels the request. */
  readonly isWithheld?: (() => boolean) | undefined
  /** A body that is longer than `maxBytes` is cut there; otherwise it is a failure. */
  readonly cutsBody?: true
}

export interface EgressClient {
  /** One request and its whole body, decompressed, within the deadline. Never rejects. */
  fetchWhole(request: WholeRequest): Promise<(WholeResponse & { readonly ok: true }) | EgressFailure>
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

interface Target {
  readonly dispatcher: Dispatcher
  readonly origin: string
  readonly path: string
}

export function createEgressClient(options: EgressClientOptions, limits: EgressTimeouts): EgressClient {
  const agentWith = (policy: UrlPolicy) =>
    new Agent({
      connect: guardedConnector({ ...options, ...policy, connectMs: limits.connectMs }, options.build),
      headersTimeout: limits.headersMs,
      bodyTimeout: limits.totalMs,
      ...(options.reusesNoConnection && { pipelining: 0 }),
    })
  const agent = agentWith(options)
  const ownAgent = options.ownOrigins && agentWith({ allowPrivate: true })
  const { slots } = options
  const active = new Set<Deadline>()
  let isClosed = false

  /** Where the URL leads, once there is a slot for a request to its host. */
  function findTarget(url: string, deadline: Deadline): MaybePromise<Target> {
    const isOwn = ownAgent !== undefined && options.ownOrigins!().has(parseUrl(url)?.origin ?? '')
    const parsed = parseCheckedUrl(url, isOwn ? { allowPrivate: true } : options)
    if (typeof parsed === 'string') throw new UrlRefused()
    const { origin, host, pathname, search } = parsed
    const target = { dispatcher: isOwn ? ownAgent : agent, origin, path: pathname + search }
    assertRunning(deadline)
    const queuedSlot = slots && deadline.acquireSlot(slots, host)
    if (!queuedSlot) return target
    return queuedSlot.then(() => {
      assertRunning(deadline)
      return target
    })
  }

  function assertRunning(deadline: Deadline): void {
    if (isClosed || deadline.isStopped()) throw new ExchangeStopped()
  }

  function sendWithin(deadline: Deadline): Send {
    const controller = new AbortController()
    deadline.onStop(() => controller.abort())
    return async ({ url, ...request }) => {
      const { dispatcher, origin, path } = await findTarget(url, deadline)
      // undici checks the signal of a connecting request only once it is connected.
      const stopped = new Promise<never>((_resolve, reject) => deadline.onStop(() => reject(new ExchangeStopped())))
      return Promise.race([dispatcher.request({ ...request, origin, path, signal: controller.signal }), stopped])
    }
  }

  async function runWithin<T>(
    callerSignal: AbortSignal | undefined,
    run: (deadline: Deadline) => Promise<T>,
  ): Promise<T | EgressFailure> {
    const deadline = createDeadline(callerSignal, limits.totalMs)
    active.add(deadline)
    try {
      return await run(deadline)
    } catch (error) {
      if (error instanceof UrlRefused) return failureOf('refused-address')
      if (isClosed || callerSignal?.aborted) return failureOf('stopped')
      return failureOf(deadline.isLate() ? 'timeout' : reasonOf(error))
    } finally {
      active.delete(deadline)
      deadline.dispose()
    }
  }

  return {
    request: (callerSignal, run) => runWithin(callerSignal, (deadline) => run(sendWithin(deadline))),
    fetchWhole: (request) =>
      runWithin(request.signal, async (deadline) => {
        const { url, method, headers, body, maxBytes, isWithheld, cutsBody } = request
        const { dispatcher, origin, path } = await findTarget(url, deadline)
        const whole = { deadline, maxBytes, isWithheld, cutsBody }
        const response = await fetchWhole(dispatcher, { origin, path, method, headers, body }, whole)
        if (typeof response === 'string') return failureOf(response)
        const decoded = await decode(response.body, response.headers['content-encoding'], maxBytes)
        if (typeof decoded === 'string') return failureOf(decoded)
        const { status, isCut } = response
        return { ok: true as const, status, headers: response.headers, body: decoded, ...(isCut && { isCut }) }
      }),
    async close() {
      isClosed = true
      for (const deadline of active) deadline.stop()
      await Promise.all([agent.destroy(), ownAgent?.destroy()])
    },
  }
}

export function failureOf(reason: FailureReason): EgressFailure {
  return { ok: false, reason, message: failureMessages[reason] }
}

/** The one way out to a URL that a user supplied: every request, every hop of it, through the guard and within its time. */
import { Agent, type buildConnector, DecoratorHandler, type Dispatcher } from 'undici'
import type { Semaphore } from '../semaphore.js'
import { parsedUrl } from '../url.js'
import { AddressRefused, checkUrl, guardedConnector, type Resolve, type UrlPolicy } from './guard.js'
import { type FailureReason, reasonOf, sentences } from './reason.js'

export interface DoorOptions extends UrlPolicy {
  readonly resolve?: Resolve
  /** Certificates trusted in place of the well-known ones. */
  readonly ca?: string
  /** Makes the sockets that the guard then judges; tests put their own in its place. */
  readonly build?: typeof buildConnector
  /** Origins of what this node runs itself, which may be called wherever they are. */
  readonly own?: () => ReadonlySet<string>
  /** What bounds requests under way, shared by all doors of the process. A request waits for its slot within its time. */
  readonly slots?: Semaphore
}

export interface DoorLimits {
  readonly connectMs: number
  readonly headersMs: number
  readonly totalMs: number
}

/** What went wrong, told in words that name nothing of our side. */
export interface Failed {
  readonly ok: false
  readonly reason: FailureReason
  readonly message: string
}

export interface Sending {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Asked once there is a connection, right before the first byte goes. */
  readonly isWithheld?: () => boolean
}

/** Sends one request; a URL that may not be called is refused before anything else is looked at. */
export type Send = (request: Sending) => Promise<Dispatcher.ResponseData>

export interface Door {
  /**
   * Runs an exchange of one or more requests within one time limit. When that ends, or `wish` fires, or the door closes,
   * the request under way and the body being read are cut. Whatever `run` throws becomes a failure.
   */
  exchange<T>(wish: AbortSignal | undefined, run: (send: Send) => Promise<T>): Promise<T | Failed>
  /** Cuts what is under way, which then answers `stopped`. */
  close(): Promise<void>
}

/** A URL that may not even be tried; unlike an address found out on the way it is told first of all. */
class UrlRefused extends AddressRefused {}

class Withheld extends Error {}

/** It hands on every call of the handlers there are, of which its types name none. */
const Decorator = DecoratorHandler as unknown as new (
  handler: Dispatcher.DispatchHandler,
) => { onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void }

/** Looks once more when the socket is there: nothing comes between that and the writing. */
class LastLook extends Decorator {
  readonly #isWithheld: () => boolean

  constructor(handler: Dispatcher.DispatchHandler, isWithheld: () => boolean) {
    super(handler)
    this.#isWithheld = isWithheld
  }

  override onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    super.onRequestStart(controller, context)
    if (this.#isWithheld()) controller.abort(new Withheld())
  }
}

const lookingOnce: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const { isWithheld } = options as { isWithheld?: () => boolean }
  return dispatch(options, isWithheld ? new LastLook(handler, isWithheld) : handler)
}

export function openDoor(options: DoorOptions, limits: DoorLimits): Door {
  const agentWith = (policy: UrlPolicy) =>
    new Agent({
      connect: guardedConnector({ ...options, ...policy, connectMs: limits.connectMs }, options.build),
      headersTimeout: limits.headersMs,
      bodyTimeout: limits.totalMs,
    }).compose(lookingOnce)
  const agent = agentWith(options)
  const ownAgent = options.own && agentWith({ allowPrivate: true })
  const { slots } = options
  const underWay = new Set<Watch>()
  let closed = false

  function sendWithin(watch: Watch): Send {
    return async ({ url, ...request }) => {
      const isOwn = options.own?.().has(parsedUrl(url)?.origin ?? '') ?? false
      if (checkUrl(url, isOwn ? { allowPrivate: true } : options) !== undefined) throw new UrlRefused()
      if (closed) throw new Error('the door is closed')
      const { origin, host, pathname, search } = new URL(url)
      if (slots) await watch.hold(slots, host)
      if (closed) throw new Error('the door is closed')
      const way = isOwn && ownAgent ? ownAgent : agent
      const answer = way.request({ ...request, origin, path: pathname + search, signal: watch.signal })
      return Promise.race([answer, watch.cut])
    }
  }

  return {
    async exchange(wish, run) {
      const watch = watchOver(wish, limits.totalMs)
      underWay.add(watch)
      try {
        return await run(sendWithin(watch))
      } catch (error) {
        if (error instanceof UrlRefused) return failed('refused-address')
        if (error instanceof Withheld) return failed('withheld')
        if (closed || wish?.aborted) return failed('stopped')
        return failed(watch.isLate() ? 'timeout' : reasonOf(error))
      } finally {
        underWay.delete(watch)
        watch.end()
      }
    },
    async close() {
      closed = true
      for (const watch of underWay) watch.stop()
      await Promise.all([agent.destroy(), ownAgent?.destroy()])
    },
  }
}

export function failed(reason: FailureReason): Failed {
  return { ok: false, reason, message: sentences[reason] }
}

interface Watch {
  readonly signal: AbortSignal
  /** Rejects when the signal fires: a request that is still connecting looks at its signal only once connected. */
  readonly cut: Promise<never>
  isLate(): boolean
  /** Waits for a slot, in place of the one held before; once it is there, time begins anew. */
  hold(slots: Semaphore, host: string): Promise<void>
  stop(): void
  end(): void
}

/** One signal for the caller's wish to stop and for the end of the time allowed. */
function watchOver(wish: AbortSignal | undefined, totalMs: number): Watch {
  const controller = new AbortController()
  const { signal } = controller
  const cut = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // It may fire while nobody is connecting.
  cut.catch(() => {})
  let late = false
  let giveBack = () => {}
  const limit = () =>
    setTimeout(() => {
      late = true
      stop()
    }, totalMs)
  let timer = limit()
  async function hold(slots: Semaphore, host: string): Promise<void> {
    giveBack()
    giveBack = () => {}
    const awaited = slots.acquire(host)
    if (awaited) {
      try {
        await Promise.race([awaited.granted, cut])
      } catch (error) {
        awaited.cancel()
        throw error
      }
      clearTimeout(timer)
      timer = limit()
    }
    giveBack = () => slots.release(host)
  }
  function stop(): void {
    clearTimeout(timer)
    controller.abort()
  }
  wish?.addEventListener('abort', stop, { once: true })
  if (wish?.aborted) stop()
  return {
    signal,
    cut,
    isLate: () => late,
    hold,
    stop,
    end() {
      giveBack()
      clearTimeout(timer)
      wish?.removeEventListener('abort', stop)
    },
  }
}

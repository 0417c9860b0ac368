/**
 * What a listener knows of the requests that it has taken and not answered: how many there are, how much of their bodies
 * is held, which bodies have stopped coming, and how much of all that is one address's.
 */
import { LRUCache } from 'lru-cache'
import { type Refusal, refuse } from '../../core/errors.js'
import { http } from '../../core/limits.js'
import { Bucket, type Shape, shapeOf } from '../limits/bucket.js'
import { subjectOfAddress } from '../limits/subject.js'
import type { Log } from '../observe/log.js'
import type { Reply } from './exchange.js'
import { writeRefusal } from './problem.js'
import type { Proxies } from './proxies.js'
import type { ErrorStyle } from './route.js'

/** What one address may take of a listener, and how long it waits for the rest of a body. */
export interface LobbyLimits {
  readonly inFlightRequests: number
  /** Requests in flight up to which it is not counted whose they are. */
  readonly inFlightUncounted: number
  readonly inFlightPerAddress: number
  readonly bodyBytesHeld: number
  readonly bodyBytesHeldPerAddress: number
  readonly bodyStallSeconds: number
  readonly connectionsPerAddress: { readonly burstCalls: number; readonly refillPerSecond: number }
}

/** A request whose body has not come whole. */
export interface Unfinished {
  readonly isUnfinished: boolean
  /** Seconds without a further piece of the body. */
  quietSeconds: number
  expire(): void
}

export interface LobbyOptions {
  readonly proxies?: Proxies
  readonly limits: LobbyLimits
  readonly style: ErrorStyle
  readonly log: Log
}

const again = { headers: { 'retry-after': String(http.retryAfterSeconds) } }
const secondMs = 1_000

export class Lobby {
  readonly proxies: Proxies | undefined
  readonly replies: Readonly<Record<'busy' | 'addressBusy' | 'late', Reply>>
  /** No more requests are wanted: each reply ends its connection. */
  closing = false
  whenIdle: (() => void) | undefined
  private inFlight = 0
  private heldBytes = 0
  private readonly unfinished = new Set<Unfinished>()
  /** The last that began. Most bodies come with their head, so only one that is still unfinished at the next is kept. */
  private latest: Unfinished | undefined
  private readonly requestsOf = new Map<string, number>()
  private readonly bytesOf = new Map<string, number>()
  /** Memory grows with what is in it: each port has one. */
  private readonly connectionsOf = new LRUCache<string, Bucket>({
    maxSize: http.addressesKept,
    sizeCalculation: () => 1,
  })
  private readonly connectionShape: Shape
  private readonly limits: LobbyLimits
  private readonly log: Log
  private readonly beat = setInterval(() => this.everySecond(), secondMs).unref()

  constructor({ proxies, limits, style, log }: LobbyOptions) {
    this.proxies = proxies
    this.limits = limits
    this.connectionShape = shapeOf(limits.connectionsPerAddress)
    this.log = log
    this.replies = {
      busy: replyOf(refuse('service.unavailable', again), style),
      addressBusy: replyOf(
        refuse('service.unavailable', { ...again, detail: 'Too much is on its way from your address.' }),
        style,
      ),
      late: replyOf(refuse('request.timeout'), style),
    }
  }

  get isIdle(): boolean {
    return this.inFlight === 0
  }

  /**
   * Whether a connection from there may be opened. uWebSockets.js does not say whose connection was closed, so openings
   * are limited and not what is open; a connection without requests is cut after ten to twelve seconds.
   */
  mayConnect(address: string): boolean {
    if (this.proxies?.isTrusted(address)) return true
    const { connectionShape: shape } = this
    const subject = subjectOfAddress(address)
    const nowMicros = Math.floor(performance.now() * 1_000)
    const bucket = this.connectionsOf.get(subject) ?? new Bucket(shape.capacityUnits, nowMicros)
    this.connectionsOf.set(subject, bucket)
    return bucket.spend(shape, nowMicros).allowed
  }

  /** Counts a request in. `counted` is the address that it was counted for, if any; undefined reply: it may go on. */
  enter(address: () => string): { readonly reply?: Reply; readonly counted?: string } {
    const { inFlightRequests, inFlightUncounted, inFlightPerAddress } = this.limits
    if (++this.inFlight <= inFlightUncounted) return nothing
    const counted = address()
    const own = (this.requestsOf.get(counted) ?? 0) + 1
    this.requestsOf.set(counted, own)
    if (this.inFlight > inFlightRequests) return { counted, reply: this.replies.busy }
    return own > inFlightPerAddress ? { counted, reply: this.replies.addressBusy } : { counted }
  }

  /** Called once a request is over, whether it was answered, failed on the way out, or its client left. */
  leave(counted: string | undefined, error?: unknown): void {
    if (error) this.log.error('http.reply.failed', { error })
    if (counted !== undefined) take(this.requestsOf, counted, 1)
    this.inFlight--
    if (this.inFlight === 0) this.whenIdle?.()
  }

  /** Watches a body that has not come whole. */
  await(request: Unfinished): void {
    if (this.latest?.isUnfinished) this.unfinished.add(this.latest)
    this.latest = request
  }

  /** Counts what is held of a body; the reply says why no more is taken. */
  hold(address: string, bytes: number): Reply | undefined {
    const own = (this.bytesOf.get(address) ?? 0) + bytes
    this.bytesOf.set(address, own)
    this.heldBytes += bytes
    if (this.heldBytes > this.limits.bodyBytesHeld) return this.replies.busy
    return own > this.limits.bodyBytesHeldPerAddress ? this.replies.addressBusy : undefined
  }

  release(address: string, bytes: number): void {
    this.heldBytes -= bytes
    take(this.bytesOf, address, bytes)
  }

  close(): void {
    clearInterval(this.beat)
  }

  private everySecond(): void {
    if (this.latest?.isUnfinished) this.unfinished.add(this.latest)
    this.latest = undefined
    for (const request of this.unfinished) {
      if (!request.isUnfinished) this.unfinished.delete(request)
      else if (++request.quietSeconds > this.limits.bodyStallSeconds) request.expire()
    }
  }
}

const nothing = {}

function take(counts: Map<string, number>, of: string, amount: number): void {
  const left = (counts.get(of) ?? 0) - amount
  if (left > 0) counts.set(of, left)
  else counts.delete(of)
}

function replyOf(refusal: Refusal, style: ErrorStyle): Reply {
  return { ...writeRefusal(refusal, style), requestId: 'none', close: true }
}

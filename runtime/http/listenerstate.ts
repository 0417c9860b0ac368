/**
 * The load of a listener, in all and by address: connections opened, requests in flight, and bytes of bodies that have
 * not arrived whole. It refuses what exceeds a limit, and expires bodies that have stalled.
 */
import { LRUCache } from 'lru-cache'
import { type Refusal, refuse, unavailable } from '../../core/errors.js'
import { http } from '../../core/limits/index.js'
import type { Log } from '../observe/log.js'
import { Bucket, type BucketShape, shapeOf } from '../ratelimit/bucket.js'
import { subjectOfAddress } from '../ratelimit/subject.js'
import type { Reply } from './exchange.js'
import { writeRefusal } from './problem.js'
import type { Proxies } from './proxies.js'
import type { ErrorStyle } from './route.js'

export interface ListenerLimits {
  readonly inFlightRequests: number
  /** Up to so many requests in flight, they are not counted by address. */
  readonly inFlightUncounted: number
  readonly inFlightPerAddress: number
  readonly bufferedBodyBytes: number
  readonly bufferedBodyBytesPerAddress: number
  /** The longest pause between two pieces of a body. */
  readonly bodyStallSeconds: number
  readonly connectionsPerAddress: { readonly burstCalls: number; readonly refillPerSecond: number }
}

/** A request whose body has not arrived whole. */
export interface PendingBody {
  readonly isPending: boolean
  /** Seconds since the last piece of the body. */
  idleSeconds: number
  expire(): void
}

export interface ListenerStateOptions {
  readonly proxies?: Proxies
  readonly limits: ListenerLimits
  readonly style: ErrorStyle
  readonly log: Log
}

const secondMs = 1_000

export class ListenerState {
  readonly proxies: Proxies | undefined
  readonly replies: Readonly<Record<'busy' | 'addressBusy' | 'late', Reply>>
  /** The listener is closing: each reply ends its connection. */
  closing = false
  onIdle: (() => void) | undefined
  private inFlight = 0
  private bufferedBytes = 0
  private readonly pendingBodies = new Set<PendingBody>()
  /**
   * The newest. Most bodies arrive with their head, so it enters the set only if it is pending when the next one
   * begins.
   */
  private newestBody: PendingBody | undefined
  private readonly requestsOf = new Map<string, number>()
  private readonly bytesOf = new Map<string, number>()
  /** Grows with its entries, so a large `maxSize` costs an idle port nothing. */
  private readonly connectionsOf = new LRUCache<string, Bucket>({
    maxSize: http.countedAddresses,
    sizeCalculation: () => 1,
  })
  private readonly connectionShape: BucketShape
  private readonly limits: ListenerLimits
  private readonly log: Log
  private readonly timer = setInterval(() => this.tick(), secondMs).unref()

  constructor({ proxies, limits, style, log }: ListenerStateOptions) {
    this.proxies = proxies
    this.limits = limits
    this.connectionShape = shapeOf(limits.connectionsPerAddress)
    this.log = log
    this.replies = {
      busy: closingReply(unavailable(), style),
      addressBusy: closingReply(unavailable('Too much is on its way from your address.'), style),
      late: closingReply(refuse('request.timeout'), style),
    }
  }

  get isIdle(): boolean {
    return this.inFlight === 0
  }

  /**
   * Whether that address may open one more connection. uWebSockets.js does not report the address of a connection that
   * closes, so the rate of opening is limited and not the number open; it cuts a connection without requests after ten
   * to twelve seconds.
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

  /**
   * Counts a request that begins. `countedAddress` is the address it is counted for, if any; `reply` refuses the
   * request.
   */
  beginRequest(address: () => string): { readonly reply?: Reply; readonly countedAddress?: string } {
    const { inFlightRequests, inFlightUncounted, inFlightPerAddress } = this.limits
    if (++this.inFlight <= inFlightUncounted) return uncounted
    const countedAddress = address()
    const own = (this.requestsOf.get(countedAddress) ?? 0) + 1
    this.requestsOf.set(countedAddress, own)
    if (this.inFlight > inFlightRequests) return { countedAddress, reply: this.replies.busy }
    return own > inFlightPerAddress ? { countedAddress, reply: this.replies.addressBusy } : { countedAddress }
  }

  /** Counts a request that ends: it was answered, its reply failed, or its client disconnected. */
  endRequest(countedAddress: string | undefined, error?: unknown): void {
    if (error) this.log.error('http.reply.failed', { error })
    if (countedAddress !== undefined) subtract(this.requestsOf, countedAddress, 1)
    this.inFlight--
    if (this.inFlight === 0) this.onIdle?.()
  }

  /** Expires the request when its body stalls. */
  watch(body: PendingBody): void {
    if (this.newestBody?.isPending) this.pendingBodies.add(this.newestBody)
    this.newestBody = body
  }

  /** Counts bytes of a body that has not arrived whole. The reply, if any, refuses the request. */
  reserve(address: string, bytes: number): Reply | undefined {
    const own = (this.bytesOf.get(address) ?? 0) + bytes
    this.bytesOf.set(address, own)
    this.bufferedBytes += bytes
    if (this.bufferedBytes > this.limits.bufferedBodyBytes) return this.replies.busy
    return own > this.limits.bufferedBodyBytesPerAddress ? this.replies.addressBusy : undefined
  }

  release(address: string, bytes: number): void {
    this.bufferedBytes -= bytes
    subtract(this.bytesOf, address, bytes)
  }

  close(): void {
    clearInterval(this.timer)
  }

  private tick(): void {
    if (this.newestBody?.isPending) this.pendingBodies.add(this.newestBody)
    this.newestBody = undefined
    for (const body of this.pendingBodies) {
      if (!body.isPending) this.pendingBodies.delete(body)
      else if (++body.idleSeconds > this.limits.bodyStallSeconds) body.expire()
    }
  }
}

const uncounted = {}

function subtract(counts: Map<string, number>, key: string, amount: number): void {
  const remaining = (counts.get(key) ?? 0) - amount
  if (remaining > 0) counts.set(key, remaining)
  else counts.delete(key)
}

/** The reply to a request without an id, which ends its connection. */
export function closingReply(refusal: Refusal, style: ErrorStyle): Reply {
  return { ...writeRefusal(refusal, style), requestId: 'none', close: true }
}

/**
 * Queue of outgoing submits: bounded by the message center's window and rate, in order of arrival. Each submit
 * completes once, also when the connection is lost.
 */
import { LRUCache } from 'lru-cache'
import type { SendOutcome } from '../../../core/channel/adapter.js'
import { backoffMs } from '../../../core/time.js'
import type { Fields, Pdu } from './codec.js'
import type { Connection } from './connection.js'
import type { MessageIds } from './ids.js'
import { createRateLimiter } from './ratelimiter.js'
import { isThrottle, refusalOf, retryLater, statuses } from './refusals.js'

export interface Submit {
  /** The same for every attempt. */
  readonly id: string
  readonly address: string
  readonly fields: Fields
  readonly signal: AbortSignal
  /** Checked right before the submit is sent. */
  readonly isCancelled: () => boolean
}

export interface SubmitLimits {
  readonly windowSubmits: number
  readonly ratePerSecond: number
  readonly burstMs: number
  readonly waitingSubmits: number
  readonly waitMs: number
  readonly submitMs: number
  readonly holdMs: number
  readonly holdMaxMs: number
  readonly jitterShare: number
  readonly retainedLateAnswers: number
}

export interface SubmitQueue {
  submit(submit: Submit): Promise<SendOutcome>
  /** The session is bound. */
  attach(connection: Connection): void
  /** The connection is lost or closing: queued submits complete with a retry. */
  detach(): void
  /** Resolves when no answer is outstanding. */
  whenIdle(): Promise<void>
}

interface QueuedSubmit extends Submit {
  readonly since: number
  readonly complete: (outcome: SendOutcome) => void
}

const unknownOutcome = (detail: string): SendOutcome => ({ ...retryLater(detail), isUnknown: true })
const lostOutcome = unknownOutcome(
  'The line was lost before the message center answered; it may have taken the message.',
)
const lateOutcome = unknownOutcome('The message center did not answer in time; it may have taken the message.')

export function createSubmitQueue(limits: SubmitLimits, ids: MessageIds, random: () => number): SubmitQueue {
  const queue = new Set<QueuedSubmit>()
  const inFlight = new Map<string, Promise<SendOutcome>>()
  const lateAnswers = new LRUCache<string, SendOutcome>({
    maxSize: limits.retainedLateAnswers,
    sizeCalculation: () => 1,
  })
  const limiter = createRateLimiter(limits.ratePerSecond, limits.burstMs)
  let connection: Connection | undefined
  /** True until the first bind succeeds or fails; the first submits wait for it. */
  let isOpening = true
  let outstanding = 0
  let hold = { at: 0, until: 0, times: 0 }
  let timer: NodeJS.Timeout | undefined
  let idleWaiters: (() => void)[] = []

  function submit(request: Submit): Promise<SendOutcome> {
    const lateAnswer = lateAnswers.get(request.id)
    if (lateAnswer) {
      lateAnswers.delete(request.id)
      return Promise.resolve(lateAnswer)
    }
    const existing = inFlight.get(request.id)
    if (existing) return existing
    if (!connection && !isOpening) return Promise.resolve(retryLater('The line to the message center is down.'))
    if (queue.size >= limits.waitingSubmits) {
      return Promise.resolve(retryLater('Too many messages wait for the message center.', 'rateLimited'))
    }
    const promise = new Promise<SendOutcome>((resolve) => {
      const complete = (outcome: SendOutcome) => {
        inFlight.delete(request.id)
        resolve(outcome)
      }
      queue.add({ since: performance.now(), complete, ...request })
    })
    inFlight.set(request.id, promise)
    drain()
    return promise
  }

  /** Sends the submits that window and rate allow, and schedules itself for the next. */
  function drain(): void {
    clearTimeout(timer)
    timer = undefined
    const now = performance.now()
    for (const each of queue) {
      if (now - each.since < limits.waitMs) break
      queue.delete(each)
      each.complete(retryLater('The message center takes messages more slowly than they come.', 'rateLimited'))
    }
    for (const each of queue) {
      if (!connection || outstanding >= limits.windowSubmits) break
      const waitMs = Math.max(hold.until - now, limiter.waitMs(now))
      if (waitMs > 0) return scheduleDrain(Math.min(waitMs, remainingWaitMs(each, now)))
      queue.delete(each)
      if (each.signal.aborted || each.isCancelled()) each.complete(retryLater('It must not go out any more.'))
      else sendSubmit(connection, each, now)
    }
    const [oldest] = queue
    if (oldest) scheduleDrain(remainingWaitMs(oldest, now))
  }

  const remainingWaitMs = ({ since }: QueuedSubmit, now: number) => limits.waitMs - (now - since)

  function scheduleDrain(ms: number): void {
    timer = setTimeout(drain, Math.ceil(ms))
  }

  function sendSubmit(target: Connection, each: QueuedSubmit, now: number): void {
    limiter.consume(now)
    outstanding += 1
    let isLate = false
    target.request('submit_sm', each.fields, limits.submitMs, (answer) => {
      if (isLate) return typeof answer === 'object' ? saveLateAnswer(each, outcomeOf(answer, each)) : undefined
      isLate = answer === 'late'
      outstanding -= 1
      if (typeof answer === 'object') adjustHold(answer.command_status, now)
      if (typeof answer === 'object' && answer.command_status === statuses.wrongBind) target.end()
      each.complete(
        typeof answer === 'object' ? outcomeOf(answer, each) : answer === 'late' ? lateOutcome : lostOutcome,
      )
      if (outstanding === 0) for (const resolve of idleWaiters.splice(0)) resolve()
      drain()
    })
  }

  /** One throttle answer counts for all submits that were sent before it. */
  function adjustHold(status: number, sentAt: number): void {
    if (status === statuses.ok) {
      if (sentAt > hold.until && hold.times > 0) hold = { ...hold, times: 0 }
      return
    }
    if (!isThrottle(status) || sentAt < hold.at) return
    const times = hold.times + 1
    const { holdMs: firstMs, holdMaxMs: mostMs, jitterShare } = limits
    const now = performance.now()
    hold = { at: now, until: now + backoffMs(times, { firstMs, mostMs, jitterShare }, random()), times }
  }

  function outcomeOf({ command_status: status, message_id: raw }: Pdu, { id, address }: Submit): SendOutcome {
    if (status !== statuses.ok) return refusalOf(status)
    const providerId = typeof raw === 'string' ? ids.recordSubmit(raw, address) : undefined
    return { kind: 'sent', providerId: providerId ?? id }
  }

  /** The next attempt of the same submit gets this answer, so that the person gets the message once. */
  function saveLateAnswer({ id }: Submit, outcome: SendOutcome): void {
    if (outcome.kind !== 'sent') return
    lateAnswers.set(id, outcome)
  }

  return {
    submit,
    attach(newConnection) {
      isOpening = false
      connection = newConnection
      drain()
    },
    detach() {
      isOpening = false
      connection = undefined
      clearTimeout(timer)
      const remaining = [...queue]
      queue.clear()
      for (const each of remaining) each.complete(retryLater('The line to the message center is down.'))
    },
    whenIdle: () => {
      if (outstanding === 0) return Promise.resolve()
      return new Promise((resolve) => {
        idleWaiters = [...idleWaiters, resolve]
      })
    },
  }
}

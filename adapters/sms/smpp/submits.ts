/**
 * Submits on their way to a message center: so many at a time as its window allows, at its pace, the rest in the order in
 * which they came. Each is answered once, whatever becomes of the line.
 */
import { LRUCache } from 'lru-cache'
import type { SendOutcome } from '../../../core/channel/adapter.js'
import { backoffMs } from '../../../core/time.js'
import type { Connection } from './connection.js'
import type { Ids } from './ids.js'
import type { Fields, Unit } from './library.js'
import { evenPace } from './pace.js'
import { asksForLess, notNow, refusalOf, statuses } from './refusals.js'

export interface Submit {
  /** The same each time it is tried. */
  readonly id: string
  readonly address: string
  readonly fields: Fields
  readonly signal: AbortSignal
  /** Asked when its turn has come. */
  readonly isWithheld: () => boolean
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
  readonly lateAnswersKept: number
}

export interface Submits {
  submit(submit: Submit): Promise<SendOutcome>
  /** The line is up. */
  begin(connection: Connection): void
  /** The line is lost, or is being closed: whoever still waits for their turn is told to come again. */
  cease(): void
  /** Resolves when no answer is awaited any more. */
  settled(): Promise<void>
}

interface Waiting extends Submit {
  readonly since: number
  readonly settle: (outcome: SendOutcome) => void
}

const maybeTaken = (detail: string): SendOutcome => ({ ...notNow(detail), isUnknown: true })
const lost = maybeTaken('The line was lost before the message center answered; it may have taken the message.')
const late = maybeTaken('The message center did not answer in time; it may have taken the message.')

export function openSubmits(limits: SubmitLimits, ids: Ids, chance: () => number): Submits {
  const waiting = new Set<Waiting>()
  const underWay = new Map<string, Promise<SendOutcome>>()
  const lateAnswers = new LRUCache<string, SendOutcome>({ maxSize: limits.lateAnswersKept, sizeCalculation: () => 1 })
  const pace = evenPace(limits.ratePerSecond, limits.burstMs)
  let connection: Connection | undefined
  /** Nobody knows yet whether the line comes up: whoever was first waits for that. */
  let isOpening = true
  let outstanding = 0
  let held = { at: 0, until: 0, times: 0 }
  let timer: NodeJS.Timeout | undefined
  let whenSettled: (() => void)[] = []

  function submit(asked: Submit): Promise<SendOutcome> {
    const known = lateAnswers.get(asked.id)
    if (known) {
      lateAnswers.delete(asked.id)
      return Promise.resolve(known)
    }
    const same = underWay.get(asked.id)
    if (same) return same
    if (!connection && !isOpening) return Promise.resolve(notNow('The line to the message center is down.'))
    if (waiting.size >= limits.waitingSubmits) {
      return Promise.resolve(notNow('Too many messages wait for the message center.', 'rateLimited'))
    }
    const promise = new Promise<SendOutcome>((resolve) => {
      const settle = (outcome: SendOutcome) => {
        underWay.delete(asked.id)
        resolve(outcome)
      }
      waiting.add({ since: performance.now(), settle, ...asked })
    })
    underWay.set(asked.id, promise)
    go()
    return promise
  }

  /** Sends whatever may go now, and comes back when the next may. */
  function go(): void {
    clearTimeout(timer)
    timer = undefined
    const now = performance.now()
    for (const each of waiting) {
      if (now - each.since < limits.waitMs) break
      waiting.delete(each)
      each.settle(notNow('The message center takes messages more slowly than they come.', 'rateLimited'))
    }
    for (const each of waiting) {
      if (!connection || outstanding >= limits.windowSubmits) break
      const waitMs = Math.max(held.until - now, pace.waitMs(now))
      if (waitMs > 0) return wakeIn(Math.min(waitMs, untilTooLate(each, now)))
      waiting.delete(each)
      if (each.signal.aborted || each.isWithheld()) each.settle(notNow('It must not go out any more.'))
      else hand(connection, each, now)
    }
    const [oldest] = waiting
    if (oldest) wakeIn(untilTooLate(oldest, now))
  }

  const untilTooLate = ({ since }: Waiting, now: number) => limits.waitMs - (now - since)

  function wakeIn(ms: number): void {
    timer = setTimeout(go, Math.ceil(ms))
  }

  function hand(to: Connection, each: Waiting, now: number): void {
    pace.took(now)
    outstanding += 1
    let isLate = false
    to.ask('submit_sm', each.fields, limits.submitMs, (answer) => {
      if (isLate) return typeof answer === 'object' ? keep(each, outcomeOf(answer, each)) : undefined
      isLate = answer === 'late'
      outstanding -= 1
      if (typeof answer === 'object') minded(answer.command_status, now)
      if (typeof answer === 'object' && answer.command_status === statuses.wrongBind) to.end()
      each.settle(typeof answer === 'object' ? outcomeOf(answer, each) : answer === 'late' ? late : lost)
      if (outstanding === 0) for (const told of whenSettled.splice(0)) told()
      go()
    })
  }

  /** One answer counts for all that were sent before it: they were too fast together. */
  function minded(status: number, sentAt: number): void {
    if (status === statuses.ok) {
      if (sentAt > held.until && held.times > 0) held = { ...held, times: 0 }
      return
    }
    if (!asksForLess(status) || sentAt < held.at) return
    const times = held.times + 1
    const { holdMs: firstMs, holdMaxMs: mostMs, jitterShare } = limits
    const now = performance.now()
    held = { at: now, until: now + backoffMs(times, { firstMs, mostMs, jitterShare }, chance()), times }
  }

  function outcomeOf({ command_status: status, message_id: raw }: Unit, { id, address }: Submit): SendOutcome {
    if (status !== statuses.ok) return refusalOf(status)
    const providerId = typeof raw === 'string' ? ids.submitted(raw, address) : undefined
    return { kind: 'sent', providerId: providerId ?? id }
  }

  /** Whoever tries the same again gets this answer, and the person one message. */
  function keep({ id }: Submit, outcome: SendOutcome): void {
    if (outcome.kind !== 'sent') return
    lateAnswers.set(id, outcome)
  }

  return {
    submit,
    begin(opened) {
      isOpening = false
      connection = opened
      go()
    },
    cease() {
      isOpening = false
      connection = undefined
      clearTimeout(timer)
      const left = [...waiting]
      waiting.clear()
      for (const each of left) each.settle(notNow('The line to the message center is down.'))
    },
    settled: () => {
      if (outstanding === 0) return Promise.resolve()
      return new Promise((resolve) => {
        whenSettled = [...whenSettled, resolve]
      })
    },
  }
}

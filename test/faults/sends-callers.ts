/**
 * Callers of sends: journeys and named sends, crowds under one key, cancels that race the worker, people who say STOP.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rng } from '../sim/world/rng.js'
import type { FaultNode } from './faultnode.js'
import type { SendAgent } from './sends-agent.js'
import { type SendRecord, type SendRequest, sendIdOf } from './sends-record.js'

export interface SendCallers {
  /** Begins no further call; resolves when every pending one has been answered. */
  stop(): Promise<void>
  /** Stops at once. */
  leave(): void
}

const callerCount = 6
const pauseMs = 30
const retryMs = 40
/** How often a number is written to within a short time, so that a STOP finds some sends pending; then it rests. */
const sendsPerPhone = 8
const phonesAtOnce = 12
const phoneCount = 9_000
const namedShare = 0.15
const crowdShare = 0.05
const crowd = 24
const cancelShare = 0.3
const stopShare = 0.1
/** The longest delay of a cancel or STOP after acceptance, mostly less: by then the send was sent or retried. */
const raceMs = 900
/** How many of the latest recipients may say STOP. */
const recentCount = 12

export function openSendCallers(options: {
  agent: SendAgent
  faultNodes: readonly FaultNode[]
  record: SendRecord
  rng: Rng
}): SendCallers {
  const { agent, faultNodes, record, rng } = options
  const races = new Set<Promise<void>>()
  let going = true
  let hasLeft = false
  let sequence = 0

  async function caller(number: number): Promise<void> {
    const own = rng.fork(`caller ${number}`)
    while (going) {
      const request: SendRequest = {
        ref: `ref-${++sequence}`,
        way: own.chance(namedShare) ? 'named' : 'journey',
        phone: phoneAt(Math.floor(sequence / sendsPerPhone) + own.below(phonesAtOnce)),
        beganAt: performance.now(),
        answers: [],
      }
      record.requests.push(request)
      const crowdSize = own.chance(crowdShare) ? crowd : 1
      const [first, raceAfterMs] = [own.below(faultNodes.length), raceMs * own.next() ** 2]
      const isCancelled = own.chance(cancelShare)
      const silenced = own.chance(stopShare) ? own.pick(record.requests.slice(-recentCount)).phone : undefined
      await Promise.all(Array.from({ length: crowdSize }, (_, nth) => requestSend(request, first + nth)))
      request.answeredAt = performance.now()
      if (isCancelled) race(raceAfterMs, () => cancelSend(request, first))
      if (silenced !== undefined) race(raceAfterMs, () => stopPerson(silenced, first))
      await sleep(pauseMs)
    }
  }

  /** Calls node after node until one answers. */
  async function retryUntilAnswered<R>(
    first: number,
    call: (faultNode: FaultNode) => Promise<R | undefined>,
  ): Promise<R | undefined> {
    for (let nth = first; !hasLeft; nth++) {
      const answer = await call(faultNodes[nth % faultNodes.length]!)
      if (answer !== undefined) return answer
      await sleep(retryMs)
    }
    return undefined
  }

  async function requestSend(request: SendRequest, first: number): Promise<void> {
    const sendAnswer = await retryUntilAnswered(first, (faultNode) => agent.requestSend(faultNode, request))
    if (sendAnswer) request.answers.push(sendAnswer)
  }

  /** A cancel without an answer may have taken effect, so the next answer proves nothing. */
  async function cancelSend(request: SendRequest, first: number): Promise<void> {
    const sendId = sendIdOf(request)
    if (sendId === undefined) return
    const answer = await retryUntilAnswered(first, (faultNode) => agent.cancel(faultNode, sendId))
    if (answer === 'cancelled') request.cancelledAt = record.moment()
  }

  async function stopPerson(phone: string, first: number): Promise<void> {
    if (record.stops.has(phone)) return
    const stop = { phone, begunAt: record.moment() }
    record.stops.set(phone, stop)
    if (await retryUntilAnswered(first, (faultNode) => agent.stop(faultNode, phone))) {
      record.stops.set(phone, { ...stop, acknowledgedAt: record.moment() })
    }
  }

  function race(afterMs: number, act: () => Promise<void>): void {
    const done = sleep(afterMs)
      .then(act)
      .catch((error: Error) => void record.violations.push(error.message))
      .finally(() => races.delete(done))
    races.add(done)
  }

  const callers = Array.from({ length: callerCount }, (_, number) =>
    caller(number).catch((error: Error) => void record.violations.push(error.message)),
  )
  return {
    async stop() {
      going = false
      await Promise.all(callers)
      await Promise.all(races)
    },
    leave() {
      going = false
      hasLeft = true
    },
  }
}

function phoneAt(faultNode: number): string {
  return `+1415555${1_000 + (faultNode % phoneCount)}`
}

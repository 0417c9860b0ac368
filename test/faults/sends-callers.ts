/**
 * Callers of sends: journeys and named sends, crowds under one key, cancels that race the worker, people who say STOP.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rng } from '../sim/world/rng.js'
import type { FaultNode } from './faultnode.js'
import type { SendAgent } from './sends-agent.js'
import { type SendRecord, sendIdOf, type Wanted } from './sends-record.js'

export interface SendCallers {
  /** Begins no further call; resolves when every pending one has been answered. */
  stop(): Promise<void>
  /** Stops at once. */
  leave(): void
}

const callerCount = 6
const restMs = 30
const againMs = 40
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
const lately = 12

export function openSendCallers(options: {
  agent: SendAgent
  faultNodes: readonly FaultNode[]
  record: SendRecord
  rng: Rng
}): SendCallers {
  const { agent, faultNodes, record, rng } = options
  const races = new Set<Promise<void>>()
  let going = true
  let gone = false
  let serial = 0

  async function caller(number: number): Promise<void> {
    const own = rng.fork(`caller ${number}`)
    while (going) {
      const wanted: Wanted = {
        ref: `ref-${++serial}`,
        way: own.chance(namedShare) ? 'named' : 'journey',
        phone: phoneAt(Math.floor(serial / sendsPerPhone) + own.below(phonesAtOnce)),
        beganAt: performance.now(),
        told: [],
      }
      record.wanted.push(wanted)
      const askers = own.chance(crowdShare) ? crowd : 1
      const [first, raceAfterMs] = [own.below(faultNodes.length), raceMs * own.next() ** 2]
      const isCancelled = own.chance(cancelShare)
      const silenced = own.chance(stopShare) ? own.pick(record.wanted.slice(-lately)).phone : undefined
      await Promise.all(Array.from({ length: askers }, (_, nth) => asked(wanted, first + nth)))
      wanted.answeredAt = performance.now()
      if (isCancelled) race(raceAfterMs, () => cancelled(wanted, first))
      if (silenced !== undefined) race(raceAfterMs, () => stopped(silenced, first))
      await sleep(restMs)
    }
  }

  /** Calls node after node until one answers. */
  async function insisted<R>(
    first: number,
    ask: (faultNode: FaultNode) => Promise<R | undefined>,
  ): Promise<R | undefined> {
    for (let nth = first; !gone; nth++) {
      const answer = await ask(faultNodes[nth % faultNodes.length]!)
      if (answer !== undefined) return answer
      await sleep(againMs)
    }
    return undefined
  }

  async function asked(wanted: Wanted, first: number): Promise<void> {
    const told = await insisted(first, (faultNode) => agent.ask(faultNode, wanted))
    if (told) wanted.told.push(told)
  }

  /** A cancel without an answer may have taken effect, so the next answer proves nothing. */
  async function cancelled(wanted: Wanted, first: number): Promise<void> {
    const sendId = sendIdOf(wanted)
    if (sendId === undefined) return
    const answer = await insisted(first, (faultNode) => agent.cancel(faultNode, sendId))
    if (answer === 'cancelled') wanted.cancelledAt = record.moment()
  }

  async function stopped(phone: string, first: number): Promise<void> {
    if (record.stops.has(phone)) return
    const stop = { phone, begunAt: record.moment() }
    record.stops.set(phone, stop)
    if (await insisted(first, (faultNode) => agent.stop(faultNode, phone))) {
      record.stops.set(phone, { ...stop, acknowledgedAt: record.moment() })
    }
  }

  function race(afterMs: number, act: () => Promise<void>): void {
    const done = sleep(afterMs)
      .then(act)
      .catch((error: Error) => void record.wrongs.push(error.message))
      .finally(() => races.delete(done))
    races.add(done)
  }

  const callers = Array.from({ length: callerCount }, (_, number) =>
    caller(number).catch((error: Error) => void record.wrongs.push(error.message)),
  )
  return {
    async stop() {
      going = false
      await Promise.all(callers)
      await Promise.all(races)
    },
    leave() {
      going = false
      gone = true
    },
  }
}

function phoneAt(faultNode: number): string {
  return `+1415555${1_000 + (faultNode % phoneCount)}`
}

/**
 * A journey platform within its budget: so many calls a second, whatever the answers take, every one of them looked at.
 * Now and then it calls a step again, and asks what became of a send.
 */

import { createHistogram } from 'node:perf_hooks'
import { Pool } from 'undici'
import { budgets } from '../../core/limits.js'
import { cpuMicros } from '../control.js'
import { percentilesOf } from '../load/generator.js'
import { takeJob } from '../load/job.js'
import { openTimeline, type Timeline } from '../load/timeline.js'
import type { Sample } from '../sample.js'
import { type Budgeted, finalAfterMs, repeatEvery, statusEveryMs } from './budget.js'
import { bodyOf, firstProfile } from './setting.js'

const { port, request, window, warm } = await takeJob()
const { path, statusPath, keys, statusKey, isBurst } = request.made!.of as Budgeted
const { refillPerSecond, burstCalls } = budgets.journey
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 128, pipelining: 1 })

interface Accepted {
  readonly profile: number
  readonly sendId: string
  readonly at: number
}

/** Members of both answers; each is looked at by whoever asked for it. */
interface Answer {
  readonly outcome: string
  readonly idempotency: string
  readonly sendId: string
  readonly state: string
  readonly reason: string
  readonly reachable: boolean
  readonly final: boolean
}

const accepted: Accepted[] = []
const sendIds = new Set<string>()
const failures: Record<string, number> = {}
const underWay = new Set<Promise<void>>()
let profile = firstProfile()
let micros = createHistogram({ figures: 3 })
let timeline: Timeline | undefined
let operations = 0

function fail(what: string): void {
  failures[what] = (failures[what] ?? 0) + 1
}

/** Timed from when it was due, so that a call which waits for a connection is not the faster for it. */
function call(dueAt: number, work: () => Promise<void>): void {
  const done = work()
    .catch((failure: Error) => fail(failure.message))
    .then(() => {
      const taken = Math.max(1, Math.round((performance.now() - dueAt) * 1000))
      micros.record(taken)
      timeline?.record(taken)
      operations++
    })
    .finally(() => underWay.delete(done))
  underWay.add(done)
}

async function asked(
  method: 'GET' | 'POST',
  where: string,
  key: string,
  body?: string,
): Promise<{ status: number; json: Answer }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await pool.request({ method, path: where, headers, ...(body !== undefined && { body }) })
  return { status: answer.statusCode, json: (await answer.body.json()) as Answer }
}

async function newStep(): Promise<void> {
  const own = profile++
  const { status, json } = await asked('POST', path, keys[0]!, bodyOf(own))
  if (status !== 200) return fail(`status ${status}`)
  if (json.outcome !== 'queued' || json.idempotency !== 'journey') return fail(`answered ${json.outcome}`)
  if (sendIds.has(json.sendId)) return fail('a send of another profile')
  sendIds.add(json.sendId)
  accepted.push({ profile: own, sendId: json.sendId, at: Date.now() })
}

async function sameStep({ profile: before, sendId }: Accepted): Promise<void> {
  const { status, json } = await asked('POST', path, keys[0]!, bodyOf(before))
  if (status !== 200) return fail(`status ${status} of a repeat`)
  if (json.outcome !== 'duplicate' || json.sendId !== sendId) fail('a repeat was not the same send')
}

/** Once it had the time to be picked up and handed over it must be sent, and before that on its way there. */
async function lookAt({ sendId, at }: Accepted): Promise<void> {
  const mustBeSent = Date.now() - at > finalAfterMs
  const { status, json } = await asked('GET', `${statusPath}/${sendId}`, statusKey)
  if (status !== 200) return fail(`status ${status} of a status`)
  const isKnown = ['queued', 'sending', 'sent'].includes(json.state) && json.reason === '' && json.reachable === true
  if (json.sendId !== sendId || !isKnown || json.final !== (json.state === 'sent')) fail('a status was wrong')
  if (mustBeSent && json.state !== 'sent') fail(`a send was still ${json.state} when it should have been sent`)
}

function anyAccepted(): Accepted | undefined {
  return accepted[Math.floor(Math.random() * accepted.length)]
}

let made = 0
function next(dueAt: number): void {
  const before = ++made % repeatEvery === 0 ? anyAccepted() : undefined
  call(dueAt, () => (before ? sameStep(before) : newStep()))
}

/** As many as are due by the clock, and no fewer because answers are slow. */
async function pacedFor(seconds: number): Promise<void> {
  const begun = performance.now()
  const statuses = setInterval(() => {
    const send = anyAccepted()
    if (send) lookAt(send).catch((failure: Error) => fail(failure.message))
  }, statusEveryMs)
  for (let called = 0; called < Math.floor(seconds * refillPerSecond); called++) {
    const dueAt = begun + (called / refillPerSecond) * 1000
    const wait = dueAt - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    next(dueAt)
  }
  clearInterval(statuses)
  await Promise.all(underWay)
}

/** All that a full budget holds at once. */
async function burst(): Promise<void> {
  const dueAt = performance.now()
  for (let each = 0; each < burstCalls; each++) call(dueAt, newStep)
  await Promise.all(underWay)
}

/** As many again: what the budget does not hold has to wait. */
async function beyondBudget(since: number): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: burstCalls }, () => asked('POST', path, keys[0]!, bodyOf(profile++))),
  )
  const taken = burstCalls + answers.filter(({ status }) => status !== 429).length
  // However long it took, no more than the bucket held and what flowed into it meanwhile.
  const held = burstCalls + (refillPerSecond * (performance.now() - since)) / 1000
  if (taken > Math.ceil(held)) fail('more than the budget was taken')
}

if (!isBurst) await pacedFor(window.warmSeconds)
await warm()
micros = createHistogram({ figures: 3 })
operations = 0
timeline = openTimeline(window.seconds)
const begun = { at: performance.now(), cpu: cpuMicros() }
await (isBurst ? burst() : pacedFor(window.seconds))
const seconds = (performance.now() - begun.at) / 1000
const sample: Sample = {
  operations,
  seconds,
  failures,
  bytes: 0,
  latencyMs: percentilesOf(micros),
  cpuMicros: 0,
  loadCores: (cpuMicros() - begun.cpu) / 1e6 / seconds,
  timeline: timeline.end(),
}
if (isBurst) await beyondBudget(begun.at)
console.log(JSON.stringify(sample))
await pool.close()

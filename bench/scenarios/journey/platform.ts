/**
 * A journey platform within its budget: calls at a fixed rate, however long answers take, each answer checked. Now and
 * then it repeats a step, or asks for the status of a send.
 */

import { createHistogram } from 'node:perf_hooks'
import { Pool } from 'undici'
import { budgets } from '../../../core/limits/index.js'
import { percentilesOf } from '../../harness/load/generator.js'
import { readJob } from '../../harness/load/job.js'
import { createTimeline, type Timeline } from '../../harness/load/timeline.js'
import { cpuMicros } from '../../harness/rpc.js'
import type { Sample } from '../../harness/sample.js'
import { type BudgetLoad, finalAfterMs, repeatEvery, statusEveryMs } from './budget.js'
import { bodyOf, firstProfile } from './fixtures.js'

const { port, request, window, warm } = await readJob()
const { path, statusPath, keys, statusKey, isBurst } = request.made!.of as BudgetLoad
const { refillPerSecond, burstCalls } = budgets.journey
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 128, pipelining: 1 })

interface Accepted {
  readonly profile: number
  readonly sendId: string
  readonly at: number
}

/** Members of both answers; each caller checks those it needs. */
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
const inFlight = new Set<Promise<void>>()
let profile = firstProfile()
let micros = createHistogram({ figures: 3 })
let timeline: Timeline | undefined
let operations = 0

function fail(what: string): void {
  failures[what] = (failures[what] ?? 0) + 1
}

/** Timed from the moment the call is due, so that waiting for a connection counts. */
function call(dueAt: number, work: () => Promise<void>): void {
  const done = work()
    .catch((failure: Error) => fail(failure.message))
    .then(() => {
      const elapsedMicros = Math.max(1, Math.round((performance.now() - dueAt) * 1000))
      micros.record(elapsedMicros)
      timeline?.record(elapsedMicros)
      operations++
    })
    .finally(() => inFlight.delete(done))
  inFlight.add(done)
}

async function sendRequest(
  method: 'GET' | 'POST',
  target: string,
  key: string,
  body?: string,
): Promise<{ status: number; json: Answer }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await pool.request({ method, path: target, headers, ...(body !== undefined && { body }) })
  return { status: answer.statusCode, json: (await answer.body.json()) as Answer }
}

async function sendStep(): Promise<void> {
  const own = profile++
  const { status, json } = await sendRequest('POST', path, keys[0]!, bodyOf(own))
  if (status !== 200) return fail(`status ${status}`)
  if (json.outcome !== 'queued' || json.idempotency !== 'journey') return fail(`answered ${json.outcome}`)
  if (sendIds.has(json.sendId)) return fail('a send of another profile')
  sendIds.add(json.sendId)
  accepted.push({ profile: own, sendId: json.sendId, at: Date.now() })
}

async function repeatStep({ profile: before, sendId }: Accepted): Promise<void> {
  const { status, json } = await sendRequest('POST', path, keys[0]!, bodyOf(before))
  if (status !== 200) return fail(`status ${status} of a repeat`)
  if (json.outcome !== 'duplicate' || json.sendId !== sendId) fail('a repeat was not the same send')
}

/** After the time for pickup and delivery the send must be `sent`, before that a state on the way to it. */
async function checkStatus({ sendId, at }: Accepted): Promise<void> {
  const mustBeSent = Date.now() - at > finalAfterMs
  const { status, json } = await sendRequest('GET', `${statusPath}/${sendId}`, statusKey)
  if (status !== 200) return fail(`status ${status} of a status`)
  const isKnown = ['queued', 'sending', 'sent'].includes(json.state) && json.reason === '' && json.reachable === true
  if (json.sendId !== sendId || !isKnown || json.final !== (json.state === 'sent')) fail('a status was wrong')
  if (mustBeSent && json.state !== 'sent') fail(`a send was still ${json.state} when it should have been sent`)
}

function randomAccepted(): Accepted | undefined {
  return accepted[Math.floor(Math.random() * accepted.length)]
}

let stepCount = 0
function next(dueAt: number): void {
  const before = ++stepCount % repeatEvery === 0 ? randomAccepted() : undefined
  call(dueAt, () => (before ? repeatStep(before) : sendStep()))
}

/** All calls that are due by the clock; slow answers do not reduce them. */
async function runPaced(seconds: number): Promise<void> {
  const start = performance.now()
  const statuses = setInterval(() => {
    const send = randomAccepted()
    if (send) checkStatus(send).catch((failure: Error) => fail(failure.message))
  }, statusEveryMs)
  for (let callCount = 0; callCount < Math.floor(seconds * refillPerSecond); callCount++) {
    const dueAt = start + (callCount / refillPerSecond) * 1000
    const wait = dueAt - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    next(dueAt)
  }
  clearInterval(statuses)
  await Promise.all(inFlight)
}

/** The whole burst of a full budget at once. */
async function burst(): Promise<void> {
  const dueAt = performance.now()
  for (let each = 0; each < burstCalls; each++) call(dueAt, sendStep)
  await Promise.all(inFlight)
}

/** The same number again; the budget refuses the surplus. */
async function exceedBudget(since: number): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: burstCalls }, () => sendRequest('POST', path, keys[0]!, bodyOf(profile++))),
  )
  const acceptedCount = burstCalls + answers.filter(({ status }) => status !== 429).length
  // At most the bucket's content plus its refill over the elapsed time.
  const allowed = burstCalls + (refillPerSecond * (performance.now() - since)) / 1000
  if (acceptedCount > Math.ceil(allowed)) fail('more than the budget was taken')
}

if (!isBurst) await runPaced(window.warmSeconds)
await warm()
micros = createHistogram({ figures: 3 })
operations = 0
timeline = createTimeline(window.seconds)
const start = { at: performance.now(), cpu: cpuMicros() }
await (isBurst ? burst() : runPaced(window.seconds))
const seconds = (performance.now() - start.at) / 1000
const sample: Sample = {
  operations,
  seconds,
  failures,
  bytes: 0,
  latencyMs: percentilesOf(micros),
  cpuMicros: 0,
  loadCores: (cpuMicros() - start.cpu) / 1e6 / seconds,
  timeline: timeline.end(),
}
if (isBurst) await exceedBudget(start.at)
console.log(JSON.stringify(sample))
await pool.close()

/** An operator's calls of the management API at a fixed rate, however long answers take; one in four is a change. */
import { createHistogram } from 'node:perf_hooks'
import { Pool } from 'undici'
import { percentilesOf } from '../../harness/load/generator.js'
import { readJob } from '../../harness/load/job.js'
import { createTimeline, type Timeline } from '../../harness/load/timeline.js'
import { cpuMicros } from '../../harness/rpc.js'
import type { Sample } from '../../harness/sample.js'

export interface ApiCalls {
  readonly key: string
  readonly person: string
  readonly sends: string
}

const perSecond = 100

const { port, request, window, warm } = await readJob()
const { key, person, sends } = request.made!.of as ApiCalls
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 32, pipelining: 1 })
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

const failures: Record<string, number> = {}
const inFlight = new Set<Promise<void>>()
let micros = createHistogram({ figures: 3 })
let timeline: Timeline | undefined
let operations = 0
let callCount = 0

function next() {
  const nth = callCount++
  if (nth % 4 === 0) return { method: 'PATCH', path: person, body: JSON.stringify({ notes: `Call ${nth}` }) } as const
  return { method: 'GET', path: nth % 2 === 0 ? sends : person } as const
}

/** Timed from the moment the call is due, so that waiting for a connection counts. */
async function call(dueAt: number): Promise<void> {
  try {
    const { statusCode, body } = await pool.request({ ...next(), headers })
    await body.dump()
    if (statusCode !== 200) fail(`status ${statusCode}`)
  } catch (failure) {
    fail((failure as Error).message)
  }
  const elapsedMicros = Math.max(1, Math.round((performance.now() - dueAt) * 1000))
  micros.record(elapsedMicros)
  timeline?.record(elapsedMicros)
  operations++
}

function fail(what: string): void {
  failures[what] = (failures[what] ?? 0) + 1
}

async function runPaced(seconds: number): Promise<void> {
  const start = performance.now()
  for (let nth = 0; nth < Math.max(1, seconds * perSecond); nth++) {
    const dueAt = start + (nth / perSecond) * 1000
    const wait = dueAt - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const done = call(dueAt).finally(() => inFlight.delete(done))
    inFlight.add(done)
  }
  await Promise.all(inFlight)
}

await runPaced(window.warmSeconds)
await warm()
micros = createHistogram({ figures: 3 })
operations = 0
timeline = createTimeline(window.seconds)
const start = { at: performance.now(), cpu: cpuMicros() }
await runPaced(window.seconds)
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
console.log(JSON.stringify(sample))
await pool.close()

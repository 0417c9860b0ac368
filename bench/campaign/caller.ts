/** Somebody at work with the management API: so many calls a second, whatever the answers take; one in four is a change. */
import { createHistogram } from 'node:perf_hooks'
import { Pool } from 'undici'
import { cpuMicros } from '../control.js'
import { percentilesOf } from '../load/generator.js'
import { takeJob } from '../load/job.js'
import { openTimeline, type Timeline } from '../load/timeline.js'
import type { Sample } from '../sample.js'

export interface ApiCalls {
  readonly key: string
  readonly person: string
  readonly sends: string
}

const perSecond = 100

const { port, request, window, warm } = await takeJob()
const { key, person, sends } = request.made!.of as ApiCalls
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 32, pipelining: 1 })
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

const failures: Record<string, number> = {}
const underWay = new Set<Promise<void>>()
let micros = createHistogram({ figures: 3 })
let timeline: Timeline | undefined
let operations = 0
let called = 0

function next() {
  const nth = called++
  if (nth % 4 === 0) return { method: 'PATCH', path: person, body: JSON.stringify({ notes: `Call ${nth}` }) } as const
  return { method: 'GET', path: nth % 2 === 0 ? sends : person } as const
}

/** Timed from here, so that a call which waits for a connection is not the faster for it. */
async function call(): Promise<void> {
  const begun = performance.now()
  try {
    const { statusCode, body } = await pool.request({ ...next(), headers })
    await body.dump()
    if (statusCode !== 200) fail(`status ${statusCode}`)
  } catch (failure) {
    fail((failure as Error).message)
  }
  const taken = Math.max(1, Math.round((performance.now() - begun) * 1000))
  micros.record(taken)
  timeline?.record(taken)
  operations++
}

function fail(what: string): void {
  failures[what] = (failures[what] ?? 0) + 1
}

async function pacedFor(seconds: number): Promise<void> {
  const begun = performance.now()
  for (let nth = 0; nth < Math.max(1, seconds * perSecond); nth++) {
    const wait = begun + (nth / perSecond) * 1000 - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const done = call().finally(() => underWay.delete(done))
    underWay.add(done)
  }
  await Promise.all(underWay)
}

await pacedFor(window.warmSeconds)
await warm()
micros = createHistogram({ figures: 3 })
operations = 0
timeline = openTimeline(window.seconds)
const begun = { at: performance.now(), cpu: cpuMicros() }
await pacedFor(window.seconds)
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
console.log(JSON.stringify(sample))
await pool.close()

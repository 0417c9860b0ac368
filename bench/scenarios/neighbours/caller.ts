/**
 * Sends the corpus, one body after the other, while a neighbour calls both planes; the sample holds the neighbour's
 * waits.
 */
import { createHistogram } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { request } from 'undici'
import { percentilesOf } from '../../harness/load/generator.js'
import { readJob } from '../../harness/load/job.js'
import { cpuMicros } from '../../harness/rpc.js'
import type { Sample } from '../../harness/sample.js'
import { bodyOf, type HostileBody, nameOf } from './corpus.js'
import { type ExtraCall, extraCalls } from './extracalls.js'
import type { CallerSetup } from './fixtures.js'

const { request: about, window, warm } = await readJob()
const setup = about.made!.of as CallerSetup
const { urls, key, corpus, params } = setup
const neighbour = new Worker(new URL('./neighbour.js', import.meta.url), { workerData: Object.values(urls) })
const failures: Record<string, number> = {}
const micros = createHistogram({ figures: 3 })
const worst: { readonly name: string; readonly ms: number }[] = []
let bytes = 0
/** A signature of the right length, so that the node reads the body. */
const unknownSignature = `${'A'.repeat(27)}=`

function waits(): Promise<number[]> {
  return new Promise((resolve) => {
    neighbour.once('message', resolve)
    neighbour.postMessage('waits')
  })
}

/** The neighbour's waits during the action. */
async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  await work()
  // A wait that began during the action ends before its answer is counted.
  await pause(20)
  const all = await waits()
  for (const ms of all) micros.record(Math.max(1, Math.round(ms * 1000)))
  worst.push({ name, ms: Math.max(0, ...all) })
}

async function send(plane: 'mgmt' | 'gateway', method: string, path: string, type: string, body: Buffer) {
  bytes += body.length
  const url = `${urls[plane]}${path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'x')}`
  const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'x-twilio-signature': unknownSignature }
  try {
    const answer = await request(url, { method: method as 'POST', headers, body })
    await answer.body.dump()
    if (answer.statusCode === 500) failures[`500 of ${method} ${path}`] = 1
    return answer.statusCode
  } catch {
    // The node may answer an oversized body and close the connection before all of it was sent.
    return 0
  }
}

function sendOne(each: HostileBody): Promise<number> {
  const prefix = each.plane === 'mgmt' ? '/v1' : '/v4'
  return send(each.plane, each.method, `${prefix}${each.path}`, each.type, bodyOf(each))
}

/** Requests that warm the node up: code that has run only once is slow, and the delay would count for the next body. */
const ordinary = Array.from({ length: 40 }, (_, nth) => ({
  question: `What about ${nth}?`,
  answer: 'It’s open. \u00e9 '.repeat(20),
}))
const warmUntil = performance.now() + window.warmSeconds * 1000
for (let nth = 0; performance.now() < warmUntil; nth++) {
  const facts = ordinary.map((each, index) => ({ id: `fact-${(nth + index) % 100}`, ...each }))
  const body = Buffer.from(JSON.stringify({ facts }))
  await send('mgmt', 'PUT', '/v1/orgs/{org}/agents/{agent}/knowledge/facts', 'application/json', body)
}
bytes = 0
await warm()
await waits()
const start = { at: performance.now(), cpu: cpuMicros() }
const calls: readonly ExtraCall[] = [
  ...corpus.map((each) => ({ name: nameOf(each), run: () => sendOne(each) })),
  ...extraCalls(setup, send),
]
for (const { name, run } of calls) {
  // As everywhere, a window lasts until one operation was done in it.
  if (worst.length > 0 && (performance.now() - start.at) / 1000 > window.seconds) break
  await measure(name, run)
}
if (worst.length < calls.length) console.error(`There was time for ${worst.length} of ${calls.length} bodies.`)
const seconds = (performance.now() - start.at) / 1000
await neighbour.terminate()
worst.sort((one, other) => other.ms - one.ms)
for (const { name, ms } of worst.slice(0, 10)) console.error(`${ms.toFixed(1).padStart(8)} ms  ${name}`)
const sample: Sample = {
  operations: worst.length,
  seconds,
  failures,
  bytes,
  latencyMs: percentilesOf(micros),
  cpuMicros: 0,
  loadCores: (cpuMicros() - start.cpu) / 1e6 / seconds,
}
console.log(JSON.stringify(sample))

/**
 * The visitors of a candidate, in their own process: open pages, and messages at a fixed rate, however long answers
 * take. Each message is timed from the moment it is due, so that a server which falls behind gets no relief.
 */
import { createHistogram } from 'node:perf_hooks'
import { Client, Pool } from 'undici'
import { percentilesOf } from '../../harness/load/generator.js'
import { createTimeline, type Timeline } from '../../harness/load/timeline.js'
import { cpuMicros } from '../../harness/rpc.js'
import type { Sample, Window } from '../../harness/sample.js'
import { sleep } from '../messages/phones.js'
import { addressOf, rateOf, sequenceOf, textOf, visitorsPerAddress } from './fixtures.js'
import { type ChatTarget, greetingOf, type VisitorsRequest, type VisitorsResponse } from './rpc.js'
import { openVisitor, type ServerFrame, type Visitor } from './visitor.js'

/** Pages that open at the same time. */
const maxConnecting = 100
/** How long the last messages may take before they count as lost. */
const graceMs = 10_000
const agentConnections = 64

const tokens: string[] = []
let visitors: Visitor[] = []
let agent: Agent | undefined
/** The due time of each message that has not arrived yet. */
const due = new Map<string, number>()
let failures: Record<string, number> = {}
let micros = createHistogram({ figures: 3 })
let timeline: Timeline | undefined
let operations = 0
let sequence = 0

function fail(what: string): void {
  failures[what] = (failures[what] ?? 0) + 1
}

function recordArrival(name: string): void {
  const at = due.get(name)
  if (at === undefined) return
  due.delete(name)
  const elapsedMicros = Math.max(1, Math.round((performance.now() - at) * 1000))
  micros.record(elapsedMicros)
  timeline?.record(elapsedMicros)
  operations++
}

/** The bare server echoes a frame; a gateway acknowledges that it is on the disk. */
const answers: Readonly<Record<string, (frame: ServerFrame) => void>> = {
  accepted: ({ id = '' }) => recordArrival(id),
  text: ({ id = '' }) => recordArrival(id),
  message: ({ blocks = [] }) => recordArrival(String(sequenceOf(blocks[0]?.text ?? ''))),
  error: ({ code }) => fail(`told ${code}`),
}
const onFrame = (frame: ServerFrame) => answers[frame.type]?.(frame)

/** Runs this many at a time until all are done. */
async function runLimited(count: number, atOnce: number, each: (at: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await each(next++)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker))
}

async function fetchTokens({ port, path }: ChatTarget, count: number): Promise<void> {
  const addresses = Math.ceil(count / visitorsPerAddress)
  await runLimited(addresses, 10, async (address) => {
    const first = address * visitorsPerAddress
    const client = new Client(`http://127.0.0.1:${port}`, { localAddress: addressOf(first) })
    for (let visitor = first; visitor < Math.min(count, first + visitorsPerAddress); visitor++) {
      if (tokens[visitor] !== undefined) continue
      const answer = await client.request({ method: 'POST', path: `${path}/visitors` })
      const body = (await answer.body.json()) as { token: string }
      if (answer.statusCode !== 201) throw new Error(`a visitor was answered ${answer.statusCode}`)
      tokens[visitor] = body.token
    }
    await client.close()
  })
}

interface Agent {
  send(userId: string, words: string): Promise<void>
  close(): Promise<void>
}

function openAgent(port: number, token: string): Agent {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: agentConnections, pipelining: 1 })
  return {
    async send(userId, words) {
      const body = JSON.stringify({ userId, messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: words }] }] })
      const answer = await pool.request({ method: 'POST', path: '/v4/messages', headers, body })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) fail(`status ${answer.statusCode}`)
      else if (!text.includes('"accepted":true')) fail('not accepted')
    },
    close: () => pool.close(),
  }
}

async function connectVisitors(target: ChatTarget, count: number): Promise<void> {
  const { port, path, hasTokens, agentToken } = target
  if (hasTokens) await fetchTokens(target, count)
  agent = openAgent(port, agentToken)
  visitors = new Array(count)
  await runLimited(count, maxConnecting, async (number) => {
    const socketPath = `${path}?token=${encodeURIComponent(tokens[number] ?? String(number))}`
    visitors[number] = await openVisitor({ number, port, path: socketPath, onFrame, onLost: fail })
  })
}
function sendText(visitor: number, id: string, text: string): void {
  visitors[visitor]!.send({ v: 1, type: 'text', id, text })
}

async function greet(): Promise<void> {
  await runLimited(visitors.length, maxConnecting, async (visitor) => {
    const id = greetingOf(visitor)
    due.set(id, performance.now())
    sendText(visitor, id, 'Hello')
    while (due.has(id)) await sleep(5)
  })
}

/** Visitors in turn; with `people` the agent writes to each of them instead. */
async function runPaced(seconds: number, people: readonly string[] | undefined): Promise<void> {
  const perSecond = rateOf(visitors.length)
  const start = performance.now()
  const all = Math.floor(seconds * perSecond)
  for (let sentCount = 0; sentCount < all; ) {
    for (; sentCount < all && start + (sentCount / perSecond) * 1000 <= performance.now(); sentCount++) {
      const number = sequence++
      const visitor = number % visitors.length
      due.set(String(number), start + (sentCount / perSecond) * 1000)
      if (people) agent!.send(people[visitor]!, textOf(number)).catch((failure: Error) => fail(failure.message))
      else sendText(visitor, String(number), textOf(number))
    }
    await sleep(1)
  }
}

async function waitForPending(): Promise<void> {
  const until = performance.now() + graceMs
  while (due.size > 0 && performance.now() < until) await sleep(5)
  for (const _ of due) fail('never came')
  due.clear()
}

async function talk({ warmSeconds, seconds }: Window, people: readonly string[] | undefined): Promise<Sample> {
  await runPaced(warmSeconds, people)
  await waitForPending()
  micros = createHistogram({ figures: 3 })
  operations = 0
  timeline = createTimeline(seconds)
  sendResponse({ answer: 'measuring' })
  const start = { at: performance.now(), cpu: cpuMicros() }
  await runPaced(seconds, people)
  await waitForPending()
  const elapsedSeconds = (performance.now() - start.at) / 1000
  const loadCores = (cpuMicros() - start.cpu) / 1e6 / elapsedSeconds
  const windowFailures = failures
  failures = {}
  return {
    operations,
    seconds: elapsedSeconds,
    failures: windowFailures,
    bytes: 0,
    latencyMs: percentilesOf(micros),
    cpuMicros: 0,
    loadCores,
    timeline: timeline.end(),
  }
}

async function disconnect(): Promise<void> {
  for (const visitor of visitors) visitor?.close()
  visitors = []
  await agent?.close()
}

async function answer(request: VisitorsRequest): Promise<VisitorsResponse> {
  switch (request.ask) {
    case 'connect':
      await connectVisitors(request.target, request.visitors)
      return { answer: 'done' }
    case 'greet':
      await greet()
      return { answer: 'done' }
    case 'talk':
      return { answer: 'talked', sample: await talk(request.window, request.people) }
    case 'disconnect':
      await disconnect()
      return { answer: 'done' }
  }
}

const sendResponse = (answered: VisitorsResponse) => process.send?.(answered)
process.on('disconnect', () => process.exit(0))
process.on('message', (request: VisitorsRequest) => {
  answer(request).then(sendResponse, (failure: unknown) => sendResponse({ answer: 'failed', why: String(failure) }))
})

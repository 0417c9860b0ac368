/**
 * The visitors of a candidate, in a process of their own: so many open pages, and messages at a fixed pace whatever the
 * answers take. Each is timed from when it was due, so that a server which falls behind is not spared any of it.
 */
import { createHistogram } from 'node:perf_hooks'
import { Client, Pool } from 'undici'
import { cpuMicros } from '../control.js'
import { percentilesOf } from '../load/generator.js'
import { openTimeline, type Timeline } from '../load/timeline.js'
import { pause } from '../messages/phones.js'
import type { Sample, Window } from '../sample.js'
import { type Answered, type Asked, greetingOf, type Place } from './asking.js'
import { addressOf, rateOf, serialIn, visitorsPerAddress, wordsOf } from './setting.js'
import { comeIn, type Told, type Visitor } from './visitor.js'

/** Pages that are opening at a time. */
const comingAtOnce = 100
/** How long the last messages may take before they count as lost. */
const graceMs = 10_000
const agentConnections = 64

const tokens: string[] = []
let visitors: Visitor[] = []
let agent: Agent | undefined
/** When each message was due that has not come yet. */
const due = new Map<string, number>()
let failures: Record<string, number> = {}
let micros = createHistogram({ figures: 3 })
let timeline: Timeline | undefined
let operations = 0
let serial = 0

function fail(what: string): void {
  failures[what] = (failures[what] ?? 0) + 1
}

function arrived(name: string): void {
  const at = due.get(name)
  if (at === undefined) return
  due.delete(name)
  const taken = Math.max(1, Math.round((performance.now() - at) * 1000))
  micros.record(taken)
  timeline?.record(taken)
  operations++
}

/** The bare server says a frame back as it is; a gateway says that it is on disk. */
const answers: Readonly<Record<string, (frame: Told) => void>> = {
  accepted: ({ id = '' }) => arrived(id),
  text: ({ id = '' }) => arrived(id),
  message: ({ blocks = [] }) => arrived(String(serialIn(blocks[0]?.text ?? ''))),
  error: ({ code }) => fail(`told ${code}`),
}
const told = (frame: Told) => answers[frame.type]?.(frame)

/** As many at a time as are given, until all are done. */
async function inTurn(count: number, atOnce: number, each: (at: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await each(next++)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker))
}

async function askForTokens({ port, path }: Place, count: number): Promise<void> {
  const addresses = Math.ceil(count / visitorsPerAddress)
  await inTurn(addresses, 10, async (address) => {
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
  tell(userId: string, words: string): Promise<void>
  close(): Promise<void>
}

function openAgent(port: number, token: string): Agent {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: agentConnections, pipelining: 1 })
  return {
    async tell(userId, words) {
      const body = JSON.stringify({ userId, messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: words }] }] })
      const answer = await pool.request({ method: 'POST', path: '/v4/messages', headers, body })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) fail(`status ${answer.statusCode}`)
      else if (!text.includes('"accepted":true')) fail('not accepted')
    },
    close: () => pool.close(),
  }
}

async function come(place: Place, count: number): Promise<void> {
  const { port, path, hasTokens, agentToken } = place
  if (hasTokens) await askForTokens(place, count)
  agent = openAgent(port, agentToken)
  visitors = new Array(count)
  await inTurn(count, comingAtOnce, async (number) => {
    const asked = `${path}?token=${encodeURIComponent(tokens[number] ?? String(number))}`
    visitors[number] = await comeIn({ number, port, path: asked, told, lost: fail })
  })
}
function say(visitor: number, id: string, text: string): void {
  visitors[visitor]!.say({ v: 1, type: 'text', id, text })
}

async function greet(): Promise<void> {
  await inTurn(visitors.length, comingAtOnce, async (visitor) => {
    const id = greetingOf(visitor)
    due.set(id, performance.now())
    say(visitor, id, 'Hello')
    while (due.has(id)) await pause(5)
  })
}

/** Visitors in turn; with `people` the agent says something to each of them instead. */
async function pacedFor(seconds: number, people: readonly string[] | undefined): Promise<void> {
  const perSecond = rateOf(visitors.length)
  const begun = performance.now()
  const all = Math.floor(seconds * perSecond)
  for (let said = 0; said < all; ) {
    for (; said < all && begun + (said / perSecond) * 1000 <= performance.now(); said++) {
      const number = serial++
      const visitor = number % visitors.length
      due.set(String(number), begun + (said / perSecond) * 1000)
      if (people) agent!.tell(people[visitor]!, wordsOf(number)).catch((failure: Error) => fail(failure.message))
      else say(visitor, String(number), wordsOf(number))
    }
    await pause(1)
  }
}

async function settled(): Promise<void> {
  const until = performance.now() + graceMs
  while (due.size > 0 && performance.now() < until) await pause(5)
  for (const _ of due) fail('never came')
  due.clear()
}

async function talk({ warmSeconds, seconds }: Window, people: readonly string[] | undefined): Promise<Sample> {
  await pacedFor(warmSeconds, people)
  await settled()
  micros = createHistogram({ figures: 3 })
  operations = 0
  timeline = openTimeline(seconds)
  tell({ answer: 'measuring' })
  const begun = { at: performance.now(), cpu: cpuMicros() }
  await pacedFor(seconds, people)
  await settled()
  const took = (performance.now() - begun.at) / 1000
  const loadCores = (cpuMicros() - begun.cpu) / 1e6 / took
  const found = failures
  failures = {}
  return {
    operations,
    seconds: took,
    failures: found,
    bytes: 0,
    latencyMs: percentilesOf(micros),
    cpuMicros: 0,
    loadCores,
    timeline: timeline.end(),
  }
}

async function leave(): Promise<void> {
  for (const visitor of visitors) visitor?.leave()
  visitors = []
  await agent?.close()
}

async function answer(asked: Asked): Promise<Answered> {
  switch (asked.ask) {
    case 'come':
      await come(asked.place, asked.visitors)
      return { answer: 'done' }
    case 'greet':
      await greet()
      return { answer: 'done' }
    case 'talk':
      return { answer: 'talked', sample: await talk(asked.window, asked.people) }
    case 'leave':
      await leave()
      return { answer: 'done' }
  }
}

const tell = (answered: Answered) => process.send?.(answered)
process.on('disconnect', () => process.exit(0))
process.on('message', (asked: Asked) => {
  answer(asked).then(tell, (failure: unknown) => tell({ answer: 'failed', why: String(failure) }))
})

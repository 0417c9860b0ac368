/** A whole node in the roundtrip scenario: people write, a webhook answers, and the phones show the answer. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { programFile } from '../../harness/children.js'
import { percentilesOf } from '../../harness/load/generator.js'
import { cpuMicros, serveCandidate } from '../../harness/rpc.js'
import type { Sample, Window } from '../../harness/sample.js'
import { watchConversations } from '../messages/conversationwatch.js'
import { openGateway } from '../messages/gateway.js'
import { sleep } from '../messages/phones.js'
import { roundTripIn, roundTripOf, type TalkResult, type WorldRequest, type WorldResponse } from './rpc.js'
import { overlapsAny, type Stall, watchStalls } from './stalls.js'

/** How long the last answers may take to the phones. */
const deliveryWaitMs = 5_000
/** With the argument, a latency excludes the webhook's time. */
const isOutside = process.argv.includes('--outside-webhook')
const hasSlowOne = process.argv.includes('--slow-one')

const acceptedAt = new Map<number, number>()
const messageOf = new Map<number, string>()
const deliveredAt = new Map<string, number>()

const world: ChildProcess = fork(programFile('roundtrip/world'))

const exited = once(world, 'exit').then(() => {
  throw new Error('the people and the webhook are gone')
})
exited.catch(() => undefined)

async function nextResponse(): Promise<WorldResponse> {
  const [response] = (await Promise.race([once(world, 'message'), exited])) as [WorldResponse]
  if (response.answer === 'failed') throw new Error(response.why)
  return response
}

function execute(question: WorldRequest): Promise<WorldResponse> {
  world.send(question)
  return nextResponse()
}

const listening = await nextResponse()
if (listening.answer !== 'listening') throw new Error('the webhook does not listen')
const gateway = await openGateway({
  wrapShards: watchConversations({
    onInbound(_asid, itemIds) {
      for (const roundTrip of itemIds.map(roundTripOf))
        if (roundTrip !== undefined) acceptedAt.set(roundTrip, performance.now())
    },
    onSend(_asid, offered, answers) {
      for (const [index, { message }] of offered.entries()) {
        const [part] = 'parts' in message ? message.parts : []
        const roundTrip = part?.type === 'text' ? roundTripIn(String(part.text)) : undefined
        const answer = answers[index]!
        if (roundTrip !== undefined && 'messageId' in answer) messageOf.set(roundTrip, answer.messageId)
      }
    },
    onDelivery(messageId, { kind }) {
      if (kind === 'sent') deliveredAt.set(messageId, performance.now())
    },
  }),
  webhookUrl: `http://127.0.0.1:${listening.port}/hook`,
})
const { phones } = gateway
const stallWatch = hasSlowOne ? watchStalls() : undefined

/** Introduces people to the agent, so that no trip is a person's first message. */
let greetedCount = 0
async function greetUpTo(people: number): Promise<void> {
  if (people <= greetedCount) return
  await execute({ ask: 'introduce', phones, people })
  greetedCount = people
}

function deliveryTime(roundTrip: number): number | undefined {
  return deliveredAt.get(messageOf.get(roundTrip) ?? '')
}

async function work({ warmSeconds, seconds, concurrency: people }: Window): Promise<Sample> {
  await greetUpTo(people)
  await stallWatch?.stalls()
  const talk = { seconds: warmSeconds + seconds, people, hasSlowOne }
  const running = execute({ ask: 'talk', phones, talk })
  await Promise.race([sleep(warmSeconds * 1000), running])
  const start = { at: performance.now(), cpu: cpuMicros() }
  await Promise.race([sleep(seconds * 1000), running])
  const end = { at: performance.now(), cpu: cpuMicros() }
  const response = await running
  if (response.answer !== 'talked') throw new Error('nobody talked')
  const { result } = response
  const deadline = performance.now() + deliveryWaitMs
  while (
    result.roundTrips.some(({ roundTrip }) => deliveryTime(roundTrip) === undefined) &&
    performance.now() < deadline
  )
    await sleep(10)
  const stalls = (await stallWatch?.stalls()) ?? []
  return { ...toSample(result, stalls, start.at, end.at), cpuMicros: end.cpu - start.cpu }
}

/** Trips whose question was accepted after the window began; on a busy machine the last may end after the window. */
function toSample(
  { roundTrips, failures: lostByReason }: TalkResult,
  stalls: readonly Stall[],
  start: number,
  end: number,
): Omit<Sample, 'cpuMicros'> {
  const all = histogram()
  const parts = { excluding: histogram(), noStall: histogram(), noStallExcluding: histogram() }
  const failures: Record<string, number> = { ...lostByReason }
  let operations = 0
  let unsteady = 0
  for (const { roundTrip, webhookMs, isDuringSlow } of roundTrips) {
    const accepted = acceptedAt.get(roundTrip)!
    const at = deliveryTime(roundTrip)
    if (at === undefined) failures['never shown'] = (failures['never shown'] ?? 0) + 1
    else if (accepted >= start) {
      operations++
      const isExcluding = hasSlowOne && !isDuringSlow
      const micros = Math.max(1, Math.round((at - accepted - (isOutside ? webhookMs : 0)) * 1000))
      ;(isExcluding ? parts.excluding : all).record(micros)
      if (overlapsAny(stalls, accepted, at)) unsteady++
      else (isExcluding ? parts.noStallExcluding : parts.noStall).record(micros)
    }
  }
  for (const moments of [acceptedAt, messageOf, deliveredAt]) moments.clear()
  const { excluding, noStall, noStallExcluding } = parts
  const partsMs = {
    excluding: percentilesIfAny(excluding),
    noStall: percentilesIfAny(noStall),
    noStallExcluding: percentilesIfAny(noStallExcluding),
  }
  return {
    operations,
    seconds: (end - start) / 1000,
    failures,
    bytes: 0,
    latencyMs: percentilesIfAny(all),
    ...(hasSlowOne && { partsMs, unsteady }),
  }
}

const histogram = () => createHistogram({ figures: 3 })
/** Empty for a part without trips, as in a window that is too short for it. */
const percentilesIfAny = (part: RecordableHistogram) => (part.count > 0 ? percentilesOf(part) : [])

serveCandidate({
  ready: {
    notes: ['Everybody is known before the first window. They write at their pace, answered or not.'],
  },
  work,
  async close() {
    await gateway.stop()
    stallWatch?.stop()
    world.disconnect()
  },
})

/** A whole node in the roundtrip scenario: people write, a webhook answers, and their phones show what it said. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { programFile } from '../children.js'
import { cpuMicros, present } from '../control.js'
import { percentilesOf } from '../load/generator.js'
import { openGateway } from '../messages/gateway.js'
import { pause } from '../messages/phones.js'
import { watching } from '../messages/watching.js'
import type { Sample, Window } from '../sample.js'
import { type Answered, type Asked, type Talked, tripIn, tripOf } from './asking.js'
import { metAny, type Standstill, watchSteadiness } from './steadiness.js'

/** How long the last answers may need on their way to the phones. */
const shownMs = 5_000
/** With the argument, a latency is what is left of a trip without the time that the webhook had it. */
const isOutside = process.argv.includes('--outside-webhook')
const hasSlowOne = process.argv.includes('--slow-one')

const acceptedAt = new Map<number, number>()
const messageOf = new Map<number, string>()
const shownAt = new Map<string, number>()

const world: ChildProcess = fork(programFile('roundtrip/world'))

const gone = once(world, 'exit').then(() => {
  throw new Error('the people and the webhook are gone')
})
gone.catch(() => undefined)

async function told(): Promise<Answered> {
  const [answered] = (await Promise.race([once(world, 'message'), gone])) as [Answered]
  if (answered.answer === 'failed') throw new Error(answered.why)
  return answered
}

function asked(question: Asked): Promise<Answered> {
  world.send(question)
  return told()
}

const listening = await told()
if (listening.answer !== 'listening') throw new Error('the webhook does not listen')
const gateway = await openGateway({
  between: watching({
    heard(_asid, itemIds) {
      for (const trip of itemIds.map(tripOf)) if (trip !== undefined) acceptedAt.set(trip, performance.now())
    },
    offered(_asid, offered, answers) {
      for (const [place, { message }] of offered.entries()) {
        const [part] = 'parts' in message ? message.parts : []
        const trip = part?.type === 'text' ? tripIn(String(part.text)) : undefined
        const answer = answers[place]!
        if (trip !== undefined && 'messageId' in answer) messageOf.set(trip, answer.messageId)
      }
    },
    handedOver(messageId, { kind }) {
      if (kind === 'sent') shownAt.set(messageId, performance.now())
    },
  }),
  webhookUrl: `http://127.0.0.1:${listening.port}/hook`,
})
const { phones } = gateway
const steadiness = hasSlowOne ? watchSteadiness() : undefined

/** People whom the agent knows, so that none of the trips is a first one. */
let known = 0
async function meet(people: number): Promise<void> {
  if (people <= known) return
  await asked({ ask: 'introduce', phones, people })
  known = people
}

function shown(trip: number): number | undefined {
  return shownAt.get(messageOf.get(trip) ?? '')
}

async function work({ warmSeconds, seconds, concurrency: people }: Window): Promise<Sample> {
  await meet(people)
  await steadiness?.standstills()
  const talk = { seconds: warmSeconds + seconds, people, hasSlowOne }
  const talking = asked({ ask: 'talk', phones, talk })
  await Promise.race([pause(warmSeconds * 1000), talking])
  const begun = { at: performance.now(), cpu: cpuMicros() }
  await Promise.race([pause(seconds * 1000), talking])
  const ended = { at: performance.now(), cpu: cpuMicros() }
  const answered = await talking
  if (answered.answer !== 'talked') throw new Error('nobody talked')
  const { talked } = answered
  const given = performance.now() + shownMs
  while (talked.trips.some(({ trip }) => shown(trip) === undefined) && performance.now() < given) await pause(10)
  const standstills = (await steadiness?.standstills()) ?? []
  return { ...measured(talked, standstills, begun.at, ended.at), cpuMicros: ended.cpu - begun.cpu }
}

/** Trips whose question was accepted once the window had begun; the last of them on a busy machine after it. */
function measured(
  { trips, failures: lost }: Talked,
  standstills: readonly Standstill[],
  begun: number,
  ended: number,
): Omit<Sample, 'cpuMicros'> {
  const whole = histogram()
  const parts = { without: histogram(), steady: histogram(), steadyWithout: histogram() }
  const failures: Record<string, number> = { ...lost }
  let operations = 0
  let unsteady = 0
  for (const { trip, webhookMs, isBesideSlow } of trips) {
    const accepted = acceptedAt.get(trip)!
    const at = shown(trip)
    if (at === undefined) failures['never shown'] = (failures['never shown'] ?? 0) + 1
    else if (accepted >= begun) {
      operations++
      const isWithout = hasSlowOne && !isBesideSlow
      const micros = Math.max(1, Math.round((at - accepted - (isOutside ? webhookMs : 0)) * 1000))
      ;(isWithout ? parts.without : whole).record(micros)
      if (metAny(standstills, accepted, at)) unsteady++
      else (isWithout ? parts.steadyWithout : parts.steady).record(micros)
    }
  }
  for (const moments of [acceptedAt, messageOf, shownAt]) moments.clear()
  const { without, steady, steadyWithout } = parts
  const partsMs = { without: readOff(without), steady: readOff(steady), steadyWithout: readOff(steadyWithout) }
  return {
    operations,
    seconds: (ended - begun) / 1000,
    failures,
    bytes: 0,
    latencyMs: readOff(whole),
    ...(hasSlowOne && { partsMs, unsteady }),
  }
}

const histogram = () => createHistogram({ figures: 3 })
/** In a window too short for it, a part is not known. */
const readOff = (part: RecordableHistogram) => (part.count > 0 ? percentilesOf(part) : [])

present({
  ready: {
    notes: ['Everybody is known before the first window. They write at their pace, answered or not.'],
  },
  work,
  async close() {
    await gateway.stop()
    steadiness?.stop()
    world.disconnect()
  },
})

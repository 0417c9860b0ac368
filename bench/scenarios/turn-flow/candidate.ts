/**
 * A whole node in the turn-flow scenario: a text is accepted, a managed turn takes it into its flow, and the answer is
 * handed to the emulated provider.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createHistogram } from 'node:perf_hooks'
import { programFile } from '../../harness/children.js'
import { percentilesOf } from '../../harness/load/generator.js'
import { cpuMicros, serveCandidate } from '../../harness/rpc.js'
import type { Sample, Window } from '../../harness/sample.js'
import { openGateway } from '../messages/gateway.js'
import { greetAll, sleep } from '../messages/phones.js'
import { orderText, people, trackingPlaybook } from './agent.js'
import { createTextLoad } from './calls.js'
import { watchTrips } from './trips.js'
import type { Talk, TalkResult } from './world.js'

/** With the argument, the candidate's people write at their pace, and it measures their trips. */
const isPaced = process.argv.includes('--paced')

let tripMicros = createHistogram({ figures: 3 })
const trips = watchTrips((ms) => tripMicros.record(Math.max(1, Math.round(ms * 1000))))
const gateway = await openGateway({ document: { playbooks: [trackingPlaybook] }, wrapShards: trips.wrapShards })
const { phones } = gateway
await greetAll(phones, people)
const world = isPaced ? fork(programFile('turn-flow/world')) : undefined

async function talk(talk: Talk): Promise<TalkResult> {
  world!.send(talk)
  const [result] = await once(world!, 'message')
  return result
}

async function measurePaced({ warmSeconds, seconds }: Window): Promise<Sample> {
  const talking = talk({ phones, seconds: warmSeconds + seconds })
  await sleep(warmSeconds * 1000)
  tripMicros = createHistogram({ figures: 3 })
  const start = { at: performance.now(), cpu: cpuMicros() }
  const { failures } = await talking
  return {
    operations: tripMicros.count,
    seconds: (performance.now() - start.at) / 1000,
    failures: { ...failures, ...(await trips.check()).failures },
    bytes: 0,
    latencyMs: percentilesOf(tripMicros),
    cpuMicros: cpuMicros() - start.cpu,
  }
}

serveCandidate({
  ready: {
    ...createTextLoad({ phones, texts: [orderText] }),
    notes: [`${people} people in turn, all in the flow before the first window.`],
  },
  work: isPaced ? measurePaced : trips.check,
  async close() {
    await gateway.stop()
    world?.disconnect()
  },
})

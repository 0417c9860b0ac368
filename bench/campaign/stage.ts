/** A node that stages one campaign for everybody after the other. */
import { cpuMicros, present } from '../control.js'
import { percents } from '../metrics.js'
import type { Sample, Window } from '../sample.js'
import { drafted, openCampaignNode } from './node.js'
import { allowedPeople, audience } from './setting.js'

const people = Number(process.env.BENCH_FILLED ?? audience)
const node = await openCampaignNode(people)
let isWarm = false

/** Each is another one, so that no snapshot of before is swept meanwhile. */
async function stage(): Promise<number> {
  const campaign = await drafted(node)
  const begun = performance.now()
  const { counts } = await node.ask('POST', `${campaign}/stage`)
  if (counts.sendable !== people) throw new Error(`only ${counts.sendable} of ${people} can be sent to`)
  return performance.now() - begun
}

/** One whole stage is a window, however long it takes. Its latency is what so many people take of it. */
async function staged(_window: Window): Promise<Sample> {
  if (!isWarm) await stage()
  isWarm = true
  const cpu = cpuMicros()
  const ms = await stage()
  return {
    operations: people,
    seconds: ms / 1000,
    failures: {},
    bytes: 0,
    latencyMs: percents.map((percent) => [percent, (ms / people) * allowedPeople] as const),
    cpuMicros: cpuMicros() - cpu,
  }
}

present({
  ready: {
    notes: [
      `${people} people, all of whom can be sent to: consent, caps, identity, binding and STOP are looked at, and the opening`,
      `is written for each. Latency is what ${allowedPeople} of them take.`,
    ],
  },
  work: staged,
  close: () => node.stop(),
})

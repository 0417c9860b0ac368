/** A node that stages one campaign after the other for the whole audience. */

import { percents } from '../../harness/metrics.js'
import { cpuMicros, serveCandidate } from '../../harness/rpc.js'
import type { Sample, Window } from '../../harness/sample.js'
import { allowedPeople, audience } from './fixtures.js'
import { createDraft, openCampaignNode } from './node.js'

const people = Number(process.env.BENCH_FILLED ?? audience)
const node = await openCampaignNode(people)
let isWarm = false

/** Each window stages a new campaign, so that no earlier snapshot is swept meanwhile. */
async function stage(): Promise<number> {
  const campaign = await createDraft(node)
  const start = performance.now()
  const { counts } = await node.call('POST', `${campaign}/stage`)
  if (counts.sendable !== people) throw new Error(`only ${counts.sendable} of ${people} can be sent to`)
  return performance.now() - start
}

/** One whole stage is a window, however long it takes. Its latency is the time per this many people. */
async function measureStage(_window: Window): Promise<Sample> {
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

serveCandidate({
  ready: {
    notes: [
      `${people} people, all of whom can be sent to: consent, caps, identity, binding and STOP are looked at, and the opening`,
      `is written for each. Latency is what ${allowedPeople} of them take.`,
    ],
  },
  work: measureStage,
  close: () => node.stop(),
})

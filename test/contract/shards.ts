/** What every engine of the shards promises: one suite, run on each of them. */
import type { Test } from 'tap'
import { boundsSuite } from './shards/bounds.js'
import { commandsSuite } from './shards/commands.js'
import { effectsSuite } from './shards/effects.js'
import type { OpenEngineFixture } from './shards/fixture.js'
import { idsSuite } from './shards/ids.js'
import { localSuite } from './shards/local.js'
import { recordsSuite } from './shards/records.js'
import { stoppingSuite } from './shards/shutdown.js'
import { timersSuite } from './shards/timers.js'

const parts = {
  'Commands and queries': commandsSuite,
  'Ids of commands': idsSuite,
  Effects: effectsSuite,
  Timers: timersSuite,
  Bounds: boundsSuite,
  'Records of older versions': recordsSuite,
  'What a process knows by itself': localSuite,
  Stopping: stoppingSuite,
}

/**
 * No process counts as dead and no message as lost because the machine that runs the suite is slow, or because a test
 * lets a day pass between two heartbeats.
 */
const patientMs = 100 * 365 * 24 * 3_600_000
const patience = {
  shard: { executeMs: patientMs, requestFirstMs: 120_000, requestMs: 120_000 },
  cluster: { leaseMs: patientMs },
}

export function shardsSuite(t: Test, openFixture: OpenEngineFixture): void {
  const openPatient: OpenEngineFixture = (t, { limits, ...options }) => {
    const shard = { ...patience.shard, ...limits?.shard }
    const cluster = { ...patience.cluster, ...limits?.cluster }
    return openFixture(t, { ...options, limits: { shard, cluster } })
  }
  for (const [name, suite] of Object.entries(parts)) t.test(name, async (t) => suite(t, openPatient))
}

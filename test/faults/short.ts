/** The short form of the fault tests: one cluster goes through every fault once, and is judged at the end. */
import t from 'tap'
import { openClusterUnderLoad } from './cluster.js'
import { type ClusterFault, injectOnce } from './injection.js'
import { judge } from './judge.js'

const strength = { pauseLeases: 1, writesLost: 60 }

export async function oneClusterThrough(faults: readonly ClusterFault[]): Promise<void> {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const cluster = await openClusterUnderLoad(seed)
  const { history } = cluster
  t.teardown(() => cluster.close())
  for (const fault of faults) {
    await t.test(fault.title, async (t) => {
      const violationsBefore = history.violations.length
      const { at, waitedMs } = await injectOnce(cluster, fault, strength)
      const notes = fault.notes?.(cluster, at) ?? []
      t.same(history.violations.slice(violationsBefore), [], `with seed ${seed}`)
      t.comment([`accepted again after ${Math.round(waitedMs)} ms`, ...notes].join(', '))
    })
  }
  await t.test('Every acknowledged write is on every node once, with all its effects', async (t) => {
    await cluster.clients.stop()
    const { problems, acknowledged } = await judge(cluster)
    t.same(problems, [], `with seed ${seed}`)
    t.ok(acknowledged > 0, `${acknowledged} acknowledged`)
  })
}

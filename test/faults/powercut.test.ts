/** A power cut at any moment: what was acknowledged is there, and every commit is whole or absent. */
import { resolve } from 'node:path'
import t from 'tap'
import { powerCuts, promises } from './powercut.js'

const cuts = 30
/** A log that showed a problem stays here; with its seed it shows it again. */
const keep = resolve(import.meta.dirname, '../../../test/output')

for (const [subject, title] of Object.entries(promises)) {
  t.test(title, async (t) => {
    const done = await powerCuts({ subject, cuts, keep, report: t.comment })
    t.same(done.problems, [], `with seed ${done.seed}`)
    t.ok(done.acks > 0 && done.atStake > cuts / 10, `${done.atStake} cuts came while something was not yet synced`)
  })
}

t.test('A disk that fails to sync is told of, and nothing is lost that was acknowledged before', async (t) => {
  for (const subject of ['store', 'store that the disk follows']) {
    const done = await powerCuts({ subject, cuts: cuts / 2, badDisk: true, keep, report: t.comment })
    t.same(done.problems, [], `with seed ${done.seed}`)
    t.equal(done.failures, 1, 'the store said that it failed')
  }
})

t.test('The same cuts find what a store would lose that does not sync, or too late', async (t) => {
  const unsynced = await powerCuts({ subject: 'store without sync', cuts })
  t.ok(unsynced.problems.length > cuts / 3, `${unsynced.problems.length} of ${cuts}, with seed ${unsynced.seed}`)
  // About one image in five shows it; so many that none does are never seen.
  const late = await powerCuts({ subject: 'store that syncs too late', cuts: 100 })
  t.ok(late.problems.length > 0, `${late.problems.length} of ${late.cuts}, with seed ${late.seed}`)
  t.match(late.problems[0], /was promised/)
})

/** The fault tests find nodes that break a promise, each in its own words. */
import t from 'tap'
import { openClusterUnderLoad } from './cluster.js'
import { injectOnce } from './injection.js'
import { embeddedKills } from './kills.js'
import type { Mutant } from './mutants.js'
import { usualOutages } from './outages.js'

const cycles = 2
/** Most kills meet a write whose commit or answer is pending, but not all. */
const maxTrials = 4

/** Kills a node that breaks a promise until the violation shows, up to the number of kills that should show it. */
async function killsOf(mutant: Mutant, count: 'missing' | 'doubled') {
  for (let trial = 1; ; trial++) {
    const seed = Math.floor(Math.random() * 2 ** 31)
    const survived = await embeddedKills({ cycles, seed, mutants: [mutant] })
    if (survived[count] > 0 || trial === maxTrials) return { ...survived, seed }
  }
}

t.test('A node that answers before its commit is detected by a kill', async (t) => {
  const { missing, problems, seed } = await killsOf('hasty', 'missing')
  t.ok(missing > 0, `with seed ${seed}`)
  t.match(problems.join('\n'), /was acknowledged at place \d+ of book-\d+, where/)
})

t.test('A node that forgets command ids is detected by a kill', async (t) => {
  const { doubled, problems, seed } = await killsOf('forgetful', 'doubled')
  t.ok(doubled > 0, `with seed ${seed}`)
  t.match(problems.join('\n'), /is in book-\d+ \d times/)
})

t.test('A node that shows stale state, or runs effects of a lost shard, is detected by a pause', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const cluster = await openClusterUnderLoad(seed, ['stale', 'careless'])
  t.teardown(() => cluster.close())
  const pause = usualOutages.find(({ name }) => name === 'owner paused')!
  const signs = [
    /[abc] showed .* after v\d+ was acknowledged at that place/,
    /performed the effect of v\d+ after it had lost shard \d/,
  ]
  const violations = () => cluster.history.violations.join('\n')
  // Only some pauses meet a pending effect.
  for (let strikes = 0; strikes < 12 && !signs.every((sign) => sign.test(violations())); strikes++) {
    t.comment(`strike ${strikes + 1}`)
    await injectOnce(cluster, pause, { pauseLeases: 1, writesLost: 0 })
  }
  for (const sign of signs) t.match(violations(), sign, `with seed ${seed}`)
})

/** The embedded node under kill -9: every acknowledged entry is there once, with all its consequences. */
import t from 'tap'
import { embeddedKills } from './kills.js'

t.test('A node killed at any moment keeps every acknowledged write and applies each once', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const survived = await embeddedKills({ cycles: 6, seed, note: t.comment })
  t.same(survived.problems, [], `with seed ${seed}`)
  t.ok(survived.acknowledged > 0)
})

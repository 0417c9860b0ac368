/** Managed turns under kill -9 at each line of their crash table: nothing is lost, said twice or done twice. */
import t from 'tap'
import { embeddedTurns } from './turns.js'

t.test(
  'A node killed at any point of a turn answers every message once, and no tool does anything twice',
  async (t) => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    const survived = await embeddedTurns({ cycles: 1, seed, note: t.comment })
    t.same(survived.problems, [], `with seed ${seed}`)
    t.ok(survived.unknown > 0, `${survived.acknowledged} texts, ${survived.notes?.join(', ')}`)
  },
)

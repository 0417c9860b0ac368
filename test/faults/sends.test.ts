/** Sends under kill -9, with a provider that knows ids: no accepted send is lost, doubled, or sent after a STOP. */
import t from 'tap'
import { embeddedSends } from './sends.js'

t.test(
  'A node killed at any moment ends every accepted send once, as reported and as its provider saw it',
  async (t) => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    const survived = await embeddedSends({ cycles: 2, seed, note: t.comment })
    t.same(survived.problems, [], `with seed ${seed}`)
    t.ok(survived.acknowledged > 0, `${survived.acknowledged} accepted, ${survived.notes?.join(', ')}`)
  },
)

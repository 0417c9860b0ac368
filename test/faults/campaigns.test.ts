/** Campaigns under kill -9: every person gets at most one message, and the report equals the rows. */
import t from 'tap'
import { embeddedCampaigns } from './campaigns.js'

t.test('A node killed while it stages, starts, sends, pauses and resumes sends to each recipient once', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  t.comment(`seed ${seed}`)
  const survived = await embeddedCampaigns({ cycles: 1, seed, note: t.comment })
  t.same(survived.problems, [], `with seed ${seed}`)
  t.ok(survived.acknowledged > 0, `${survived.acknowledged} reached, ${survived.notes?.join(', ')}`)
})

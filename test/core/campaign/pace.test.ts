/** How fast a campaign goes and how far ahead it is worked on. */
import t from 'tap'
import { aheadRows, estimateOf } from '../../../core/campaign/pace.js'
import { campaign as limits } from '../../../core/limits.js'

t.test('Duration is estimated from the governed rate of the provider, and not without one', async (t) => {
  const pace = { channel: 'rcs', provider: 'emulator' } as const
  t.match(estimateOf({ ...pace, perSecond: 100 }, 50_001), { recipients: 50_001, seconds: 501 })
  t.equal(estimateOf(pace, 10).seconds, undefined)
  t.equal(estimateOf({ ...pace, perSecond: 100 }, 0).seconds, 0)
})

t.test('What is on its way at a time leaves within seconds, within bounds', async (t) => {
  t.equal(aheadRows({ perSecond: 100 }), 500)
  t.equal(aheadRows({ perSecond: 0.1 }), limits.aheadLeastRows)
  t.equal(aheadRows({ perSecond: 1e6 }), limits.aheadMostRows)
  t.equal(aheadRows({}), limits.aheadUnpacedRows)
  t.ok(limits.aheadLeastRows >= limits.batchRows, 'a batch always fits')
})

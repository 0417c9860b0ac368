/** How fast a campaign goes and how far ahead it is worked on. */
import t from 'tap'
import {
  estimateOf,
  maxClaimRows,
  maxInFlightRows,
  windowFor,
  windowUnderLoad,
} from '../../../core/campaign/throughput.js'
import { campaign as limits } from '../../../core/limits/index.js'

t.test('Duration is estimated from the governed rate of the provider, and not without one', async (t) => {
  const pace = { channel: 'rcs', provider: 'emulator' } as const
  t.match(estimateOf({ ...pace, perSecond: 100 }, 50_001), { recipients: 50_001, seconds: 501 })
  t.equal(estimateOf(pace, 10).seconds, undefined)
  t.equal(estimateOf({ ...pace, perSecond: 100 }, 0).seconds, 0)
})

t.test('What is under way at a time leaves within seconds, within bounds', async (t) => {
  for (const window of [limits.idle, limits.underLoad]) {
    t.equal(maxInFlightRows({ perSecond: 100 }, window), 500)
    t.equal(maxInFlightRows({ perSecond: 0.1 }, window), limits.inFlightMinRows)
    t.equal(maxInFlightRows({ perSecond: 1e6 }, window), limits.inFlightMaxRows)
    t.equal(maxInFlightRows({}, window), window.unthrottledInFlightRows)
    for (const rows of [limits.inFlightMinRows, window.unthrottledInFlightRows, window.awaitingReportRows]) {
      t.ok(rows >= window.batchRows, 'a batch always fits')
    }
  }
})

t.test('As many are claimed at once as leave within the time that is drawn ahead', async (t) => {
  t.equal(maxClaimRows({ perSecond: 100 }), 101)
  t.equal(maxClaimRows({ perSecond: 0.1 }), 2)
  t.equal(maxClaimRows({}), Number.POSITIVE_INFINITY)
})

t.test('A batch is half of what may be on its way at most, however slow the binding is', async (t) => {
  for (const window of [limits.idle, limits.underLoad]) {
    t.same(windowFor({}, window), window)
    for (const perSecond of [0.1, 10, 100, 1e6]) {
      const paced = windowFor({ perSecond }, window)
      t.ok(paced.batchRows > 0 && 2 * paced.batchRows <= maxInFlightRows({ perSecond }, window))
    }
  }
})

t.test('A campaign makes room for those who call meanwhile', async (t) => {
  t.equal(windowUnderLoad(0), limits.idle)
  t.equal(windowUnderLoad(limits.callsPerSecond), limits.underLoad)
  t.ok(limits.underLoad.unthrottledInFlightRows < limits.idle.unthrottledInFlightRows)
  t.ok(limits.underLoad.intervalMs > limits.idle.intervalMs)
})

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

t.test('The duration is estimated from the throttled rate of the provider, and not without one', async (t) => {
  const pace = { channel: 'rcs', provider: 'emulator' } as const
  t.match(estimateOf({ ...pace, perSecond: 100 }, 50_001), { recipients: 50_001, seconds: 501 })
  t.equal(estimateOf(pace, 10).seconds, undefined)
  t.equal(estimateOf({ ...pace, perSecond: 100 }, 0).seconds, 0)
})

t.test('Openers in flight leave within seconds, within minimum and maximum', async (t) => {
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

t.test('A claim takes as many recipients as leave within the time drawn ahead', async (t) => {
  t.equal(maxClaimRows({ perSecond: 100 }), 101)
  t.equal(maxClaimRows({ perSecond: 0.1 }), 2)
  t.equal(maxClaimRows({}), Number.POSITIVE_INFINITY)
})

t.test('A batch is at most half of what may be in flight, however slow the binding is', async (t) => {
  for (const window of [limits.idle, limits.underLoad]) {
    t.same(windowFor({}, window), window)
    for (const perSecond of [0.1, 10, 100, 1e6]) {
      const paced = windowFor({ perSecond }, window)
      t.ok(paced.batchRows > 0 && 2 * paced.batchRows <= maxInFlightRows({ perSecond }, window))
    }
  }
})

t.test('A campaign slows down for other callers', async (t) => {
  t.equal(windowUnderLoad(0), limits.idle)
  t.equal(windowUnderLoad(limits.callsPerSecond), limits.underLoad)
  t.ok(limits.underLoad.unthrottledInFlightRows < limits.idle.unthrottledInFlightRows)
  t.ok(limits.underLoad.intervalMs > limits.idle.intervalMs)
})

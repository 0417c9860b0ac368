/** How often a node is called of late. */
import t from 'tap'
import { createCallRate } from '../../../runtime/http/callrate.js'
import { createRouteMeters } from '../../../runtime/http/metrics.js'
import { createMetrics } from '../../../runtime/observe/metrics.js'

t.test('The measured call rate converges from any start, and decays without calls', async (t) => {
  let now = 0
  const calls = createCallRate(() => now)
  t.equal(calls.perSecond(), 0)
  for (const rate of [100, 5, 1_000]) {
    for (let call = 0; call < 10 * rate; call++) {
      now += 1_000 / rate
      calls.record()
    }
    t.ok(Math.abs(calls.perSecond() / rate - 1) < 0.15, `${calls.perSecond()} for ${rate} a second`)
  }
  now += 10_000
  t.ok(calls.perSecond() < 0.1)
})

t.test('Calls of one plane do not count for the other', async (t) => {
  const meters = createRouteMeters(createMetrics())
  meters.meterOf({ plane: 'mgmt', method: 'GET', path: '/a' }).observe(200, 0.001)
  t.ok(meters.callsPerSecond('mgmt') > 0)
  t.equal(meters.callsPerSecond('gateway'), 0)
})

/** Metrics of the catalog: the names they may have, and meters that are found again by the values of their labels. */
import fc from 'fast-check'
import t from 'tap'
import { metrics as limits } from '../../../core/limits/index.js'
import { catalog, type MetricDefinition, type MetricName } from '../../../runtime/observe/catalog.js'
import { counterOf, histogramOf, registerGauge } from '../../../runtime/observe/meters.js'
import { createMetrics } from '../../../runtime/observe/metrics.js'

const names = Object.keys(catalog) as MetricName[]

t.test('Every name and help text of the catalog is valid for Prometheus', async (t) => {
  const metrics = createMetrics()
  for (const name of names) {
    const { kind, labels, help }: MetricDefinition = catalog[name]
    const values = Object.fromEntries(labels.map((label) => [label, 'x']))
    t.doesNotThrow(() => {
      if (kind === 'counter') metrics.counter(name, help, values)
      else if (kind === 'histogram') metrics.histogram(name, help, values)
      else metrics.gauge(name, help, () => 0, values)
    }, name)
    t.notMatch(help, /[|\n]|\.$/, `${name} is described in one line of a table`)
    t.equal(new Set(labels).size, labels.length, name)
    t.notOk(
      labels.some((label) => ['le', 'instance', 'job', 'quantile'].includes(label)),
      `${name} has no label of Prometheus`,
    )
  }
})

t.test('Equal label values give the same meter, and others another', async (t) => {
  const metrics = createMetrics()
  const calls = counterOf(metrics, 'parley_webhook_calls_total')
  t.equal(calls('agent', 'taken'), calls('agent', 'taken'))
  t.not(calls('agent', 'taken'), calls('agent', 'retryable'))
  calls('agent', 'taken').add()
  calls('agent', 'taken').add()
  calls('agent', 'retryable').add()
  histogramOf(metrics, 'parley_webhook_call_duration_seconds')('agent').observe(0.2)
  registerGauge(metrics, 'parley_shard_owner', () => 1, '3')
  const { text } = await metrics.render()
  t.match(text, 'parley_webhook_calls_total{kind="agent",outcome="taken"} 2')
  t.match(text, 'parley_webhook_calls_total{kind="agent",outcome="retryable"} 1')
  t.match(text, 'parley_webhook_call_duration_seconds_bucket{le="0.25",kind="agent"} 1')
  t.match(text, 'parley_shard_owner{shard="3"} 1')
})

t.test('Any values in any order are each counted correctly', async (t) => {
  const value = fc.constantFrom('a', 'b', 'ab', '', 'a b', '"')
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value)), (counted) => {
      const sums = new Map<string, number>()
      const counts = counterOf(
        {
          counter(_name, _help, labels = {}) {
            const key = JSON.stringify([labels.kind, labels.outcome])
            return { add: () => void sums.set(key, (sums.get(key) ?? 0) + 1) }
          },
        },
        'parley_webhook_calls_total',
      )
      const expected = new Map<string, number>()
      for (const [kind, outcome] of counted) {
        counts(kind, outcome).add()
        const key = JSON.stringify([kind, outcome])
        expected.set(key, (expected.get(key) ?? 0) + 1)
      }
      return JSON.stringify([...sums]) === JSON.stringify([...expected])
    }),
  )
  t.pass('in every run')
})

t.test('Unbounded label values are counted together, in bounded memory', async (t) => {
  const metrics = createMetrics()
  const refused = counterOf(metrics, 'parley_messages_refused_total')
  for (let n = 0; n < limits.seriesPerMetric + 50; n++) refused(`reason ${n}`).add()
  t.equal(refused('one more'), refused('and another'))
  const { text } = await metrics.render()
  t.match(text, 'parley_messages_refused_total{reason="other"} 50')
})

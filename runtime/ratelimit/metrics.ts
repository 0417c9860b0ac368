/** Buckets that count what they allow and what they refuse. */
import type { BudgetName } from '../../core/limits/index.js'
import { andThen } from '../maybeasync.js'
import { counterOf, initializeSeries, registerGauge } from '../observe/meters.js'
import type { Metrics } from '../observe/metrics.js'
import type { Buckets, SpendResult } from './contract.js'
import { budgetNames } from './local.js'

export function withMetrics(buckets: Buckets, metrics: Metrics): Buckets {
  const spent = counterOf(metrics, 'parley_rate_limit_calls_total')
  initializeSeries(spent, budgetNames, ['allowed', 'refused'])
  registerGauge(metrics, 'parley_rate_limits_degraded', () => (buckets.degraded() ? 1 : 0))

  function count(budget: BudgetName, answer: SpendResult): SpendResult {
    spent(budget, answer.allowed ? 'allowed' : 'refused').add()
    return answer
  }

  return {
    spend: (budget, subject) => andThen(buckets.spend(budget, subject), (answer) => count(budget, answer)),
    degraded: () => buckets.degraded(),
    close: () => buckets.close(),
  }
}

/** Buckets that count what they allow and what they refuse. */
import type { BudgetName } from '../../core/limits.js'
import { andThen } from '../maybeasync.js'
import type { Metrics } from '../observe/metrics.js'
import { beginAtZero, counterOf, gaugeOf } from '../observe/named.js'
import type { Buckets, Spent } from './contract.js'
import { budgetNames } from './local.js'

export function metered(buckets: Buckets, metrics: Metrics): Buckets {
  const spent = counterOf(metrics, 'parley_limits_spent_total')
  beginAtZero(spent, budgetNames, ['allowed', 'refused'])
  gaugeOf(metrics, 'parley_limits_degraded', () => (buckets.degraded() ? 1 : 0))

  function counted(budget: BudgetName, answer: Spent): Spent {
    spent(budget, answer.allowed ? 'allowed' : 'refused').add()
    return answer
  }

  return {
    spend: (budget, subject) => andThen(buckets.spend(budget, subject), (answer) => counted(budget, answer)),
    degraded: () => buckets.degraded(),
    close: () => buckets.close(),
  }
}

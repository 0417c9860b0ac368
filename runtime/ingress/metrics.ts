/** Metrics of ingress: calls of providers, and their items. */
import { channelNames } from '../../core/channelnames.js'
import { counterOf, initializeSeries } from '../observe/meters.js'
import type { Metrics } from '../observe/metrics.js'
import type { IngressMetrics } from './inbound.js'

export function ingressMetrics(metrics: Metrics): IngressMetrics {
  const calls = counterOf(metrics, 'parley_ingress_calls_total')
  const items = counterOf(metrics, 'parley_ingress_items_total')
  initializeSeries(items, channelNames, ['new', 'duplicate', 'unreadable'])
  return {
    countCall: ({ channel, provider }, outcome) => calls(channel, provider, outcome).add(),
    countItems: (channel, outcome, count) => items(channel, outcome).add(count),
  }
}

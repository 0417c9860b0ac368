/** Metrics of ingress: calls of providers, and the items in them. */
import { channelNames } from '../../core/channelnames.js'
import type { Metrics } from '../observe/metrics.js'
import { beginAtZero, counterOf } from '../observe/named.js'
import type { IngressMetrics } from './inbound.js'

export function ingressMetrics(metrics: Metrics): IngressMetrics {
  const calls = counterOf(metrics, 'parley_ingress_calls_total')
  const items = counterOf(metrics, 'parley_ingress_items_total')
  beginAtZero(items, channelNames, ['new', 'duplicate', 'unreadable'])
  return {
    called: ({ channel, provider }, outcome) => calls(channel, provider, outcome).add(),
    items: (channel, outcome, count) => items(channel, outcome).add(count),
  }
}

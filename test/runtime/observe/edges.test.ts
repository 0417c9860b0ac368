/** What is counted at the edges of a node: budgets, providers, agents' webhooks, and records that become durable. */
import t, { type Test } from 'tap'
import type { ChannelRoute } from '../../../core/agent/routing.js'
import { countRecords } from '../../../runtime/conversation/metrics.js'
import { deliveryMetrics, providerMetrics } from '../../../runtime/delivery/metrics.js'
import { createMetrics } from '../../../runtime/observe/metrics.js'
import type { SpendResult } from '../../../runtime/ratelimit/contract.js'
import { withMetrics } from '../../../runtime/ratelimit/metrics.js'
import type { Local } from '../../../runtime/shard/contract.js'

const bound = { channel: 'sms', provider: 'emulator' } as ChannelRoute

async function shows(t: Test, metrics: ReturnType<typeof createMetrics>, ...lines: readonly string[]): Promise<void> {
  const { text } = await metrics.render()
  for (const line of lines) t.ok(text.split('\n').includes(line), line)
}

/** Changes as a shard tells of them. */
function createWatchedLocal() {
  const seen = new Map<string, (key: never, value: never) => void>()
  const local: Pick<Local, 'watch'> = { watch: (table, watcher) => void seen.set(table.name, watcher as never) }
  return { local, write: (table: string, value: unknown) => seen.get(table)!([] as never, value as never) }
}

t.test('A budget counts allowed and refused calls, synchronous or not', async (t) => {
  const metrics = createMetrics()
  const spent = (allowed: boolean) => ({ allowed }) as SpendResult
  const answers = [spent(true), Promise.resolve(spent(false)), Promise.resolve(spent(true))]
  let trouble: string | undefined
  let isClosed = false
  const buckets = withMetrics(
    {
      spend: () => answers.shift()!,
      degraded: () => trouble,
      async close() {
        isClosed = true
      },
    },
    metrics,
  )
  t.equal((buckets.spend('send', 'a') as SpendResult).allowed, true, 'a synchronous result stays synchronous')
  t.equal((await buckets.spend('send', 'a')).allowed, false)
  t.equal((await buckets.spend('journey', 'a')).allowed, true)
  await shows(
    t,
    metrics,
    'parley_rate_limit_calls_total{budget="send",outcome="allowed"} 1',
    'parley_rate_limit_calls_total{budget="send",outcome="refused"} 1',
    'parley_rate_limit_calls_total{budget="journey",outcome="allowed"} 1',
    'parley_rate_limit_calls_total{budget="journey",outcome="refused"} 0',
    'parley_rate_limits_degraded 0',
  )
  trouble = 'Redis is away.'
  t.equal(buckets.degraded(), trouble)
  await shows(t, metrics, 'parley_rate_limits_degraded 1')
  await buckets.close()
  t.ok(isClosed)
})

t.test('Calls to providers are counted by status class, and as none without a response', async (t) => {
  const metrics = createMetrics()
  const meters = providerMetrics(metrics)
  for (const status of [200, 202, 429, 503, undefined]) meters.observeCall(bound, status, 40)
  const of = (outcome: string, count: number) =>
    `parley_provider_calls_total{channel="sms",provider="emulator",outcome="${outcome}"} ${count}`
  await shows(t, metrics, of('2xx', 2), of('4xx', 1), of('5xx', 1), of('none', 1))
  await shows(t, metrics, 'parley_provider_call_duration_seconds_count{channel="sms",provider="emulator"} 5')
})

t.test('A submission is counted by its retry outcome, not by text of the provider', async (t) => {
  const metrics = createMetrics()
  const meters = deliveryMetrics(metrics)
  meters.observeSubmission(bound, { kind: 'sent', providerIds: [] }, 10)
  for (const retry of ['later', 'otherChannel', 'never'] as const) {
    meters.observeSubmission(bound, { kind: 'refused', reason: '30007 blocked +15550100', retry }, 10)
  }
  const of = (outcome: string) =>
    `parley_provider_submissions_total{channel="sms",provider="emulator",outcome="${outcome}"} 1`
  await shows(t, metrics, of('sent'), of('later'), of('otherChannel'), of('never'))
  t.notMatch((await metrics.render()).text, /5550100/)
})

t.test('A status counts on the channel of its attempt, and removed rows count nothing', async (t) => {
  const metrics = createMetrics()
  const { local, write } = createWatchedLocal()
  countRecords(local, metrics)
  const status = { origin: 'agent', type: 'status', sessionId: 's', messageId: 'm', channel: 'rcs' }
  const attempt = { channel: 'sms', provider: 'emulator' }
  write('traffic', { ...status, subtype: 'delivered', raw: { attempt } })
  write('traffic', { ...status, subtype: 'failed', error: 'sendFailed' })
  write('traffic', { ...status, type: 'content', origin: 'user' })
  write('traffic', undefined)
  write('agentlog', { level: 'warn', event: 'message.refused', channel: 'rcs', data: { reason: 'optedOut' } })
  write('agentlog', { level: 'info', event: 'consent.opted_out', channel: 'rcs' })
  write('agentlog', undefined)
  write('deadletter', { id: 'd' })
  write('deadletter', undefined)
  await shows(
    t,
    metrics,
    'parley_message_states_total{channel="sms",state="delivered",reason=""} 1',
    'parley_message_states_total{channel="rcs",state="failed",reason="sendFailed"} 1',
    'parley_messages_received_total{channel="rcs"} 1',
    'parley_messages_refused_total{reason="optedOut"} 1',
    'parley_consents_total{channel="rcs",change="optedOut"} 1',
    'parley_agent_log_total{level="warn",event="message.refused"} 1',
    'parley_webhook_dead_letters_total{kind="agent"} 1',
  )
})

/**
 * What the gateway counts. What people and agents did is counted from the records that are durable, where their shard is,
 * so that each is counted once, however often it was tried; what goes in and out is counted where it is done.
 */
import type { ChannelRoute } from '../../core/agentside.js'
import { channelNames } from '../../core/channel/names.js'
import type { Outcome } from '../../core/conversation/sending.js'
import type { Outgoing, Status } from '../../core/conversation/state.js'
import type { Log } from '../observe/log.js'
import { type Metrics, statusClass } from '../observe/metrics.js'
import { beginAtZero, counterOf, histogramOf } from '../observe/named.js'
import type { Local } from '../shard/contract.js'
import { waitingTable } from './bulk.js'
import type { CallOutcome } from './calls.js'
import { attemptTable, deadLetterTable, logTable, type TrafficRecord, trafficTable } from './tables.js'

type Bound = Pick<ChannelRoute, 'channel' | 'provider'>

export interface GatewayMeters {
  /** A message that an agent sent was refused before its conversation was asked; what that refuses is on record. */
  refused(reason: string): void
  /** A hand-over to a provider is over. */
  handedOver(bound: Bound, outcome: Outcome, elapsedMs: number): void
  /** A message is handed over for the first time. */
  waited(bound: Bound, outgoing: Pick<Outgoing, 'isBatch'>, waitedMs: number): void
  readonly ingress: IngressMeters
  /** An agent was called with an event. */
  called(outcome: CallOutcome, elapsedMs: number): void
}

export interface IngressMeters {
  /** A provider called. */
  called(bound: Bound, outcome: 'heard' | 'answered' | 'badSignature' | 'unreadable' | 'unbound' | 'failed'): void
  /** So many things that it told were of this kind. */
  told(channel: string, outcome: 'new' | 'duplicate' | 'unreadable', count: number): void
}

export interface ProviderMeters {
  /** A call to a provider is over; without a status no answer came. */
  called(bound: Bound, status: number | undefined, elapsedMs: number): void
}

export function gatewayMeters(metrics: Metrics): GatewayMeters {
  const refusals = counterOf(metrics, 'parley_messages_refused_total')
  const handovers = counterOf(metrics, 'parley_provider_handovers_total')
  const handoverTimes = histogramOf(metrics, 'parley_provider_handover_duration_seconds')
  const waits = histogramOf(metrics, 'parley_message_wait_seconds')
  const ingressCalls = counterOf(metrics, 'parley_ingress_calls_total')
  const items = counterOf(metrics, 'parley_ingress_items_total')
  const calls = counterOf(metrics, 'parley_webhook_calls_total')
  const callTimes = histogramOf(metrics, 'parley_webhook_call_duration_seconds')
  beginAtZero(items, channelNames, ['new', 'duplicate', 'unreadable'])
  beginAtZero(calls, ['agent'], ['taken', 'away', 'refused'] satisfies CallOutcome['kind'][])
  return {
    refused: (reason) => refusals(reason).add(),
    handedOver({ channel, provider }, outcome, elapsedMs) {
      handovers(channel, provider, outcome.kind === 'sent' ? 'sent' : outcome.again).add()
      handoverTimes(channel, provider).observe(elapsedMs / 1000)
    },
    waited({ channel }, { isBatch }, waitedMs) {
      waits(channel, isBatch ? 'bulk' : 'direct').observe(waitedMs / 1000)
    },
    ingress: {
      called: ({ channel, provider }, outcome) => ingressCalls(channel, provider, outcome).add(),
      told: (channel, outcome, count) => items(channel, outcome).add(count),
    },
    called({ kind }, elapsedMs) {
      calls('agent', kind).add()
      callTimes('agent').observe(elapsedMs / 1000)
    },
  }
}

export function providerMeters(metrics: Metrics): ProviderMeters {
  const calls = counterOf(metrics, 'parley_provider_calls_total')
  const callTimes = histogramOf(metrics, 'parley_provider_call_duration_seconds')
  return {
    called({ channel, provider }, status, elapsedMs) {
      calls(channel, provider, statusClass(status ?? 0)).add()
      callTimes(channel, provider).observe(elapsedMs / 1000)
    },
  }
}

/** What an operator should see at once: a webhook that does not take events, and agents that answer themselves. */
export function logTrouble(local: Pick<Local, 'watch'>, log: Pick<Log, 'warn'>): void {
  local.watch(attemptTable, ([orgId, agentId], attempt) => {
    if (!attempt || attempt.outcome === 'taken') return
    const { eventId, type, tried, outcome, status, why } = attempt
    log.warn('agent.webhook.failed', { orgId, agentId, eventId, type, tried, outcome, status, why })
  })
  local.watch(logTable, ([orgId, agentId, , userId], record) => {
    if (record?.event !== 'message.refused' || record.data?.reason !== 'loopDetected') return
    log.warn('agent.loop.detected', { orgId, agentId, userId, channel: record.channel })
  })
}

/** Traffic of rehearsals lies elsewhere and is not counted; what they leave in the agent's log is. */
export function meterRecords(local: Pick<Local, 'watch'>, metrics: Metrics): void {
  const heard = counterOf(metrics, 'parley_messages_heard_total')
  const accepted = counterOf(metrics, 'parley_messages_accepted_total')
  const states = counterOf(metrics, 'parley_message_states_total')
  const refusals = counterOf(metrics, 'parley_messages_refused_total')
  const logged = counterOf(metrics, 'parley_agent_log_total')
  const consents = counterOf(metrics, 'parley_consents_total')
  const deadLetters = counterOf(metrics, 'parley_webhook_dead_letters_total')('agent')
  const inBulk = counterOf(metrics, 'parley_bulk_messages_total')
  const joined = inBulk('joined')
  const left = inBulk('left')
  for (const byChannel of [heard, accepted]) beginAtZero(byChannel, channelNames)
  beginAtZero(consents, channelNames, Object.values(changeOf))

  local.watch(trafficTable, (_key, record) => {
    if (!record) return
    if (record.type === 'status') stateOf(record)
    else (record.origin === 'user' ? heard : accepted)(record.channel).add()
  })
  local.watch(logTable, (_key, record) => {
    if (!record) return
    const { level, event, channel } = record
    logged(level, event).add()
    if (event === 'message.refused') refusals(String(record.data?.reason ?? '')).add()
    const change = changeOf[event]
    if (change) consents(channel, change).add()
  })
  local.watch(deadLetterTable, (_key, letter) => {
    if (letter) deadLetters.add()
  })
  local.watch(waitingTable, (_key, waiting) => (waiting ? joined : left).add())

  /** The channel that a message went over need not be that of the conversation it belongs to. */
  function stateOf({ subtype = '', error = '', raw, channel }: TrafficRecord): void {
    const { attempt } = (raw ?? {}) as Partial<Status>
    states(attempt?.channel ?? channel, subtype, error).add()
  }
}

const changeOf: Readonly<Record<string, string>> = {
  'consent.opted_out': 'optedOut',
  'consent.opted_in': 'optedIn',
}

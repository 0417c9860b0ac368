/**
 * Metrics of conversations. Traffic is counted from durable records by the owner of their shard, so each record counts
 * once, however many attempts it took.
 */
import { channelNames } from '../../core/channelnames.js'
import type { Status } from '../../core/conversation/state.js'
import type { Log } from '../observe/log.js'
import { counterOf, initializeSeries } from '../observe/meters.js'
import type { Metrics } from '../observe/metrics.js'
import type { Local } from '../shard/contract.js'
import { deadLetterTable, logTable, type TrafficRecord, trafficTable } from './tables.js'

/** Counts messages that were refused before they reached their conversation. */
export function apiMetrics(metrics: Metrics) {
  const refusals = counterOf(metrics, 'parley_messages_refused_total')
  return { countRefusal: (reason: string) => refusals(reason).add() }
}

/** Logs reply loops: agents that answer their own messages. */
export function logLoops(local: Pick<Local, 'watch'>, log: Pick<Log, 'warn'>): void {
  local.watch(logTable, ([orgId, agentId, , userId], record) => {
    if (record?.event !== 'message.refused' || record.data?.reason !== 'loopDetected') return
    log.warn('agent.loop.detected', { orgId, agentId, userId, channel: record.channel })
  })
}

/** Sandbox traffic is in other tables and is not counted; its lines in the agent's log are. */
export function countRecords(local: Pick<Local, 'watch'>, metrics: Metrics): void {
  const received = counterOf(metrics, 'parley_messages_received_total')
  const accepted = counterOf(metrics, 'parley_messages_accepted_total')
  const states = counterOf(metrics, 'parley_message_states_total')
  const refusals = counterOf(metrics, 'parley_messages_refused_total')
  const logged = counterOf(metrics, 'parley_agent_log_total')
  const consents = counterOf(metrics, 'parley_consents_total')
  const deadLetters = counterOf(metrics, 'parley_webhook_dead_letters_total')('agent')
  for (const byChannel of [received, accepted]) initializeSeries(byChannel, channelNames)
  initializeSeries(consents, channelNames, Object.values(changeOf))

  local.watch(trafficTable, (_key, record) => {
    if (!record) return
    if (record.type === 'status') stateOf(record)
    else (record.origin === 'user' ? received : accepted)(record.channel).add()
  })
  local.watch(logTable, (_key, record) => {
    if (!record) return
    const { level, event, channel } = record
    logged(level, event).add()
    if (event === 'message.refused') refusals(String(record.data?.reason ?? '')).add()
    const change = changeOf[event]
    if (change) consents(channel, change).add()
  })
  local.watch(deadLetterTable, (_key, deadLetter) => {
    if (deadLetter) deadLetters.add()
  })

  /** The attempt may have used another channel than the conversation's. */
  function stateOf({ subtype = '', error = '', raw, channel }: TrafficRecord): void {
    const { attempt } = (raw ?? {}) as Partial<Status>
    states(attempt?.channel ?? channel, subtype, error).add()
  }
}

const changeOf: Readonly<Record<string, string>> = {
  'consent.opted_out': 'optedOut',
  'consent.opted_in': 'optedIn',
}

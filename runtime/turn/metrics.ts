/**
 * Metrics of managed turns. They are counted from the records of turns, by the owner of their shard, when a turn has
 * ended: each turn counts once, however often its effects ran. Turns of the sandbox are in another table.
 */
import { builtInTool, builtInTools, integrationPrefix } from '../../core/tools/builtin.js'
import type { TurnRecord } from '../../core/turn/record.js'
import { counterOf, histogramOf, initializeSeries } from '../observe/meters.js'
import type { Metrics } from '../observe/metrics.js'
import type { Local } from '../shard/contract.js'
import { turnTable } from './tables.js'

const cutReasons = ['stopped', 'deadline', 'webhook', 'agentGone'] as const satisfies TurnRecord['endedBy'][]

export function countTurns(local: Pick<Local, 'watch'>, metrics: Metrics): void {
  const turns = counterOf(metrics, 'parley_turns_total')
  const durations = histogramOf(metrics, 'parley_turn_duration_seconds')
  const calls = counterOf(metrics, 'parley_tool_calls_total')
  initializeSeries(turns, ['completed', 'failed'], [''])
  initializeSeries(turns, ['cut'], cutReasons)
  initializeSeries(calls, [...builtInTools.map(({ name }) => name), 'integration', 'catalog'], ['ok', 'failed'])

  local.watch(turnTable, (_key, record) => {
    // A record is removed at the end of its retention, and written again for an outcome that comes late.
    if (!record || record.hasLateOutcome) return
    const { state, endedBy = '', channel, took, messages, toolCalls } = record
    turns(state, endedBy).add()
    for (const call of toolCalls) calls(kindOf(call.name), call.state).add()
    if (state !== 'cut' && messages.length > 0) durations(channel).observe(took.total / 1000)
  })
}

/** Tools of agents are counted together: their names are the operators'. */
function kindOf(name: string): string {
  if (builtInTool(name)) return name
  return name.startsWith(integrationPrefix) ? 'integration' : 'catalog'
}

/** Metrics of turns: each turn counts once when it has ended, by what became of it. */
import t from 'tap'
import { createMetrics } from '../../../runtime/observe/metrics.js'
import type { Local } from '../../../runtime/shard/contract.js'
import { countTurns } from '../../../runtime/turn/metrics.js'
import { type StoredTurn, turnTable } from '../../../runtime/turn/tables.js'
import { callOf, turnOf } from '../../core/turn/records.js'
import { openTurnConversation } from './conversation.js'

/** Counts what the owner of a shard is told of the table of turns. */
function createCount() {
  const metrics = createMetrics()
  let listener: (key: never, value: StoredTurn | undefined) => void = () => {}
  const local: Pick<Local, 'watch'> = {
    watch(table, given) {
      if ((table as unknown) === turnTable) listener = given as never
    },
  }
  countTurns(local, metrics)
  return {
    write: (turn: StoredTurn | undefined) => listener([] as never, turn),
    sampleOf(series: string): number {
      const line = metrics
        .render()
        .text.split('\n')
        .find((each) => each.startsWith(`${series} `))
      return Number(line?.slice(series.length + 1))
    },
  }
}

t.test('Turns are counted by how they ended, and answered ones by how long their answer took', async (t) => {
  const { write, sampleOf } = createCount()
  t.equal(sampleOf('parley_turns_total{state="cut",reason="deadline"}'), 0, 'from zero')
  const took = { total: 2_500, waiting: 500, gathering: 0, model: 0, tools: 2_000, committing: 0 }
  write(turnOf('ann', { took, messages: ['m1'], channel: 'sms' }))
  write(turnOf('ann', { took, messages: [], channel: 'sms' }))
  write(turnOf('ann', { state: 'cut', endedBy: 'deadline', took, messages: ['m2'] }))
  write(turnOf('ann', { state: 'failed', took, messages: ['m3'], channel: 'sms' }))
  write(undefined)
  t.equal(sampleOf('parley_turns_total{state="completed",reason=""}'), 2)
  t.equal(sampleOf('parley_turns_total{state="cut",reason="deadline"}'), 1)
  t.equal(sampleOf('parley_turns_total{state="failed",reason=""}'), 1)
  t.equal(sampleOf('parley_turn_duration_seconds_count{channel="sms"}'), 2)
  t.equal(sampleOf('parley_turn_duration_seconds_sum{channel="sms"}'), 5)
})

t.test('Tool calls are counted by outcome, and the operators’ own names are no labels', async (t) => {
  const { write, sampleOf } = createCount()
  const toolCalls = [
    callOf('scheduling.book'),
    callOf('integration:crm', { state: 'failed' }),
    callOf('integration:erp', { state: 'failed' }),
    callOf('tool:@svc/tool.webhook', { state: 'unknown' }),
  ]
  write(turnOf('ann', { toolCalls }))
  t.equal(sampleOf('parley_tool_calls_total{tool="scheduling.book",outcome="ok"}'), 1)
  t.equal(sampleOf('parley_tool_calls_total{tool="integration",outcome="failed"}'), 2)
  t.equal(sampleOf('parley_tool_calls_total{tool="catalog",outcome="unknown"}'), 1)
})

t.test('A turn whose record is written again, for an outcome that came late, is counted once', async (t) => {
  const { write, sampleOf } = createCount()
  const { receive, begin, attempting, advance, tx } = openTurnConversation()
  const writeAll = () => {
    for (const { value } of tx.range(turnTable)) write(value)
  }
  receive('hello')
  begin({ call: 'integration:reserve' })
  attempting(1)
  writeAll()
  t.equal(sampleOf('parley_turns_total{state="cut",reason="stopped"}'), 0, 'an open turn has not ended')
  receive('STOP')
  writeAll()
  t.equal(advance(1, { state: 'ok', result: {} }), 'passed')
  writeAll()
  t.match([...tx.range(turnTable)], [{ value: { state: 'cut', toolCalls: [{ state: 'ok' }] } }])
  t.equal(sampleOf('parley_turns_total{state="cut",reason="stopped"}'), 1)
  t.equal(sampleOf('parley_tool_calls_total{tool="integration",outcome="unknown"}'), 1)
})

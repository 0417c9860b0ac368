/** Conditions on turns, and what readers see of a record. */
import t from 'tap'
import { matchesTurn } from '../../../core/turn/query.js'
import { turnEntry, turnListEntry } from '../../../core/turn/view.js'
import { callOf, turnOf } from './records.js'

t.test('R58: turns are found by session, state, warning, and the playbook before or after them', async (t) => {
  const turn = turnOf('ada', {
    playbook: { before: 'welcome', after: 'booking', why: 'match' },
    warnings: [
      { code: 'tool.failed', message: 'The calendar did not answer.' },
      { code: 'disclaimer.added', message: 'Added.' },
    ],
  })
  const met = [{}, { sessionId: 'ada-1' }, { state: 'completed' }, { playbookId: 'welcome' }, { playbookId: 'booking' }]
  for (const filter of [
    ...met,
    { warning: 'tool.failed' },
    { warning: 'disclaimer.added', state: 'completed' },
  ] as const)
    t.ok(matchesTurn(turn, filter as object), JSON.stringify(filter))
  const unmet = [{ sessionId: 'ada-2' }, { state: 'cut' }, { playbookId: 'other' }, { warning: 'tool.unknown' }]
  for (const filter of [...unmet, { warning: 'tool.failed', state: 'open' }])
    t.notOk(matchesTurn(turn, filter as object), JSON.stringify(filter))
  t.notOk(matchesTurn(turnOf('ada', { playbook: { why: 'none' } }), { playbookId: 'welcome' }))
})

t.test('R58: readers see times as ISO-8601, and a list leaves out what may be long', async (t) => {
  const effect = { kind: 'notify', summary: 'Alert the team', payload: { text: 'Hi' }, at: 1_772_366_495_500 }
  const turn = turnOf('ada', {
    toolCalls: [callOf('notify.team', { arguments: { text: 'Hi' }, result: { ok: true } })],
  })
  const entry = turnEntry('desk', { ...turn, effects: [effect], trace: ['one'] })
  t.match(entry, {
    agentId: 'desk',
    userId: 'ada',
    startedAt: '2026-03-01T12:00:00.000Z',
    endedAt: '2026-03-01T12:00:00.012Z',
    definition: { updatedAt: '2026-03-01T11:59:59.000Z' },
    took: { total: 12 },
    toolCalls: [{ arguments: { text: 'Hi' }, result: { ok: true } }],
    effects: [{ payload: { text: 'Hi' }, at: '2026-03-01T12:01:35.500Z' }],
    trace: ['one'],
  })
  const row = turnListEntry('desk', { ...turn, effects: [effect], trace: ['one'] })
  t.same(row.toolCalls, [{ name: 'notify.team', by: 'flow', state: 'ok', ms: 3, key: 'c1' }])
  t.same(row.effects, [{ kind: 'notify', summary: 'Alert the team', at: '2026-03-01T12:01:35.500Z' }])
  t.notOk('trace' in row)
  t.same({ ...row, toolCalls: entry.toolCalls, effects: entry.effects, trace: entry.trace }, entry, 'and nothing else')
})

t.test('R54: a turn of the sandbox shows the channel that was emulated, as messages do', async (t) => {
  const { endedAt: _end, ...open } = turnOf('eve', { test: true, state: 'open' })
  const shown = { channel: 'webchat', test: true, emulatedChannel: 'sms', endedAt: undefined }
  t.match(turnEntry('desk', open), shown)
  t.match(turnEntry('desk', { ...open, channel: 'webchat', emulatedChannel: 'sms' }), shown)
  t.match(turnEntry('desk', turnOf('ada')), { channel: 'sms', test: undefined, emulatedChannel: undefined })
})

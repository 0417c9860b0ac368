/** Log notes of turns. */
import fc from 'fast-check'
import t from 'tap'
import { levelOf, logEvents } from '../../../core/catalogs/logevents.js'
import { turnNotes as limits } from '../../../core/limits/index.js'
import { logEntry } from '../../../core/traffic/view.js'
import { notesOf } from '../../../core/turn/notes.js'
import { type TurnRecord, warningCodes } from '../../../core/turn/record.js'
import { callOf, turnOf, turnRecords, words } from './records.js'

const eventsOf = (record: TurnRecord) => notesOf(record).map(({ event }) => event)
const dataOf = (record: TurnRecord, event: string) => notesOf(record).find((each) => each.event === event)?.data

t.test('R61: notes are events of the catalog, name their turn, and never have the words of a person', async (t) => {
  const catalog = new Set(logEvents.map(({ id }) => id))
  fc.assert(
    fc.property(turnRecords, (record) => {
      const notes = notesOf(record)
      for (const { event, data } of notes) {
        if (!catalog.has(event)) throw new Error(`${event} is not in the catalog`)
        if (data?.turnId !== record.id) throw new Error(`${event} does not name the turn`)
        if (JSON.stringify(data).includes(words)) throw new Error(`${event} quotes the person`)
      }
      return notes[0]?.event === 'framework.dispatched'
    }),
  )
  t.pass('for any record')
})

t.test('R61: every warning of the record is in the log as a warning or an error', async (t) => {
  fc.assert(
    fc.property(turnRecords, (record) => {
      const notes = notesOf(record)
      const logged = new Set(
        notes.filter(({ event }) => ['warn', 'error'].includes(levelOf(event))).map(({ data }) => data?.warning),
      )
      const counted = record.warnings.map(({ code }) => code).filter((code) => code !== 'disclaimer.added')
      const missing = counted.filter((code) => !logged.has(code))
      if (missing.length > 0) throw new Error(`${missing} not logged`)
      return !notes.some(({ data }) => data?.warning === 'disclaimer.added')
    }),
  )
  for (const code of warningCodes) {
    const times = notesOf(
      turnOf('ada', {
        warnings: [
          { code, message: 'x' },
          { code, message: 'y' },
        ],
      }),
    ).filter(({ data }) => data?.warning === code)
    t.same(
      times.map(({ data }) => data?.times),
      code === 'disclaimer.added' ? [] : [2],
      `${code} is one line`,
    )
  }
})

t.test('R61: notes are bounded in number and size, whatever the record holds', async (t) => {
  const most = 7 * limits.perKind + warningCodes.length + 10
  const mostBytes = 4 * limits.values * (limits.valueChars + 20) * 6
  fc.assert(
    fc.property(turnRecords, (record) => {
      const notes = notesOf(record)
      const sizes = notes.map(({ data }) => JSON.stringify(data).length)
      return notes.length <= most && Math.max(...sizes) <= mostBytes
    }),
  )
  const call = callOf('integration:crm', {
    arguments: Object.fromEntries(Array.from({ length: 99 }, (_, n) => [n, n])),
  })
  const long = notesOf(turnOf('ada', { toolCalls: Array(500).fill(call) }))
  t.ok(long.length <= most)
  t.match(long[1]?.data, { arguments: Array.from({ length: limits.values }, (_, n) => String(n)) })
})

t.test('R61: a turn is dispatched first and ends with its answer, its time and its messages', async (t) => {
  t.same(eventsOf(turnOf('ada')), ['framework.dispatched', 'framework.replied'])
  t.match(notesOf(turnOf('ada')), [
    { data: { trigger: 'message', eventIds: ['ev_1'] } },
    { data: { ms: 12, messages: 1, why: undefined } },
  ])
  t.same(eventsOf(turnOf('ada', { state: 'open' })), ['framework.dispatched'], 'an open turn has no end yet')
  const cut = turnOf('ada', { state: 'cut', endedBy: 'stopped', messages: [] })
  t.match(dataOf(cut, 'framework.failed'), { messages: 0, why: 'The person opted out.' })
  t.match(dataOf(turnOf('ada', { state: 'failed' }), 'framework.failed'), { why: /\.$/ })
})

t.test('R61: playbooks, flows, goals, rules and searches are logged as they happened', async (t) => {
  const turn = turnOf('ada', {
    playbook: { before: 'welcome', after: 'booking', why: 'match' },
    flow: { to: 'booking:when', slots: { guests: 2, email: 'a@b.example' } },
    found: [{ kind: 'fact', id: 'check-in', score: 2 }],
    goal: { id: 'booked', from: 'playbook', reached: true },
    rules: [
      { ruleId: 'no-prices', action: 'flag' },
      { ruleId: 'no-names', action: 'block' },
    ],
    warnings: [{ code: 'rule.flagged', message: 'x' }],
    outcomes: ['booked'],
  })
  t.same(eventsOf(turn), [
    ...['framework.dispatched', 'playbook.left', 'playbook.entered', 'knowledge.searched', 'flow.started', 'flow.step'],
    ...['flow.completed', 'rule.flagged', 'rule.blocked', 'goal.reached', 'framework.replied'],
  ])
  t.match(dataOf(turn, 'playbook.entered'), { playbook: 'booking', reason: 'match' })
  t.match(dataOf(turn, 'flow.step'), { playbook: 'booking', to: 'booking:when', slots: ['guests', 'email'] })
  t.match(dataOf(turn, 'knowledge.searched'), { hits: [{ kind: 'fact', id: 'check-in', score: 2 }] })
  t.match(dataOf(turn, 'goal.reached'), { goal: 'booked', from: 'playbook' })
  const later = turnOf('ada', { flow: { from: 'booking:when', outcome: 'cancelled', slots: {} } })
  t.same(eventsOf(later), ['framework.dispatched', 'flow.step', 'flow.completed', 'framework.replied'])
  t.same(eventsOf(turnOf('ada', { toolCalls: [callOf('knowledge.search')] })).slice(1, 3), [
    'knowledge.searched',
    'tool.called',
  ])
})

t.test('R61: each tool is logged under its own event, with what it did and without what it was given', async (t) => {
  const done: Readonly<Record<string, string>> = {
    'scheduling.availability': 'scheduling.offered',
    'scheduling.book': 'scheduling.booked',
    'scheduling.reschedule': 'scheduling.moved',
    'scheduling.cancel': 'scheduling.released',
    'people.save': 'person.updated',
    'notify.team': 'notify.sent',
    'integration:crm': 'integration.called',
    'tool:@svc/tool.mail': 'tool.called',
    constructor: 'tool.called',
  }
  const failed = (name: string) => `${/^(scheduling|notify|integration)\b/.exec(name)?.[0] ?? 'tool'}.failed`
  const logged = (name: string, more: object) => notesOf(turnOf('ada', { toolCalls: [callOf(name, more)] }))[1]
  for (const [name, event] of Object.entries(done)) {
    t.match(logged(name, {}), { event, data: { tool: name, by: 'flow', outcome: 'ok', ms: 3 } })
    const why = 'It did not answer.'
    for (const state of ['failed', 'unknown'])
      t.match(logged(name, { state, reason: why }), { event: failed(name), data: { outcome: state, why } })
    t.match(logged(name, { state: 'refused', reason: why }), { event: 'tool.refused', data: { why } })
    for (const state of ['captured', 'cancelled'])
      t.match(logged(name, { state }), { event: 'tool.called', data: { outcome: state } }, 'nothing went outside')
    t.match(logged(name, { state: 'pending' }), { event: 'framework.replied' })
  }
  const result = { appointmentId: 'apt_1', startUtc: 5, zone: 'UTC' }
  t.match(logged('scheduling.book', { result, arguments: { start: 'x', notes: 'Bring the dog' } }), {
    data: { appointmentId: 'apt_1', startUtc: 5, arguments: ['start', 'notes'] },
  })
  t.match(logged('scheduling.availability', { result: { slots: [1, 2] } }), { data: { slots: 2 } })
  t.match(logged('people.save', { arguments: { fields: { email: 'a@b.example' } } }), { data: { fields: ['email'] } })
  const captured = { test: true, effects: [{ kind: 'mail', summary: 'x', at: 1 }] } as const
  t.match(notesOf(turnOf('eve', captured)).at(-1), { event: 'emulator.turn', data: { captured: ['mail'] } })
})

t.test('R61: operators see which runtime a line is of, and why a turn failed', async (t) => {
  const lineOf = (event: string, data: Record<string, unknown>) =>
    logEntry({ agentId: 'desk', asid: 'ada', at: 0 }, { level: levelOf(event as never), event: event as never, data })
  for (const { event, data } of notesOf(turnOf('ada', { state: 'cut', endedBy: 'deadline' })))
    t.match(lineOf(event, data as Record<string, unknown>), { framework: 'managed', userId: 'ada', event })
  const failed = notesOf(turnOf('ada', { state: 'cut', endedBy: 'deadline' })).at(-1)!
  t.match(lineOf(failed.event, failed.data as Record<string, unknown>), { error: { message: /deadline/ } })
  t.match(lineOf('framework.replied', { eventId: 'ev_1' }), { framework: 'webhook' })
  t.match(lineOf('message.held', { messageId: 'msg_1' }), { framework: undefined })
})

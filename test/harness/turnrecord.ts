/** The record of a turn in which a visit was booked, with something of everything. */
import type { TurnRecord } from '../../core/turn/record.js'

export function turnRecord(change: Partial<TurnRecord> = {}): TurnRecord {
  return {
    id: 'trn_1',
    userId: 'usr_1',
    sessionId: 'ses_1',
    channel: 'sms',
    personId: 'per_1',
    state: 'completed',
    trigger: { kind: 'result', eventIds: ['evt_1'], text: 'Yes' },
    startedAt: 1_772_366_405_000,
    endedAt: 1_772_366_405_058,
    took: { total: 58, waiting: 4, gathering: 9, model: 0, tools: 31.25, committing: 14 },
    definition: { digest: 'd1', updatedAt: 1_772_366_000_000 },
    playbook: { before: 'book', after: 'book', why: 'session' },
    flow: {
      from: 'book:3',
      to: 'book:9',
      outcome: 'booked',
      slots: {
        treatment: 'Sports massage',
        time: { startUtc: 1, start: '2026-03-02T10:00:00-05:00', zone: 'America/New_York', label: 'Mon 2 Mar, 10:00' },
        email: '***',
      },
    },
    goal: { id: 'booked-visit', from: 'playbook', reached: true },
    modelCalls: [],
    toolCalls: [
      {
        name: 'scheduling.book',
        by: 'flow',
        state: 'ok',
        arguments: { start: '2026-03-02T10:00:00-05:00', notes: 'Sports massage' },
        result: { appointmentId: 'apt_1' },
        ms: 27.5,
        key: 'call_1',
      },
      {
        name: 'people.save',
        by: 'flow',
        state: 'refused',
        arguments: { fields: { email: '***' } },
        reason: 'The field email is locked.',
        ms: 3,
        key: 'call_2',
      },
    ],
    found: [{ kind: 'fact', id: 'parking', score: 6.1234 }],
    rules: [{ ruleId: 'prices', action: 'flag' }],
    messages: ['msg_1', 'msg_2'],
    effects: [{ kind: 'mail', summary: 'Booked: Sports massage, Mon 2 Mar, 10:00', at: 1_772_366_405_050 }],
    outcomes: ['booked'],
    warnings: [{ code: 'tool.refused', message: 'people.save was refused: The field email is locked.' }],
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 },
    trace: [
      'book:3 action',
      'book:4 branch',
      'book:contact action',
      'book:booked say',
      'book:9 end',
      'The goal is reached.',
    ],
    ...change,
  }
}

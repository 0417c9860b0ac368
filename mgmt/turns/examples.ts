/** Recorded calls and answers of turn records, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

const turnId = 'usr_hy8r4hpjx7sysrpwsmv8h1jdg4.mm7p90cs-4'

const record = {
  id: turnId,
  agentId: 'harbor-desk',
  userId: 'usr_hy8r4hpjx7sysrpwsmv8h1jdg4',
  sessionId: 'ses_ds52hn760nt6mj43tg3etg95zy',
  channel: 'rcs',
  personId: 'per_4kx0p8v4d9x9m1w0s2a6t3b7cz',
  state: 'completed',
  trigger: { kind: 'message', eventIds: ['ev_dpt140nca9r5zcrdv1ky2bysz6'], text: 'A room for two, please' },
  startedAt: '2026-03-01T12:01:35.500Z',
  endedAt: '2026-03-01T12:01:35.512Z',
  took: { total: 12, waiting: 2, gathering: 3, model: 0, tools: 4, committing: 3 },
  definition: { digest: 'q8Jm2vXo0cT1yRk5sWnB7A', updatedAt: '2026-03-01T09:00:00.000Z' },
  playbook: { before: 'front-desk', after: 'booking', why: 'match' },
  flow: { to: 'booking:when', slots: { guests: 2 } },
  goal: { id: 'booked', from: 'playbook' },
  modelCalls: [],
  found: [{ kind: 'fact', id: 'check-in', score: 3.2 }],
  rules: [],
  messages: ['msg_01kjmmb55cse99wb66ssj38q2d'],
  outcomes: [],
  warnings: [{ code: 'model.absent', message: 'No model is configured; the flow answered.' }],
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 },
}

const call = { name: 'scheduling.availability', by: 'flow', state: 'ok', ms: 4, key: 'c_7r2k0q' }

export const examples: RouteExamples = {
  'GET /orgs/{org}/agents/{agent}/turns': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    query: {
      limit: 1,
      playbookId: 'booking',
    },
    status: 200,
    reply: { data: [{ ...record, toolCalls: [call], effects: [] }] },
  },
  'GET /orgs/{org}/agents/{agent}/turns/{turnId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      turnId,
    },
    status: 200,
    reply: {
      ...record,
      toolCalls: [
        {
          ...call,
          arguments: { partOfDay: 'evening' },
          result: { zone: 'Europe/Berlin', slots: [] },
        },
      ],
      effects: [],
      trace: ['match booking 6.1, front-desk 1.2', 'booking:0 collect guests', 'booking:when collect time'],
    },
  },
}

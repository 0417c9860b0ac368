/** Recorded calls and answers of traffic, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
  'GET /orgs/{org}/agents/{agent}/gateway/attempts': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      data: [
        {
          timestamp: '2026-03-01T12:01:35.500Z',
          eventId: 'ev_dpt140nca9r5zcrdv1ky2bysz6',
          type: 'message',
          userId: 'usr_hy8r4hpjx7sysrpwsmv8h1jdg4',
          sessionId: 'ses_7g2k9x4v',
          channel: 'sms',
          attempt: 1,
          outcome: 'retried',
          durationMs: 12,
          status: 500,
          reason: 'The webhook answered 500.',
          nextAttemptAt: '2026-03-01T12:01:36.500Z',
        },
      ],
    },
  },
  'GET /orgs/{org}/agents/{agent}/messages': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    query: {
      limit: 1,
      type: 'content',
    },
    status: 200,
    reply: {
      data: [
        {
          timestamp: '2026-03-01T12:01:35.500Z',
          agentId: 'harbor-desk',
          userId: 'usr_hy8r4hpjx7sysrpwsmv8h1jdg4',
          sessionId: 'ses_ds52hn760nt6mj43tg3etg95zy',
          origin: 'agent',
          type: 'content',
          channel: 'rcs',
          text: 'Hello Cy, your room is ready.',
          messageId: 'msg_01kjmmb55cse99wb66ssj38q2d',
          channelMessageId: 'emu-msg_01kjmmb55cse99wb66ssj38q2d.0',
          raw: {
            spec: 'amf/1',
            parts: [
              {
                type: 'text',
                text: 'Hello Cy, your room is ready.',
              },
            ],
          },
        },
      ],
    },
  },
  'GET /orgs/{org}/agents/{agent}/conversations': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    query: {
      limit: 1,
    },
    status: 200,
    reply: {
      data: [
        {
          sessionId: 'ses_ds52hn760nt6mj43tg3etg95zy',
          userId: 'usr_hy8r4hpjx7sysrpwsmv8h1jdg4',
          channel: 'rcs',
          startedAt: '2026-03-01T12:01:35.500Z',
          endedAt: '2026-03-01T12:01:35.500Z',
          messageCount: 1,
          firstMessagePreview: 'Hello Cy, your room is ready.',
        },
      ],
    },
  },
  'GET /orgs/{org}/agents/{agent}/users': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    query: {
      limit: 1,
    },
    status: 200,
    reply: {
      data: [
        {
          userId: 'usr_hy8r4hpjx7sysrpwsmv8h1jdg4',
          channel: 'rcs',
          lastSeenAt: '2026-03-01T12:01:35.500Z',
          messageCount: 1,
        },
      ],
    },
  },
  'GET /orgs/{org}/agents/{agent}/logs': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    query: {
      limit: 1,
    },
    status: 200,
    reply: {
      data: [
        {
          timestamp: '2026-03-01T12:01:35.500Z',
          agentId: 'harbor-desk',
          level: 'warn',
          event: 'webhook.retried',
          userId: 'usr_hy8r4hpjx7sysrpwsmv8h1jdg4',
          channel: 'rcs',
          data: {
            attempt: 2,
          },
          raw: {
            attempt: 2,
          },
        },
      ],
    },
  },
}

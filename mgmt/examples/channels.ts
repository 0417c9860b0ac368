/** Calls and answers of channels and gateway access, as a node gave them, for the OpenAPI document. */
import type { RouteExample } from '../../runtime/http/route.js'

export const channels: Readonly<Record<string, RouteExample>> = {
  'GET /orgs/{org}/agents/{agent}/channels': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'cb_6nk0evstwazq6abv4bkgha3ben',
          agentId: 'harbor-desk',
          channel: 'webchat',
          mode: 'managed',
          status: 'Active',
          events: [
            {
              at: '2026-03-01T12:00:03.000Z',
              to: 'Active',
              actor: 'system',
            },
          ],
          inputs: {},
          ingressUrl: 'https://gateway.example/v4/ingress/cb_6nk0evstwazq6abv4bkgha3ben',
          chatUrl: 'https://gateway.example/v4/webchat/demo.harbor-desk',
          widgetUrl: 'https://gateway.example/v4/webchat/demo.harbor-desk/widget.js',
        },
      ],
    },
  },
  'POST /orgs/{org}/agents/{agent}/channels': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    body: {
      channel: 'rcs',
      mode: 'unmanaged',
      provider: 'emulator',
      auth: {},
    },
    status: 201,
    reply: {
      id: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
      agentId: 'harbor-desk',
      channel: 'rcs',
      provider: 'emulator',
      mode: 'unmanaged',
      status: 'Active',
      events: [
        {
          at: '2026-03-01T12:00:14.000Z',
          to: 'Active',
          actor: 'operator',
        },
      ],
      ingressUrl: 'https://gateway.example/v4/ingress/cb_sbtsvqzbkhssf1vh3n0wankjhq',
    },
  },
  'GET /orgs/{org}/agents/{agent}/channels/{bindingId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      bindingId: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
    },
    status: 200,
    reply: {
      id: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
      agentId: 'harbor-desk',
      channel: 'rcs',
      provider: 'emulator',
      mode: 'unmanaged',
      status: 'Active',
      events: [
        {
          at: '2026-03-01T12:00:14.000Z',
          to: 'Active',
          actor: 'operator',
        },
      ],
      ingressUrl: 'https://gateway.example/v4/ingress/cb_sbtsvqzbkhssf1vh3n0wankjhq',
    },
  },
  'POST /orgs/{org}/agents/{agent}/channels/{bindingId}/_disable': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      bindingId: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
    },
    status: 200,
    reply: {
      id: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
      agentId: 'harbor-desk',
      channel: 'rcs',
      provider: 'emulator',
      mode: 'unmanaged',
      status: 'Disabled',
      events: [
        {
          at: '2026-03-01T12:00:14.000Z',
          to: 'Active',
          actor: 'operator',
        },
        {
          at: '2026-03-01T12:00:14.000Z',
          from: 'Active',
          to: 'Disabled',
          actor: 'operator',
        },
      ],
      ingressUrl: 'https://gateway.example/v4/ingress/cb_sbtsvqzbkhssf1vh3n0wankjhq',
    },
  },
  'POST /orgs/{org}/agents/{agent}/channels/{bindingId}/_enable': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      bindingId: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
    },
    status: 200,
    reply: {
      id: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
      agentId: 'harbor-desk',
      channel: 'rcs',
      provider: 'emulator',
      mode: 'unmanaged',
      status: 'Active',
      events: [
        {
          at: '2026-03-01T12:00:14.000Z',
          to: 'Active',
          actor: 'operator',
        },
        {
          at: '2026-03-01T12:00:14.000Z',
          from: 'Active',
          to: 'Disabled',
          actor: 'operator',
        },
        {
          at: '2026-03-01T12:00:14.500Z',
          from: 'Disabled',
          to: 'Active',
          actor: 'operator',
        },
      ],
      ingressUrl: 'https://gateway.example/v4/ingress/cb_sbtsvqzbkhssf1vh3n0wankjhq',
    },
  },
  'PATCH /orgs/{org}/agents/{agent}/channels/{bindingId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      bindingId: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
    },
    body: {
      auth: {},
    },
    status: 200,
    reply: {
      id: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
      agentId: 'harbor-desk',
      channel: 'rcs',
      provider: 'emulator',
      mode: 'unmanaged',
      status: 'Active',
      events: [
        {
          at: '2026-03-01T12:00:14.000Z',
          to: 'Active',
          actor: 'operator',
        },
        {
          at: '2026-03-01T12:00:14.000Z',
          from: 'Active',
          to: 'Disabled',
          actor: 'operator',
        },
        {
          at: '2026-03-01T12:00:14.500Z',
          from: 'Disabled',
          to: 'Active',
          actor: 'operator',
        },
      ],
      ingressUrl: 'https://gateway.example/v4/ingress/cb_sbtsvqzbkhssf1vh3n0wankjhq',
    },
  },
  'GET /orgs/{org}/agents/{agent}/gateway': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      accessTokenPrefix: 'at-svc-APbvOa',
      signingSecretPrefix: 'ws-svc-3ZFbbh',
      mode: 'managed',
    },
  },
  'POST /orgs/{org}/agents/{agent}/gateway/_rotateToken': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      accessToken: 'at-svc-MlCynp0shown0once0and0never0again',
    },
  },
  'POST /orgs/{org}/agents/{agent}/gateway/_rotateSecret': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      signingSecret: 'ws-svc-3ZFbbh0shown0once0and0never0again',
    },
  },
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
  'GET /orgs/{org}/agents/{agent}/gateway/dead-letters': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'dead_4kq2m7',
          userId: 'usr_hy8r4hpjx7sysrpwsmv8h1jdg4',
          at: '2026-03-01T12:01:35.500Z',
          why: 'messages[0].parts[0].colour: is not a known field',
          eventId: 'ev_dpt140nca9r5zcrdv1ky2bysz6',
          type: 'message',
        },
      ],
    },
  },
  'DELETE /orgs/{org}/agents/{agent}/channels/{bindingId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      bindingId: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
    },
    status: 204,
  },
  'POST /orgs/{org}/agents/{agent}/gateway/dead-letters/_replay': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 202,
    reply: {
      replayed: 3,
      isMore: false,
    },
  },
  'POST /orgs/{org}/agents/{agent}/gateway/dead-letters/{id}/_replay': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      id: 'dead_4kq2m7',
    },
    status: 202,
  },
}

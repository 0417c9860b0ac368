/** Recorded calls and answers of connections and sign-ins of tools, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
  'GET /orgs/{org}/connections': {
    params: {
      org: 'demo',
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'cn_8t2v5x',
          provider: 'calendar',
          label: 'Front desk',
          accountLabel: 'desk@example.com',
          status: 'connected',
          expiresAt: '2026-03-01T13:00:00.000Z',
          usedBy: [
            {
              agentId: 'harbor-desk',
              name: 'Harbor Desk',
            },
          ],
        },
      ],
    },
  },
  'GET /orgs/{org}/connections/{id}': {
    params: {
      org: 'demo',
      id: 'cn_8t2v5x',
    },
    status: 200,
    reply: {
      id: 'cn_8t2v5x',
      provider: 'calendar',
      label: 'Front desk',
      accountLabel: 'desk@example.com',
      status: 'connected',
      expiresAt: '2026-03-01T13:00:00.000Z',
      usedBy: [
        {
          agentId: 'harbor-desk',
          name: 'Harbor Desk',
        },
      ],
    },
  },
  'POST /orgs/{org}/connections/{provider}/_start': {
    params: {
      org: 'demo',
      provider: 'calendar',
    },
    body: {
      label: 'Front desk',
      returnTo: 'https://console.example/settings',
    },
    status: 200,
    reply: {
      authorizationUrl: 'https://accounts.example/authorize?client_id=parley&state=one-use-only',
    },
  },
  'POST /orgs/{org}/connections/{id}/_reconnect': {
    params: {
      org: 'demo',
      id: 'cn_8t2v5x',
    },
    body: {
      returnTo: 'https://console.example/settings',
    },
    status: 200,
    reply: {
      authorizationUrl: 'https://accounts.example/authorize?client_id=parley&state=one-use-only',
    },
  },
  'DELETE /orgs/{org}/connections/{id}': {
    params: {
      org: 'demo',
      id: 'cn_8t2v5x',
    },
    status: 200,
    reply: {
      disconnected: true,
      usedBy: [
        {
          agentId: 'harbor-desk',
          name: 'Harbor Desk',
        },
      ],
    },
  },
  'POST /orgs/{org}/agents/{agent}/tools/{toolId}/oauth/start': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      toolId: '@svc/tool.calendar',
    },
    body: {
      returnTo: 'https://console.example/settings',
    },
    status: 200,
    reply: {
      authorizationUrl: 'https://accounts.example/authorize?client_id=parley&state=one-use-only',
    },
  },
  'GET /orgs/{org}/agents/{agent}/tools/{toolId}/oauth/status': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      toolId: '@svc/tool.calendar',
    },
    status: 200,
    reply: {
      status: 'connected',
      connectedAt: '2026-03-01T12:00:00.000Z',
    },
  },
  'POST /orgs/{org}/agents/{agent}/tools/{toolId}/oauth/disconnect': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      toolId: '@svc/tool.calendar',
    },
    status: 200,
    reply: {
      status: 'not-connected',
    },
  },
  'GET /oauth/callback': {
    query: {
      state: 'one-use-only',
      code: 'from-the-provider',
    },
    status: 302,
  },
}

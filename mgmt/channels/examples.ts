/** Recorded calls and answers of channel bindings, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
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
  'DELETE /orgs/{org}/agents/{agent}/channels/{bindingId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      bindingId: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
    },
    status: 204,
  },
}

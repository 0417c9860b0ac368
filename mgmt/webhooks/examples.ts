/** Recorded calls and answers of org webhooks, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
  'POST /orgs/{org}/webhooks': {
    params: {
      org: 'demo',
    },
    body: {
      url: 'https://hooks.example/parley',
      events: ['agent.updated'],
      description: 'Tells our desk.',
    },
    status: 201,
    reply: {
      id: 'wh_pjr7jc7accmnk1c257ks29k342',
      url: 'https://hooks.example/parley',
      events: ['agent.updated'],
      active: true,
      createdAt: '2026-03-01T12:00:02.000Z',
      updatedAt: '2026-03-01T12:00:02.000Z',
      signingSecret: 'ws-svc-3ZFbbh0shown0once0and0never0again',
      description: 'Tells our desk.',
      signingSecretPrefix: 'ws-svc-3ZFbbh',
    },
  },
  'GET /orgs/{org}/webhooks': {
    params: {
      org: 'demo',
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'wh_pjr7jc7accmnk1c257ks29k342',
          url: 'https://hooks.example/parley',
          events: ['agent.updated'],
          active: true,
          createdAt: '2026-03-01T12:00:02.000Z',
          updatedAt: '2026-03-01T12:00:02.000Z',
          description: 'Tells our desk.',
          signingSecretPrefix: 'ws-svc-3ZFbbh',
        },
      ],
    },
  },
  'GET /orgs/{org}/webhooks/{webhookId}': {
    params: {
      org: 'demo',
      webhookId: 'wh_pjr7jc7accmnk1c257ks29k342',
    },
    status: 200,
    reply: {
      id: 'wh_pjr7jc7accmnk1c257ks29k342',
      url: 'https://hooks.example/parley',
      events: ['agent.updated'],
      active: true,
      createdAt: '2026-03-01T12:00:02.000Z',
      updatedAt: '2026-03-01T12:00:02.000Z',
      description: 'Tells our desk.',
      signingSecretPrefix: 'ws-svc-3ZFbbh',
    },
  },
  'PATCH /orgs/{org}/webhooks/{webhookId}': {
    params: {
      org: 'demo',
      webhookId: 'wh_pjr7jc7accmnk1c257ks29k342',
    },
    body: {
      active: true,
      events: ['agent.updated', 'agent.deleted'],
    },
    status: 200,
    reply: {
      id: 'wh_pjr7jc7accmnk1c257ks29k342',
      url: 'https://hooks.example/parley',
      events: ['agent.updated', 'agent.deleted'],
      active: true,
      createdAt: '2026-03-01T12:00:02.000Z',
      updatedAt: '2026-03-01T12:00:02.000Z',
      description: 'Tells our desk.',
      signingSecretPrefix: 'ws-svc-3ZFbbh',
    },
  },
  'POST /orgs/{org}/webhooks/{webhookId}/_rotate': {
    params: {
      org: 'demo',
      webhookId: 'wh_pjr7jc7accmnk1c257ks29k342',
    },
    status: 200,
    reply: {
      id: 'wh_pjr7jc7accmnk1c257ks29k342',
      url: 'https://hooks.example/parley',
      events: ['agent.updated', 'agent.deleted'],
      active: true,
      createdAt: '2026-03-01T12:00:02.000Z',
      updatedAt: '2026-03-01T12:00:02.500Z',
      signingSecret: 'ws-svc-3ZFbbh0shown0once0and0never0again',
      description: 'Tells our desk.',
      signingSecretPrefix: 'ws-svc-3ZFbbh',
    },
  },
  'GET /orgs/{org}/webhooks/{webhookId}/deliveries': {
    params: {
      org: 'demo',
      webhookId: 'wh_pjr7jc7accmnk1c257ks29k342',
    },
    query: {
      limit: 1,
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'dl_cbgg44wqw2dt5x8vfbk99fxbcy',
          webhookId: 'wh_pjr7jc7accmnk1c257ks29k342',
          state: 'pending',
          event: {
            id: 'ev_zdr4a9av5ywaqxq78ksky8rmqe',
            type: 'agent.updated',
            orgId: 'demo',
            agentId: 'harbor-desk',
            createdAt: '2026-03-01T12:00:04.000Z',
            data: {
              id: 'harbor-desk',
              name: 'Harbor Desk',
              changed: ['description'],
              by: {
                kind: 'key',
                id: 'key_60xrahma3pnkn8vwwapsyc4vdm',
              },
            },
          },
          attemptCount: 0,
          attempts: [],
          createdAt: '2026-03-01T12:00:04.000Z',
          updatedAt: '2026-03-01T12:00:04.000Z',
        },
      ],
    },
  },
  'POST /orgs/{org}/webhooks/{webhookId}/deliveries/{deliveryId}/_replay': {
    params: {
      org: 'demo',
      webhookId: 'wh_pjr7jc7accmnk1c257ks29k342',
      deliveryId: 'dl_cbgg44wqw2dt5x8vfbk99fxbcy',
    },
    status: 202,
    reply: {
      id: 'dl_cbgg44wqw2dt5x8vfbk99fxbcy',
      webhookId: 'wh_pjr7jc7accmnk1c257ks29k342',
      state: 'pending',
      event: {
        id: 'ev_zdr4a9av5ywaqxq78ksky8rmqe',
        type: 'agent.updated',
        orgId: 'demo',
        agentId: 'harbor-desk',
        createdAt: '2026-03-01T12:00:04.000Z',
        data: {
          id: 'harbor-desk',
          name: 'Harbor Desk',
          changed: ['description'],
          by: {
            kind: 'key',
            id: 'key_60xrahma3pnkn8vwwapsyc4vdm',
          },
        },
      },
      attemptCount: 1,
      attempts: [
        {
          at: '2026-03-01T12:00:04.000Z',
          durationMs: 0,
          error: 'The host name could not be resolved.',
        },
      ],
      nextAttemptAt: '2026-03-01T12:00:04.000Z',
      createdAt: '2026-03-01T12:00:04.000Z',
      updatedAt: '2026-03-01T12:00:04.000Z',
    },
  },
  'DELETE /orgs/{org}/webhooks/{webhookId}': {
    params: {
      org: 'demo',
      webhookId: 'wh_pjr7jc7accmnk1c257ks29k342',
    },
    status: 204,
  },
}

/** Recorded requests and responses of dead letters of agent webhooks, for the OpenAPI document. */
import type { RouteExamples } from '../../http/examples.js'

export const deadLetters: RouteExamples = {
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

/** Recorded calls and answers of personas, emulator links and sittings, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
  'POST /orgs/{org}/agents/{agent}/personas': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    body: {
      name: 'Ada',
      channel: 'rcs',
    },
    status: 201,
    reply: {
      id: 'psn_ev54hrmyp23q57q2mm16156k5j',
      name: 'Ada',
      channel: 'rcs',
      userId: 'usr_744n9x7ej89tjhbpw2dn35hpbq',
      personId: 'pr_01kjmmb64mb0d9fndsn2te9jvy',
      fields: {
        status: 'new',
        source: 'persona',
      },
      consent: {
        status: 'unknown',
      },
      createdAt: '2026-03-01T12:00:36.500Z',
    },
  },
  'GET /orgs/{org}/agents/{agent}/personas': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'psn_ev54hrmyp23q57q2mm16156k5j',
          name: 'Ada',
          channel: 'rcs',
          userId: 'usr_744n9x7ej89tjhbpw2dn35hpbq',
          personId: 'pr_01kjmmb64mb0d9fndsn2te9jvy',
          fields: {
            status: 'new',
            source: 'persona',
          },
          consent: {
            status: 'unknown',
          },
          createdAt: '2026-03-01T12:00:36.500Z',
        },
      ],
    },
  },
  'GET /orgs/{org}/agents/{agent}/personas/{personaId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      personaId: 'psn_ev54hrmyp23q57q2mm16156k5j',
    },
    status: 200,
    reply: {
      id: 'psn_ev54hrmyp23q57q2mm16156k5j',
      name: 'Ada',
      channel: 'rcs',
      userId: 'usr_744n9x7ej89tjhbpw2dn35hpbq',
      personId: 'pr_01kjmmb64mb0d9fndsn2te9jvy',
      fields: {
        status: 'new',
        source: 'persona',
      },
      consent: {
        status: 'unknown',
      },
      createdAt: '2026-03-01T12:00:36.500Z',
    },
  },
  'POST /orgs/{org}/agents/{agent}/personas/{personaId}/turns': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      personaId: 'psn_ev54hrmyp23q57q2mm16156k5j',
    },
    body: {
      text: 'Is a room free tonight?',
    },
    status: 200,
    reply: {
      turn: {
        number: 1,
        role: 'user',
        text: 'Is a room free tonight?',
        at: '2026-03-01T12:00:37.000Z',
        directive: {
          text: 'Is a room free tonight?',
        },
      },
      replies: [],
      pending: false,
    },
  },
  'GET /orgs/{org}/agents/{agent}/personas/{personaId}/turns': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      personaId: 'psn_ev54hrmyp23q57q2mm16156k5j',
    },
    status: 200,
    reply: {
      data: [
        {
          number: 1,
          role: 'user',
          text: 'Is a room free tonight?',
          at: '2026-03-01T12:00:37.000Z',
          directive: {
            text: 'Is a room free tonight?',
          },
        },
      ],
    },
  },
  'POST /orgs/{org}/agents/{agent}/emulator-links': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    body: {
      label: 'For the pilot',
    },
    status: 201,
    reply: {
      id: 'egr_wqp6e3myy8c7axyx0hp6g7a78v',
      label: 'For the pilot',
      createdAt: '2026-03-01T12:00:37.500Z',
      expiresAt: '2026-03-31T12:00:37.500Z',
      createdBy: {
        kind: 'key',
        id: 'key_60xrahma3pnkn8vwwapsyc4vdm',
      },
      token: 'v2.a0credential0that0opens0personas',
    },
  },
  'GET /orgs/{org}/agents/{agent}/emulator-links': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'egr_wqp6e3myy8c7axyx0hp6g7a78v',
          label: 'For the pilot',
          createdAt: '2026-03-01T12:00:37.500Z',
          expiresAt: '2026-03-31T12:00:37.500Z',
          lastUsedAt: '2026-03-01T12:04:00.000Z',
          createdBy: {
            kind: 'key',
            id: 'key_60xrahma3pnkn8vwwapsyc4vdm',
          },
        },
      ],
    },
  },
  'DELETE /orgs/{org}/agents/{agent}/emulator-links/{linkId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      linkId: 'egr_wqp6e3myy8c7axyx0hp6g7a78v',
    },
    status: 204,
  },
  'POST /orgs/{org}/agents/{agent}/emulator/sittings': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 201,
    reply: {
      id: 'egr_x2hb1v0mrz6mewgp710xm9219p',
      token: 'v1.a0credential0that0opens0personas',
      expiresAt: '2026-03-01T13:00:37.500Z',
    },
  },
  'POST /orgs/{org}/agents/{agent}/personas/{personaId}/_reset': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      personaId: 'psn_ev54hrmyp23q57q2mm16156k5j',
    },
    status: 200,
    reply: {
      id: 'psn_ev54hrmyp23q57q2mm16156k5j',
      name: 'Ada',
      channel: 'rcs',
      userId: 'usr_4mjjnwe9s1vt0vev7a4jnh65rv',
      personId: 'pr_01kjmmb64mb0d9fndsn2te9jvy',
      fields: {
        status: 'new',
        source: 'persona',
      },
      consent: {
        status: 'unknown',
      },
      createdAt: '2026-03-01T12:00:36.500Z',
      resetAt: '2026-03-01T12:00:39.500Z',
    },
  },
  'DELETE /orgs/{org}/agents/{agent}/personas/{personaId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      personaId: 'psn_ev54hrmyp23q57q2mm16156k5j',
    },
    status: 204,
  },
}

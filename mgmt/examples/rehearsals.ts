/** Calls and answers of personas and outreach links, as a node gave them, for the OpenAPI document. */
import type { RouteExample } from '../../runtime/http/route.js'

export const rehearsals: Readonly<Record<string, RouteExample>> = {
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
  'POST /orgs/{org}/agents/{agent}/outreach-links': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    body: {
      bindingId: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
      label: 'Testers',
      maxUses: 20,
    },
    status: 201,
    reply: {
      id: 'lnk_t2xe60aesehy8hdtc53d3qmh63',
      code: '6zcWqvG948h5RLSCrtIE7i',
      url: 'https://gateway.example/v4/start/6zcWqvG948h5RLSCrtIE7i',
      bindingId: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
      maxUses: 20,
      usesRemaining: 20,
      redemptionCount: 0,
      expiresAt: '2026-03-15T12:00:38.000Z',
      disabled: false,
      label: 'Testers',
      createdAt: '2026-03-01T12:00:38.000Z',
    },
  },
  'GET /orgs/{org}/agents/{agent}/outreach-links': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'lnk_t2xe60aesehy8hdtc53d3qmh63',
          code: '6zcWqvG948h5RLSCrtIE7i',
          url: 'https://gateway.example/v4/start/6zcWqvG948h5RLSCrtIE7i',
          bindingId: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
          maxUses: 20,
          usesRemaining: 20,
          redemptionCount: 0,
          expiresAt: '2026-03-15T12:00:38.000Z',
          disabled: false,
          label: 'Testers',
          createdAt: '2026-03-01T12:00:38.000Z',
        },
      ],
    },
  },
  'PATCH /orgs/{org}/agents/{agent}/outreach-links/{id}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      id: 'lnk_t2xe60aesehy8hdtc53d3qmh63',
    },
    body: {
      disabled: false,
    },
    status: 200,
    reply: {
      id: 'lnk_t2xe60aesehy8hdtc53d3qmh63',
      code: '6zcWqvG948h5RLSCrtIE7i',
      url: 'https://gateway.example/v4/start/6zcWqvG948h5RLSCrtIE7i',
      bindingId: 'cb_sbtsvqzbkhssf1vh3n0wankjhq',
      maxUses: 20,
      usesRemaining: 20,
      redemptionCount: 0,
      expiresAt: '2026-03-15T12:00:38.000Z',
      disabled: false,
      label: 'Testers',
      createdAt: '2026-03-01T12:00:38.000Z',
    },
  },
  'POST /orgs/{org}/agents/{agent}/outreach-links/{id}/redeem': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      id: 'lnk_t2xe60aesehy8hdtc53d3qmh63',
    },
    body: {
      personaId: 'psn_ev54hrmyp23q57q2mm16156k5j',
    },
    status: 202,
    reply: {
      status: 'queued',
      personaId: 'psn_ev54hrmyp23q57q2mm16156k5j',
      userId: 'usr_744n9x7ej89tjhbpw2dn35hpbq',
    },
  },
  'DELETE /orgs/{org}/agents/{agent}/outreach-links/{id}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      id: 'lnk_t2xe60aesehy8hdtc53d3qmh63',
    },
    status: 204,
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

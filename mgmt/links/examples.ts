/** Recorded calls and answers of outreach links, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
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
}

/** Recorded calls and answers of sends and sending settings, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
  'POST /orgs/{org}/agents/{agent}/outreach/{outreachId}/sends': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      outreachId: 'welcome',
    },
    body: {
      recipient: {
        channel: 'rcs',
        address: '+14155550100',
      },
      inputs: {
        room: '204',
      },
      idempotencyKey: 'stay-81',
    },
    status: 202,
    reply: {
      status: 'queued',
      sendId: 'sd_01kjmmap10a1c2f9f9d1qs2wbt',
      personId: 'pr_01kjmmap10t8dtnrq0s0hg0epd',
      outreachId: 'welcome',
      asid: 'usr_fantpp7wj0jdkgv1ejg6kcfzdr',
      channel: 'rcs',
      unknownInputs: [],
    },
  },
  'GET /orgs/{org}/agents/{agent}/outreach/sends/{sendId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      sendId: 'sd_01kjmmap10a1c2f9f9d1qs2wbt',
    },
    status: 200,
    reply: {
      sendId: 'sd_01kjmmap10a1c2f9f9d1qs2wbt',
      outreachId: 'welcome',
      origin: 'named',
      personId: 'pr_01kjmmap10t8dtnrq0s0hg0epd',
      state: 'queued',
      channel: 'rcs',
      asid: 'usr_fantpp7wj0jdkgv1ejg6kcfzdr',
      address: '+14155550100',
      queuedAt: '2026-03-01T12:00:20.000Z',
      attempts: 0,
      delivery: {
        known: false,
        sent: false,
        delivered: false,
        read: false,
        failed: false,
      },
      consent: {
        claimed: 'none',
        recorded: 'new',
      },
    },
  },
  'GET /orgs/{org}/agents/{agent}/outreach/sends': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      data: [
        {
          sendId: 'sd_01kjmmap10a1c2f9f9d1qs2wbt',
          outreachId: 'welcome',
          origin: 'named',
          personId: 'pr_01kjmmap10t8dtnrq0s0hg0epd',
          state: 'queued',
          channel: 'rcs',
          asid: 'usr_fantpp7wj0jdkgv1ejg6kcfzdr',
          address: '+14155550100',
          queuedAt: '2026-03-01T12:00:20.000Z',
          attempts: 0,
          delivery: {
            known: false,
            sent: false,
            delivered: false,
            read: false,
            failed: false,
          },
          consent: {
            claimed: 'none',
            recorded: 'new',
          },
        },
      ],
    },
  },
  'POST /orgs/{org}/agents/{agent}/outreach/sends/{sendId}/cancel': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      sendId: 'sd_01kjmmap10a1c2f9f9d1qs2wbt',
    },
    status: 200,
    reply: {
      sendId: 'sd_01kjmmap10a1c2f9f9d1qs2wbt',
      outreachId: 'welcome',
      origin: 'named',
      personId: 'pr_01kjmmap10t8dtnrq0s0hg0epd',
      state: 'cancelled',
      channel: 'rcs',
      asid: 'usr_fantpp7wj0jdkgv1ejg6kcfzdr',
      address: '+14155550100',
      queuedAt: '2026-03-01T12:00:20.000Z',
      cancelledAt: '2026-03-01T12:00:20.000Z',
      attempts: 0,
      delivery: {
        known: false,
        sent: false,
        delivered: false,
        read: false,
        failed: false,
      },
      consent: {
        claimed: 'none',
        recorded: 'new',
      },
    },
  },
  'PUT /orgs/{org}/agents/{agent}/settings/sending': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    body: {
      minTouchIntervalHours: 24,
      safeHours: {
        startHour: 8,
        endHour: 21,
        timeZone: 'Europe/Oslo',
      },
    },
    status: 200,
    reply: {
      minTouchIntervalHours: 24,
      safeHours: {
        startHour: 8,
        endHour: 21,
        timeZone: 'Europe/Oslo',
      },
    },
  },
  'GET /orgs/{org}/agents/{agent}/settings/sending': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      minTouchIntervalHours: 24,
      safeHours: {
        startHour: 8,
        endHour: 21,
        timeZone: 'Europe/Oslo',
      },
    },
  },
}

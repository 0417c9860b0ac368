/** Recorded calls and answers of campaign records and the reads of them, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
  'POST /orgs/{org}/agents/{agent}/campaigns': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    body: {
      name: 'Spring',
      outreachId: 'welcome',
      audience: {
        filter: {},
      },
      sendWindow: {
        startHour: 9,
        endHour: 17,
        timeZone: 'Europe/Oslo',
      },
    },
    status: 201,
    reply: {
      id: 'cm_01kjmmfqmwfw1kj06a9hp6cbm5',
      name: 'Spring',
      outreachId: 'welcome',
      audience: {
        filter: {},
      },
      includePreviouslyContacted: true,
      sendWindow: {
        startHour: 9,
        endHour: 17,
        timeZone: 'Europe/Oslo',
      },
      status: 'draft',
      test: false,
      createdAt: '2026-03-01T12:03:05.500Z',
      updatedAt: '2026-03-01T12:03:05.500Z',
    },
  },
  'PATCH /orgs/{org}/agents/{agent}/campaigns/{campaignId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      campaignId: 'cm_01kjmmfqmwfw1kj06a9hp6cbm5',
    },
    body: {
      name: 'Spring terrace',
      sendWindow: null,
    },
    status: 200,
    reply: {
      id: 'cm_01kjmmfqmwfw1kj06a9hp6cbm5',
      name: 'Spring terrace',
      outreachId: 'welcome',
      audience: {
        filter: {},
      },
      includePreviouslyContacted: true,
      status: 'draft',
      test: false,
      createdAt: '2026-03-01T12:03:05.500Z',
      updatedAt: '2026-03-01T12:03:06.000Z',
    },
  },
  'GET /orgs/{org}/agents/{agent}/campaigns/{campaignId}/preview': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      campaignId: 'cm_01kjmmfqmwfw1kj06a9hp6cbm5',
    },
    query: {
      personId: 'pr_01kjmma4egt95trvzraz9mmxz4',
    },
    status: 200,
    reply: {
      personId: 'pr_01kjmma4egt95trvzraz9mmxz4',
      channel: 'rcs',
      asid: 'usr_zg0fmy91gf7am6ad9et9j8sz8j',
      text: 'Hello Ada, the terrace is open again.',
      message: {
        spec: 'amf/1',
        parts: [
          {
            type: 'text',
            text: 'Hello Ada, the terrace is open again.',
          },
        ],
      },
    },
  },
  'GET /orgs/{org}/agents/{agent}/campaigns': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    query: {
      limit: 10,
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'cm_01kjmmfqmwfw1kj06a9hp6cbm5',
          name: 'Spring terrace',
          outreachId: 'welcome',
          audience: {
            filter: {},
          },
          includePreviouslyContacted: true,
          status: 'staged',
          test: false,
          counts: {
            total: 3,
            sendable: 2,
            exclusions: {
              noConsent: 1,
              previouslyContacted: 0,
              frequencyGated: 0,
              noChannelIdentity: 0,
              channelUnresolved: 0,
              templateBlocked: 0,
              optedOut: 0,
            },
          },
          createdAt: '2026-03-01T12:03:05.500Z',
          updatedAt: '2026-03-01T12:03:07.000Z',
          stagedAt: '2026-03-01T12:03:07.000Z',
        },
      ],
    },
  },
  'GET /orgs/{org}/agents/{agent}/campaigns/{campaignId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      campaignId: 'cm_01kjmmfqmwfw1kj06a9hp6cbm5',
    },
    status: 200,
    reply: {
      id: 'cm_01kjmmfqmwfw1kj06a9hp6cbm5',
      name: 'Spring terrace',
      outreachId: 'welcome',
      audience: {
        filter: {},
      },
      includePreviouslyContacted: true,
      status: 'completed',
      test: false,
      counts: {
        total: 3,
        sendable: 2,
        exclusions: {
          noConsent: 1,
          previouslyContacted: 0,
          frequencyGated: 0,
          noChannelIdentity: 0,
          channelUnresolved: 0,
          templateBlocked: 0,
          optedOut: 0,
        },
      },
      createdAt: '2026-03-01T12:03:05.500Z',
      updatedAt: '2026-03-01T12:03:09.000Z',
      stagedAt: '2026-03-01T12:03:07.000Z',
      startedAt: '2026-03-01T12:03:08.500Z',
      endedAt: '2026-03-01T12:03:09.000Z',
    },
  },
  'GET /orgs/{org}/agents/{agent}/campaigns/{campaignId}/recipients': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      campaignId: 'cm_01kjmmfqmwfw1kj06a9hp6cbm5',
    },
    query: {
      limit: 10,
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'rc_0',
          personId: 'pr_01kjmmdvk014h7jjhhfb6hqjz8',
          state: 'excluded',
          reason: 'no_consent',
          channel: 'rcs',
          asid: 'usr_a6z3a4m74v1mkqj8czs3hcekv8',
        },
        {
          id: 'rc_1',
          personId: 'pr_01kjmmc00r3t1kqfm9ez133e8j',
          state: 'failed',
          reason: 'dispatch_failed',
          detail: 'invalidAddress',
          channel: 'rcs',
          asid: 'usr_hdz7cmp096zggne0cytshppaw3',
          sendId: 'sd_01kjmmftjmrtdyzwk0cx67serr',
        },
        {
          id: 'rc_2',
          personId: 'pr_01kjmma4egt95trvzraz9mmxz4',
          state: 'sent',
          channel: 'rcs',
          asid: 'usr_zg0fmy91gf7am6ad9et9j8sz8j',
          sendId: 'sd_01kjmmftjmpbpj3rfe36kpse3g',
        },
      ],
      hasMore: false,
    },
  },
  'GET /orgs/{org}/agents/{agent}/campaigns/{campaignId}/report': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      campaignId: 'cm_01kjmmfqmwfw1kj06a9hp6cbm5',
    },
    status: 200,
    reply: {
      states: {
        pending: 0,
        queued: 0,
        sending: 0,
        sent: 1,
        delivered: 0,
        read: 0,
        failed: 1,
        suppressed: 0,
        cancelled: 0,
        excluded: 1,
      },
      reasons: {
        no_consent: 1,
        dispatch_failed: 1,
      },
      total: 3,
      test: false,
    },
  },
  'GET /orgs/{org}/agents/{agent}/campaigns/{campaignId}/export': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      campaignId: 'cm_01kjmmfqmwfw1kj06a9hp6cbm5',
    },
    query: {
      state: 'sent',
    },
    status: 200,
  },
  'POST /orgs/{org}/agents/{agent}/campaigns/{campaignId}/retry-failed': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      campaignId: 'cm_01kjmmfqmwfw1kj06a9hp6cbm5',
    },
    status: 201,
    reply: {
      id: 'cm_01kjmmfy000pfe0xeqhsdz2tnm',
      name: 'Spring terrace, once more',
      outreachId: 'welcome',
      audience: {
        personIds: ['pr_01kjmmc00r3t1kqfm9ez133e8j'],
        personCount: 1,
      },
      includePreviouslyContacted: true,
      status: 'draft',
      test: false,
      createdAt: '2026-03-01T12:03:12.000Z',
      updatedAt: '2026-03-01T12:03:12.000Z',
    },
  },
  'DELETE /orgs/{org}/agents/{agent}/campaigns/{campaignId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      campaignId: 'cm_01kjmmfy000pfe0xeqhsdz2tnm',
    },
    status: 204,
  },
}

/** Recorded calls and answers of staging and running campaigns, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const runExamples: RouteExamples = {
  'POST /orgs/{org}/agents/{agent}/campaigns/{campaignId}/stage': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      campaignId: 'cm_01kjmmfqmwfw1kj06a9hp6cbm5',
    },
    status: 200,
    reply: {
      id: 'cm_01kjmmfqmwfw1kj06a9hp6cbm5',
      status: 'staged',
      stagedAt: '2026-03-01T12:03:07.000Z',
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
      durationEstimate: [
        {
          channel: 'rcs',
          provider: 'emulator',
          recipients: 2,
        },
      ],
      previews: [
        {
          personId: 'pr_01kjmmc00r3t1kqfm9ez133e8j',
          channel: 'rcs',
          asid: 'usr_hdz7cmp096zggne0cytshppaw3',
          text: 'Hello Ben, the terrace is open again.',
          message: {
            spec: 'amf/1',
            parts: [
              {
                type: 'text',
                text: 'Hello Ben, the terrace is open again.',
              },
            ],
          },
        },
        {
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
      ],
    },
  },
  'POST /orgs/{org}/agents/{agent}/campaigns/{campaignId}/start': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      campaignId: 'cm_01kjmmfyfm54ywfsmy4r38mef2',
    },
    status: 200,
    reply: {
      id: 'cm_01kjmmfyfm54ywfsmy4r38mef2',
      name: 'Summer',
      outreachId: 'welcome',
      audience: {
        personCount: 1,
      },
      includePreviouslyContacted: true,
      sendWindow: {
        startHour: 18,
        endHour: 20,
        timeZone: 'Europe/Oslo',
      },
      status: 'running',
      test: false,
      counts: {
        total: 1,
        sendable: 1,
        exclusions: {
          noConsent: 0,
          previouslyContacted: 0,
          frequencyGated: 0,
          noChannelIdentity: 0,
          channelUnresolved: 0,
          templateBlocked: 0,
          optedOut: 0,
        },
      },
      createdAt: '2026-03-01T12:03:12.500Z',
      updatedAt: '2026-03-01T12:03:13.500Z',
      stagedAt: '2026-03-01T12:03:13.000Z',
      startedAt: '2026-03-01T12:03:13.500Z',
      waitsUntil: '2026-03-01T17:00:00.000Z',
    },
  },
  'POST /orgs/{org}/agents/{agent}/campaigns/{campaignId}/pause': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      campaignId: 'cm_01kjmmfyfm54ywfsmy4r38mef2',
    },
    status: 200,
    reply: {
      id: 'cm_01kjmmfyfm54ywfsmy4r38mef2',
      name: 'Summer',
      outreachId: 'welcome',
      audience: {
        personCount: 1,
      },
      includePreviouslyContacted: true,
      sendWindow: {
        startHour: 18,
        endHour: 20,
        timeZone: 'Europe/Oslo',
      },
      status: 'paused',
      test: false,
      counts: {
        total: 1,
        sendable: 1,
        exclusions: {
          noConsent: 0,
          previouslyContacted: 0,
          frequencyGated: 0,
          noChannelIdentity: 0,
          channelUnresolved: 0,
          templateBlocked: 0,
          optedOut: 0,
        },
      },
      createdAt: '2026-03-01T12:03:12.500Z',
      updatedAt: '2026-03-01T12:03:14.000Z',
      stagedAt: '2026-03-01T12:03:13.000Z',
      startedAt: '2026-03-01T12:03:13.500Z',
    },
  },
  'POST /orgs/{org}/agents/{agent}/campaigns/{campaignId}/resume': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      campaignId: 'cm_01kjmmfyfm54ywfsmy4r38mef2',
    },
    status: 200,
    reply: {
      id: 'cm_01kjmmfyfm54ywfsmy4r38mef2',
      name: 'Summer',
      outreachId: 'welcome',
      audience: {
        personCount: 1,
      },
      includePreviouslyContacted: true,
      sendWindow: {
        startHour: 18,
        endHour: 20,
        timeZone: 'Europe/Oslo',
      },
      status: 'running',
      test: false,
      counts: {
        total: 1,
        sendable: 1,
        exclusions: {
          noConsent: 0,
          previouslyContacted: 0,
          frequencyGated: 0,
          noChannelIdentity: 0,
          channelUnresolved: 0,
          templateBlocked: 0,
          optedOut: 0,
        },
      },
      createdAt: '2026-03-01T12:03:12.500Z',
      updatedAt: '2026-03-01T12:03:14.500Z',
      stagedAt: '2026-03-01T12:03:13.000Z',
      startedAt: '2026-03-01T12:03:13.500Z',
      waitsUntil: '2026-03-01T17:00:00.000Z',
    },
  },
  'POST /orgs/{org}/agents/{agent}/campaigns/{campaignId}/cancel': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      campaignId: 'cm_01kjmmfyfm54ywfsmy4r38mef2',
    },
    status: 200,
    reply: {
      id: 'cm_01kjmmfyfm54ywfsmy4r38mef2',
      name: 'Summer',
      outreachId: 'welcome',
      audience: {
        personCount: 1,
      },
      includePreviouslyContacted: true,
      sendWindow: {
        startHour: 18,
        endHour: 20,
        timeZone: 'Europe/Oslo',
      },
      status: 'cancelled',
      test: false,
      counts: {
        total: 1,
        sendable: 1,
        exclusions: {
          noConsent: 0,
          previouslyContacted: 0,
          frequencyGated: 0,
          noChannelIdentity: 0,
          channelUnresolved: 0,
          templateBlocked: 0,
          optedOut: 0,
        },
      },
      createdAt: '2026-03-01T12:03:12.500Z',
      updatedAt: '2026-03-01T12:03:15.000Z',
      stagedAt: '2026-03-01T12:03:13.000Z',
      startedAt: '2026-03-01T12:03:13.500Z',
      endedAt: '2026-03-01T12:03:15.000Z',
    },
  },
}

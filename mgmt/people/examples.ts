/** Recorded calls and answers of people, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
  'POST /orgs/{org}/agents/{agent}/people': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    body: {
      firstName: 'Ann',
      phone: '+14155550100',
      tags: ['regular'],
      customFields: {
        room: 'sea view',
      },
    },
    status: 201,
    reply: {
      id: 'pr_01kjmmab982cnmqh5c8scbcy7r',
      firstName: 'Ann',
      phone: '+14155550100',
      status: 'new',
      source: 'operator',
      tags: ['regular'],
      customFields: {
        room: 'sea view',
      },
      lockedFields: [],
      consent: {
        status: 'unknown',
      },
      identities: [
        { asid: 'usr_5b0fkrt4ncsrvh4zxkbsjw7f2m', channel: 'rcs', address: '+14155550100', optedOut: false },
      ],
      createdAt: '2026-03-01T12:00:09.000Z',
      updatedAt: '2026-03-01T12:00:09.000Z',
    },
  },
  'GET /orgs/{org}/agents/{agent}/people': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    query: {
      tag: 'regular',
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'pr_01kjmmab982cnmqh5c8scbcy7r',
          firstName: 'Ann',
          phone: '+14155550100',
          status: 'new',
          source: 'operator',
          tags: ['regular'],
          customFields: {
            room: 'sea view',
          },
          lockedFields: [],
          consent: {
            status: 'unknown',
          },
          identities: [
            { asid: 'usr_5b0fkrt4ncsrvh4zxkbsjw7f2m', channel: 'rcs', address: '+14155550100', optedOut: false },
          ],
          createdAt: '2026-03-01T12:00:09.000Z',
          updatedAt: '2026-03-01T12:00:09.000Z',
        },
      ],
    },
  },
  'GET /orgs/{org}/agents/{agent}/people/{personId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      personId: 'pr_01kjmmab982cnmqh5c8scbcy7r',
    },
    status: 200,
    reply: {
      id: 'pr_01kjmmab982cnmqh5c8scbcy7r',
      firstName: 'Ann',
      phone: '+14155550100',
      status: 'new',
      source: 'operator',
      tags: ['regular'],
      customFields: {
        room: 'sea view',
      },
      lockedFields: [],
      consent: {
        status: 'unknown',
      },
      identities: [
        { asid: 'usr_5b0fkrt4ncsrvh4zxkbsjw7f2m', channel: 'rcs', address: '+14155550100', optedOut: false },
      ],
      journal: [],
      createdAt: '2026-03-01T12:00:09.000Z',
      updatedAt: '2026-03-01T12:00:09.000Z',
    },
  },
  'PATCH /orgs/{org}/agents/{agent}/people/{personId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      personId: 'pr_01kjmmab982cnmqh5c8scbcy7r',
    },
    body: {
      lastName: 'Berg',
    },
    status: 200,
    reply: {
      id: 'pr_01kjmmab982cnmqh5c8scbcy7r',
      firstName: 'Ann',
      lastName: 'Berg',
      phone: '+14155550100',
      status: 'new',
      source: 'operator',
      tags: ['regular'],
      customFields: {
        room: 'sea view',
      },
      lockedFields: [],
      consent: {
        status: 'unknown',
      },
      identities: [
        { asid: 'usr_5b0fkrt4ncsrvh4zxkbsjw7f2m', channel: 'rcs', address: '+14155550100', optedOut: false },
      ],
      createdAt: '2026-03-01T12:00:09.000Z',
      updatedAt: '2026-03-01T12:00:12.000Z',
    },
  },
  'GET /orgs/{org}/agents/{agent}/people/{personId}/appointments': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      personId: 'pr_01kjmmab982cnmqh5c8scbcy7r',
    },
    status: 200,
    reply: {
      data: [],
    },
  },
  'POST /orgs/{org}/agents/{agent}/people/{personId}/_merge': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      personId: 'pr_01kjmmab982cnmqh5c8scbcy7r',
    },
    body: {
      from: 'pr_01kjmmac8g5jttes4eyfg3ttvj',
    },
    status: 200,
    reply: {
      id: 'pr_01kjmmab982cnmqh5c8scbcy7r',
      firstName: 'Ann',
      lastName: 'Berg',
      email: 'ann@example.com',
      phone: '+14155550100',
      status: 'new',
      source: 'operator',
      tags: ['regular'],
      customFields: {
        room: 'sea view',
      },
      lockedFields: [],
      consent: {
        status: 'unknown',
      },
      identities: [
        { asid: 'usr_5b0fkrt4ncsrvh4zxkbsjw7f2m', channel: 'rcs', address: '+14155550100', optedOut: false },
      ],
      createdAt: '2026-03-01T12:00:09.000Z',
      updatedAt: '2026-03-01T12:00:13.000Z',
    },
  },
  'POST /orgs/{org}/agents/{agent}/people/import': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      importBatchId: 'imp_9n7np4m2y963z3qkvr15wg8qee',
      created: 1,
      updated: 0,
      rejected: [],
      rejectedCount: 0,
      consentKept: 0,
      unknownColumns: [],
    },
  },
  'GET /orgs/{org}/agents/{agent}/people/export': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    query: {
      tag: 'regular',
    },
    status: 200,
  },
  'DELETE /orgs/{org}/agents/{agent}/people/{personId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      personId: 'pr_01kjmmab982cnmqh5c8scbcy7r',
    },
    status: 204,
  },
}

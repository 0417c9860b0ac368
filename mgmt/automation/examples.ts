/** Recorded calls and answers of rules of automated outreach, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
  'POST /orgs/{org}/agents/{agent}/automated-outreach': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    body: {
      id: 'say-hello',
      name: 'Say hello',
      outreachId: 'welcome',
      trigger: {
        kind: 'person.created',
      },
      delayMinutes: 30,
    },
    status: 201,
    reply: {
      enabled: true,
      delayMinutes: 30,
      name: 'Say hello',
      outreachId: 'welcome',
      trigger: {
        kind: 'person.created',
      },
      id: 'say-hello',
    },
  },
  'GET /orgs/{org}/agents/{agent}/automated-outreach': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      data: [
        {
          enabled: true,
          delayMinutes: 30,
          name: 'Say hello',
          outreachId: 'welcome',
          trigger: {
            kind: 'person.created',
          },
          id: 'say-hello',
        },
      ],
    },
  },
  'GET /orgs/{org}/agents/{agent}/automated-outreach/{id}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      id: 'say-hello',
    },
    status: 200,
    reply: {
      enabled: true,
      delayMinutes: 30,
      name: 'Say hello',
      outreachId: 'welcome',
      trigger: {
        kind: 'person.created',
      },
      id: 'say-hello',
    },
  },
  'PATCH /orgs/{org}/agents/{agent}/automated-outreach/{id}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      id: 'say-hello',
    },
    body: {
      filter: {
        tag: 'regular',
      },
    },
    status: 200,
    reply: {
      enabled: true,
      delayMinutes: 30,
      name: 'Say hello',
      outreachId: 'welcome',
      trigger: {
        kind: 'person.created',
      },
      id: 'say-hello',
      filter: {
        tag: 'regular',
      },
    },
  },
  'PUT /orgs/{org}/agents/{agent}/automated-outreach/{id}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      id: 'say-hello',
    },
    body: {
      name: 'Say hello once',
      outreachId: 'welcome',
      trigger: {
        kind: 'person.created',
      },
      delayMinutes: 30,
    },
    status: 200,
    reply: {
      enabled: true,
      delayMinutes: 30,
      name: 'Say hello once',
      outreachId: 'welcome',
      trigger: {
        kind: 'person.created',
      },
      id: 'say-hello',
    },
  },
  'GET /orgs/{org}/agents/{agent}/automated-outreach/{id}/rows': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      id: 'say-hello',
    },
    status: 200,
    reply: {
      data: [],
    },
  },
  'DELETE /orgs/{org}/agents/{agent}/automated-outreach/{id}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      id: 'say-hello',
    },
    status: 204,
  },
}

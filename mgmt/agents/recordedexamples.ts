/** Recorded calls and answers of outreach, person fields and segments of an agent, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const recordedExamples: RouteExamples = {
  'POST /orgs/{org}/agents/{agent}/outreach': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    body: {
      id: 'welcome',
      name: 'Welcome',
      class: 'service',
      openerTemplateId: 'welcome',
      inputs: ['room'],
    },
    status: 201,
    reply: {
      inputs: ['room'],
      enabled: true,
      name: 'Welcome',
      class: 'service',
      openerTemplateId: 'welcome',
      id: 'welcome',
      playbookId: 'welcome',
      createdAt: '2026-03-01T12:00:18.000Z',
      updatedAt: '2026-03-01T12:00:18.000Z',
    },
  },
  'GET /orgs/{org}/agents/{agent}/outreach/{outreachId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      outreachId: 'welcome',
    },
    status: 200,
    reply: {
      inputs: ['room'],
      enabled: true,
      name: 'Welcome',
      class: 'service',
      openerTemplateId: 'welcome',
      id: 'welcome',
      playbookId: 'welcome',
      createdAt: '2026-03-01T12:00:18.000Z',
      updatedAt: '2026-03-01T12:00:18.000Z',
    },
  },
  'PATCH /orgs/{org}/agents/{agent}/outreach/{outreachId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      outreachId: 'welcome',
    },
    body: {
      description: 'When a room is ready.',
    },
    status: 200,
    reply: {
      inputs: ['room'],
      enabled: true,
      name: 'Welcome',
      class: 'service',
      openerTemplateId: 'welcome',
      id: 'welcome',
      playbookId: 'welcome',
      createdAt: '2026-03-01T12:00:18.000Z',
      updatedAt: '2026-03-01T12:00:19.000Z',
      description: 'When a room is ready.',
    },
  },
  'PUT /orgs/{org}/agents/{agent}/outreach/{outreachId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      outreachId: 'welcome',
    },
    body: {
      id: 'welcome',
      name: 'Room ready',
      class: 'service',
      openerTemplateId: 'welcome',
      inputs: ['room'],
    },
    status: 200,
    reply: {
      inputs: ['room'],
      enabled: true,
      playbookId: 'welcome',
      createdAt: '2026-03-01T12:00:18.000Z',
      name: 'Room ready',
      class: 'service',
      openerTemplateId: 'welcome',
      id: 'welcome',
      updatedAt: '2026-03-01T12:00:20.000Z',
    },
  },
  'DELETE /orgs/{org}/agents/{agent}/outreach/{outreachId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      outreachId: 'welcome',
    },
    status: 204,
  },
  'PUT /orgs/{org}/agents/{agent}/people/fields': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    body: {
      fields: [
        {
          key: 'room',
          label: 'Favourite room',
          type: 'string',
        },
      ],
    },
    status: 200,
    reply: {
      fields: [
        {
          key: 'room',
          label: 'Favourite room',
          type: 'string',
        },
      ],
    },
  },
  'POST /orgs/{org}/agents/{agent}/people/segments': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    body: {
      id: 'regulars',
      name: 'Regulars',
      filter: {
        tag: 'regular',
      },
    },
    status: 201,
    reply: {
      id: 'regulars',
      name: 'Regulars',
      filter: {
        tag: 'regular',
      },
    },
  },
  'GET /orgs/{org}/agents/{agent}/people/segments/{segmentId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      segmentId: 'regulars',
    },
    status: 200,
    reply: {
      id: 'regulars',
      name: 'Regulars',
      filter: {
        tag: 'regular',
      },
    },
  },
  'PATCH /orgs/{org}/agents/{agent}/people/segments/{segmentId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      segmentId: 'regulars',
    },
    body: {
      name: 'Our regulars',
    },
    status: 200,
    reply: {
      id: 'regulars',
      name: 'Our regulars',
      filter: {
        tag: 'regular',
      },
    },
  },
  'DELETE /orgs/{org}/agents/{agent}/people/segments/{segmentId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      segmentId: 'regulars',
    },
    status: 204,
  },
}

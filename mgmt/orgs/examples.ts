/** Recorded calls and answers of an org, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
  'PATCH /orgs/{org}': {
    params: {
      org: 'demo',
    },
    body: {
      name: 'Harbor Hotels',
      timeZone: 'Europe/Oslo',
    },
    status: 200,
    reply: {
      id: 'demo',
      name: 'Harbor Hotels',
      features: [],
      products: [],
      createdAt: '2026-03-01T12:00:00.000Z',
      updatedAt: '2026-03-01T12:00:00.500Z',
      timeZone: 'Europe/Oslo',
    },
  },
  'GET /orgs/{org}': {
    params: {
      org: 'demo',
    },
    status: 200,
    reply: {
      id: 'demo',
      name: 'Harbor Hotels',
      features: [],
      products: [],
      createdAt: '2026-03-01T12:00:00.000Z',
      updatedAt: '2026-03-01T12:00:00.500Z',
      timeZone: 'Europe/Oslo',
    },
  },
}

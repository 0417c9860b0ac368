/** Recorded calls and answers of sources and media, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
  'POST /orgs/{org}/agents/{agent}/knowledge/sources': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    body: {
      id: 'house-rules',
      name: 'House rules',
      text: 'Breakfast is served until eleven.',
    },
    status: 201,
    reply: {
      id: 'house-rules',
      name: 'House rules',
      kind: 'text',
      createdAt: '2026-03-01T12:00:40.500Z',
      updatedAt: '2026-03-01T12:00:40.500Z',
      status: 'ready',
      characters: 33,
      passages: 1,
      readAt: '2026-03-01T12:00:40.500Z',
    },
  },
  'GET /orgs/{org}/agents/{agent}/knowledge/sources': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'house-rules',
          name: 'House rules',
          kind: 'text',
          createdAt: '2026-03-01T12:00:40.500Z',
          updatedAt: '2026-03-01T12:00:40.500Z',
          status: 'ready',
          characters: 33,
          passages: 1,
          readAt: '2026-03-01T12:00:40.500Z',
        },
      ],
    },
  },
  'GET /orgs/{org}/agents/{agent}/knowledge/sources/{sourceId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      sourceId: 'house-rules',
    },
    status: 200,
    reply: {
      id: 'house-rules',
      name: 'House rules',
      kind: 'text',
      createdAt: '2026-03-01T12:00:40.500Z',
      updatedAt: '2026-03-01T12:00:40.500Z',
      status: 'ready',
      characters: 33,
      passages: 1,
      readAt: '2026-03-01T12:00:40.500Z',
    },
  },
  'PATCH /orgs/{org}/agents/{agent}/knowledge/sources/{sourceId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      sourceId: 'house-rules',
    },
    body: {
      name: 'Rules of the house',
    },
    status: 200,
    reply: {
      id: 'house-rules',
      name: 'Rules of the house',
      kind: 'text',
      createdAt: '2026-03-01T12:00:40.500Z',
      updatedAt: '2026-03-01T12:00:41.000Z',
      status: 'ready',
      characters: 33,
      passages: 1,
      readAt: '2026-03-01T12:00:40.500Z',
    },
  },
  'DELETE /orgs/{org}/agents/{agent}/knowledge/sources/{sourceId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      sourceId: 'house-rules',
    },
    status: 204,
  },
  'POST /orgs/{org}/agents/{agent}/media': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    query: {
      id: 'logo',
      name: 'logo.png',
    },
    status: 201,
    reply: {
      id: 'logo',
      name: 'logo.png',
      contentType: 'image/png',
      bytes: 16,
      url: 'https://gateway.example/v4/media/0485h2j37kmmp0pvbb82sq7swj.png',
      createdAt: '2026-03-01T12:00:43.000Z',
    },
  },
  'GET /orgs/{org}/agents/{agent}/media': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'logo',
          name: 'logo.png',
          contentType: 'image/png',
          bytes: 16,
          url: 'https://gateway.example/v4/media/0485h2j37kmmp0pvbb82sq7swj.png',
          createdAt: '2026-03-01T12:00:43.000Z',
        },
      ],
    },
  },
  'GET /orgs/{org}/agents/{agent}/media/{mediaId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      mediaId: 'logo',
    },
    status: 200,
    reply: {
      id: 'logo',
      name: 'logo.png',
      contentType: 'image/png',
      bytes: 16,
      url: 'https://gateway.example/v4/media/0485h2j37kmmp0pvbb82sq7swj.png',
      createdAt: '2026-03-01T12:00:43.000Z',
    },
  },
  'DELETE /orgs/{org}/agents/{agent}/media/{mediaId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      mediaId: 'logo',
    },
    status: 204,
  },
}

/** Recorded calls and answers of signing in, API keys and the audit trail, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
  'GET /me': {
    status: 200,
    reply: {
      caller: {
        kind: 'user',
        id: 'key_60xrahma3pnkn8vwwapsyc4vdm',
      },
      org: {
        id: 'demo',
        name: 'Demo',
        role: 'admin',
      },
      isSysop: true,
      scopes: [
        'agents:read',
        'agents:write',
        'people:read',
        'people:write',
        'people:export',
        'knowledge:read',
        'knowledge:write',
        'messages:read',
        'catalogs:read',
        'templates:apply',
        'webhooks:manage',
        'org:admin',
        'integrations:journey',
      ],
      rateLimit: null,
    },
  },
  'GET /orgs/{org}/audit': {
    params: {
      org: 'demo',
    },
    query: {
      action: 'api_key',
      limit: 1,
    },
    status: 200,
    reply: {
      data: [
        {
          id: 'aud_60xrahma3pnkn8vwwapsyc4vdm',
          at: '2026-03-01T12:00:37.500Z',
          actor: {
            kind: 'key',
            id: 'key_60xrahma3pnkn8vwwapsyc4vdm',
          },
          action: 'api_key.created',
          target: 'key_1v0mrz6mewgp710xm9219px2hb',
          requestId: 'n1-000001',
        },
      ],
    },
  },
  'POST /session': {
    body: {
      role: 'viewer',
    },
    status: 200,
    reply: {
      idToken: 'eyJhbGciOiJFZERTQSJ9.eyJvcmciOiJkZW1vIn0.c2lnbmF0dXJl',
      expiresAt: '2026-03-01T13:00:00.000Z',
    },
  },
  'GET /.well-known/jwks.json': {
    status: 200,
    reply: {
      keys: [
        {
          crv: 'Ed25519',
          x: 'Gbyna2tOC0udZcGRr3uAqHfTXzZiy9GpcaviOQbA2d8',
          kty: 'OKP',
          kid: '527a3619439e765d',
          alg: 'EdDSA',
          use: 'sig',
        },
      ],
    },
  },
  'POST /orgs/{org}/api-keys': {
    params: {
      org: 'demo',
    },
    body: {
      name: 'Reporting',
      scopes: ['agents:read', 'messages:read'],
    },
    status: 201,
    reply: {
      scopes: ['agents:read', 'messages:read'],
      name: 'Reporting',
      id: 'key_08rsrbdnc5q08g46tz3962zc6x',
      prefix: 'sk-svc-2NV49E',
      createdAt: '2026-03-01T12:00:01.500Z',
      updatedAt: '2026-03-01T12:00:01.500Z',
      key: 'sk-svc-2NV49E0shown0once0and0never0again',
    },
  },
  'GET /orgs/{org}/api-keys': {
    params: {
      org: 'demo',
    },
    status: 200,
    reply: {
      data: [
        {
          scopes: ['agents:read', 'messages:read'],
          name: 'Reporting',
          id: 'key_08rsrbdnc5q08g46tz3962zc6x',
          prefix: 'sk-svc-2NV49E',
          createdAt: '2026-03-01T12:00:01.500Z',
          updatedAt: '2026-03-01T12:00:01.500Z',
        },
      ],
    },
  },
  'GET /orgs/{org}/api-keys/{keyId}': {
    params: {
      org: 'demo',
      keyId: 'key_08rsrbdnc5q08g46tz3962zc6x',
    },
    status: 200,
    reply: {
      scopes: ['agents:read', 'messages:read'],
      name: 'Reporting',
      id: 'key_08rsrbdnc5q08g46tz3962zc6x',
      prefix: 'sk-svc-2NV49E',
      createdAt: '2026-03-01T12:00:01.500Z',
      updatedAt: '2026-03-01T12:00:01.500Z',
    },
  },
  'PATCH /orgs/{org}/api-keys/{keyId}': {
    params: {
      org: 'demo',
      keyId: 'key_08rsrbdnc5q08g46tz3962zc6x',
    },
    body: {
      description: 'For the weekly report.',
    },
    status: 200,
    reply: {
      scopes: ['agents:read', 'messages:read'],
      name: 'Reporting',
      id: 'key_08rsrbdnc5q08g46tz3962zc6x',
      prefix: 'sk-svc-2NV49E',
      createdAt: '2026-03-01T12:00:01.500Z',
      updatedAt: '2026-03-01T12:00:01.500Z',
      description: 'For the weekly report.',
    },
  },
  'GET /emulator/session': {
    status: 200,
    reply: {
      orgId: 'demo',
      agentId: 'harbor-desk',
      kind: 'sitting',
      expiresAt: '2026-03-01T13:00:37.500Z',
    },
  },
  'DELETE /orgs/{org}/api-keys/{keyId}': {
    params: {
      org: 'demo',
      keyId: 'key_08rsrbdnc5q08g46tz3962zc6x',
    },
    status: 204,
  },
}

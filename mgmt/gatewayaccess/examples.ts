/** Recorded calls and answers of gateway access, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
  'GET /orgs/{org}/agents/{agent}/gateway': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      accessTokenPrefix: 'at-svc-APbvOa',
      signingSecretPrefix: 'ws-svc-3ZFbbh',
      mode: 'managed',
    },
  },
  'POST /orgs/{org}/agents/{agent}/gateway/_rotateToken': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      accessToken: 'at-svc-MlCynp0shown0once0and0never0again',
    },
  },
  'POST /orgs/{org}/agents/{agent}/gateway/_rotateSecret': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    status: 200,
    reply: {
      signingSecret: 'ws-svc-3ZFbbh0shown0once0and0never0again',
    },
  },
}

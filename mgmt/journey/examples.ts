/** Recorded calls and answers of journeys, for the OpenAPI document. */
import type { RouteExamples } from '../../runtime/http/examples.js'

export const examples: RouteExamples = {
  'POST /orgs/{org}/agents/{agent}/integrations/journey/outreach/{outreachId}/sends': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      outreachId: 'welcome',
    },
    body: {
      profile: {
        phone: '+14155550103',
        firstName: 'Cy',
      },
      inputs: {
        room: '117',
      },
      journey: {
        versionId: 'v1',
        nodeId: 'n1',
        instanceId: 'i1',
      },
    },
    status: 200,
    reply: {
      outcome: 'queued',
      reason: '',
      detail: '',
      sendId: 'sd_01kjmmb55cse99wb66ssj38q2d',
      personId: 'pr_01kjmmb55c3vy39rv6dq2tpwgp',
      unknownInputs: [],
      idempotency: 'journey',
    },
  },
  'GET /orgs/{org}/agents/{agent}/integrations/journey/sends/{sendId}': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      sendId: 'sd_01kjmmb55cse99wb66ssj38q2d',
    },
    status: 200,
    reply: {
      sendId: 'sd_01kjmmb55cse99wb66ssj38q2d',
      state: 'queued',
      reason: '',
      reachable: true,
      delivered: false,
      read: false,
      replied: false,
      final: false,
      nextAttemptAt: '',
    },
  },
  'GET /orgs/{org}/agents/{agent}/integrations/journey/sends': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
    },
    query: {
      sendId: 'sd_01kjmmb55cse99wb66ssj38q2d',
    },
    status: 200,
    reply: {
      sendId: 'sd_01kjmmb55cse99wb66ssj38q2d',
      state: 'queued',
      reason: '',
      reachable: true,
      delivered: false,
      read: false,
      replied: false,
      final: false,
      nextAttemptAt: '',
    },
  },
  'GET /orgs/{org}/agents/{agent}/integrations/journey/outreach/{outreachId}/action-definition': {
    params: {
      org: 'demo',
      agent: 'harbor-desk',
      outreachId: 'welcome',
    },
    status: 200,
  },
}

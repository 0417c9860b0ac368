/** The http scenario: the cost of the request pipeline, beside its limit and a peer. */
import { httpLoad } from '../../harness/load/http.js'
import type { Scenario } from '../../harness/scenario.js'

export const http: Scenario = {
  name: 'http',
  purpose: 'Answering a POST of 200 bytes of JSON, its bearer token checked and its body validated.',
  unit: 'requests',
  seconds: 2,
  rounds: 5,
  candidates: [
    {
      name: 'bare uWS',
      role: 'limit',
      about: 'uWebSockets.js echoing the body: no token, no parsing, no validation.',
      program: 'http/limit-uws',
      load: httpLoad,
    },
    {
      name: 'ours',
      role: 'ours',
      about: 'A node with its own data and key: token, org, role and scope checked, body read strictly and validated.',
      program: 'http/candidate',
      load: httpLoad,
    },
    {
      name: 'fastify',
      role: 'peer',
      about: 'Fastify with the same schema for body and reply, and a hook that hashes and looks up the token.',
      program: 'http/peer-fastify',
      load: httpLoad,
    },
    {
      name: 'ours, +1,000 routes',
      role: 'ours',
      about: 'The same node with a thousand more routes declared beside the one that is called.',
      program: 'http/candidate',
      args: ['--more-routes', '1000'],
      load: httpLoad,
    },
  ],
  ratios: [
    { metric: 'rate', of: 'ours', over: 'bare uWS', atLeast: 0.55 },
    { metric: 'rate', of: 'ours', over: 'fastify', atLeast: 1.5 },
    { metric: 'p99', of: 'ours, +1,000 routes', over: 'ours', atMost: 1.25 },
    { metric: 'cpu', of: 'ours', over: 'bare uWS' },
    { metric: 'cpu', of: 'ours', over: 'fastify' },
    { metric: 'cpu', of: 'ours, +1,000 routes', over: 'ours' },
  ],
}

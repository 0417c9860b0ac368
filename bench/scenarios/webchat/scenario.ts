/** The web chat scenario: 10,000 open pages, and 1,000 messages a second from their visitors, then to them. */
import { ownWork } from '../../harness/load/http.js'
import type { Candidate, Scenario } from '../../harness/scenario.js'
import { visitors } from './fixtures.js'

const echo = 'uWS echo'
const durableEcho = 'uWS echo, durable'
const relay = 'uWS relay'
const durableRelay = 'uWS relay, durable'
const visitorsTalk = 'ours, visitors talk'
const agentTalks = 'ours, the agent talks'

const bare: Candidate = {
  name: echo,
  role: 'limit',
  about: 'Bare uWebSockets.js with as many sockets: a frame that comes is sent back. Latency is from due to answered.',
  program: 'webchat/limit-uws',
  load: ownWork,
}

/**
 * A server without decisions that answers once the same records are on the disk: it shows the disk's part of a tail.
 */
const durable: Candidate = {
  ...bare,
  name: durableEcho,
  role: 'peer',
  about:
    'The same, and the records that a node writes for it are in bare lmdb, synced to the disk, before it is sent back.',
  args: ['--durable'],
}

const ours: Candidate = {
  name: visitorsTalk,
  role: 'ours',
  about: 'A node: what a visitor says is read, judged, committed to the disk, and then acknowledged to its page.',
  program: 'webchat/candidate',
  load: ownWork,
}

export const webchat: Scenario = {
  name: 'webchat',
  purpose: 'Open pages of web chat on one node: 10,000 visitors, 1,000 messages a second from them or to them.',
  unit: 'messages',
  seconds: 8,
  rounds: 3,
  // Concurrency is visitors: each page has a socket.
  concurrency: visitors,
  pausesOthers: true,
  candidates: [
    bare,
    durable,
    ours,
    {
      ...bare,
      name: relay,
      role: 'peer',
      about: 'The same server: a body that is posted to it is sent to the socket that it names.',
      args: ['--agent'],
    },
    {
      ...durable,
      name: durableRelay,
      about:
        'The same, and the records with which a node takes a message are in bare lmdb, synced, before it is sent on.',
      args: ['--agent', '--durable'],
    },
    {
      ...ours,
      name: agentTalks,
      about:
        'A node: POST /v4/messages is committed, answered, read by the feed of the visitor and rendered to the page. ' +
        'Latency is from when the call was due until the page has it.',
      args: ['--agent'],
    },
  ],
  ratios: [
    { metric: 'p99', of: visitorsTalk, over: echo, atMost: 5 },
    { metric: 'p99', of: agentTalks, over: relay, atMost: 5 },
    { metric: 'resident', of: visitorsTalk, overMetric: 'gibibyte', over: visitorsTalk, atMost: 1 },
    { metric: 'resident', of: agentTalks, overMetric: 'gibibyte', over: agentTalks, atMost: 1 },
    { metric: 'p99', of: durableEcho, over: echo },
    { metric: 'p99', of: durableRelay, over: relay },
    { metric: 'p99', of: visitorsTalk, over: durableEcho },
    { metric: 'p99', of: agentTalks, over: durableRelay },
    { metric: 'p50', of: visitorsTalk, over: echo },
    { metric: 'cpu', of: visitorsTalk, over: echo },
    { metric: 'cpu', of: agentTalks, over: relay },
  ],
}

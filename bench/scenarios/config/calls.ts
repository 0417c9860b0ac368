/** What the large agent is asked over HTTP: each call, and for a read what its answer holds. */
import { type AgentDocument, findItem } from '../../../core/agent/index.js'
import { targets } from './agent.js'

export interface ConfigCall {
  readonly method: 'GET' | 'PATCH'
  /** Below the agent. */
  readonly path: string
  /** What a read answers, for a limit that answers as much. */
  readonly answer?: (document: AgentDocument) => unknown
  /** A change sends these in turn, each unlike the one before it, so that none of them changes nothing. */
  readonly bodies?: readonly object[]
}

const variants = (body: (nth: number) => object) => Array.from({ length: 1_000 }, (_, nth) => body(nth))

const fact = `/knowledge/facts/${targets.fact}`
const playbook = `/playbooks/${targets.playbook}`

export const calls: Readonly<Record<string, ConfigCall>> = {
  'GET a fact': { method: 'GET', path: fact, answer: (document) => findItem(document, 'facts', targets.fact) },
  'GET a playbook': {
    method: 'GET',
    path: playbook,
    answer: (document) => findItem(document, 'playbooks', targets.playbook),
  },
  'PATCH a fact': { method: 'PATCH', path: fact, bodies: variants((nth) => ({ answer: `From ${nth} on.` })) },
  'PATCH a playbook': {
    method: 'PATCH',
    path: playbook,
    bodies: variants((nth) => ({ description: `The ${nth}th.` })),
  },
}

export function callNamed(name: string | undefined): ConfigCall {
  const call = calls[name ?? '']
  if (!call) throw new Error(`there is no call "${name}"`)
  return call
}

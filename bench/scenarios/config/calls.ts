/** The HTTP calls of the config scenario, and for a read the bytes of its answer. */
import { type AgentDocument, findItem } from '../../../core/agent/index.js'
import { targets } from './agent.js'

export interface ConfigCall {
  readonly method: 'GET' | 'PATCH'
  /** Relative to the agent's path. */
  readonly path: string
  /** The body of a read's answer, for a limit that answers as many bytes. */
  readonly answer?: (document: AgentDocument) => unknown
  /** Bodies of a change, sent in turn; each differs from the previous one, so that every call changes something. */
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

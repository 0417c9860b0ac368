/** Cache of prepared agents: the document of an agent with its search indexes, as long as the document is the same. */
import { LRUCache } from 'lru-cache'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { turn as limits } from '../../core/limits/index.js'
import type { SubjectRequest, TurnSubject } from '../../core/turn/port.js'
import { type PreparedAgent, prepareAgentInSteps } from '../../core/turn/prepare.js'
import { runInSlices, type SliceClock } from '../slices.js'
import type { TurnPort } from './port.js'

export interface Gathered {
  readonly prepared: PreparedAgent
  readonly subject: TurnSubject
}

export interface PreparedAgents {
  /** The agent and the person as they are now. The document is sent and indexed once for each version of it. */
  gather(request: Omit<SubjectRequest, 'knownDigest'>): Promise<Gathered | Refusal>
}

export function createPreparedAgents(port: Pick<TurnPort, 'load'>, clock: SliceClock): PreparedAgents {
  const cache = new LRUCache<string, PreparedAgent>({ max: limits.preparedAgents, ttl: limits.preparedMs })
  /** Preparations that are running: turns that begin together share one. */
  const preparing = new Map<string, Promise<PreparedAgent>>()

  async function prepare(agent: AgentRef, { document, digest }: TurnSubject): Promise<PreparedAgent> {
    const key = formatAgentKey(agent)
    const name = `${key} ${digest}`
    const running = preparing.get(name)
    if (running) return running
    const started = Promise.resolve(runInSlices(prepareAgentInSteps(document!, digest), clock))
    preparing.set(name, started)
    try {
      const prepared = await started
      cache.set(key, prepared)
      return prepared
    } finally {
      preparing.delete(name)
    }
  }

  return {
    async gather(request) {
      const cached = cache.get(formatAgentKey(request))
      const subject = await port.load({ ...request, ...(cached && { knownDigest: cached.digest }) })
      if (isRefusal(subject)) return subject
      const isCurrent = cached !== undefined && cached.digest === subject.digest
      return { prepared: isCurrent ? cached : await prepare(request, subject), subject }
    },
  }
}

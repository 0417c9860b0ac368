/**
 * Log lines of refused provider calls in the agent's log. The first refused call of a binding gets a line at once;
 * while more follow, one line a minute has their count. This bounds what an unauthenticated caller can make Parley
 * write. Counts of an unfinished minute are lost with the process.
 */

import type { ChannelRoute } from '../../core/agent/routing.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import { refusedCalls as limits } from '../../core/limits/ingress.js'
import type { Clock } from '../clock.js'
import type { AgentLogCommands, AgentLogNote } from '../conversation/agentlog.js'
import type { Log } from '../observe/log.js'
import type { Shards } from '../shard/contract.js'

export interface RefusedCallLog {
  /** Returns at once; the answer to the call does not wait for its line. */
  note(
    agent: AgentRef,
    binding: Pick<ChannelRoute, 'bindingId' | 'channel'>,
    event: 'ingress.signature_refused' | 'ingress.malformed',
    problem?: string,
  ): void
}

export interface RefusedCallLogOptions {
  readonly shards: Shards
  readonly command: AgentLogCommands['write']
  readonly clock: Pick<Clock, 'now' | 'setTimer'>
  readonly log: Log
}

export function createRefusedCallLog({ shards, command, clock, log }: RefusedCallLogOptions): RefusedCallLog {
  /** Refused calls since the last line, by event and binding. */
  const counts = new Map<string, number>()

  function write({ orgId, agentId }: AgentRef, entry: AgentLogNote): void {
    const fail = (error: unknown) => log.warn('agentlog.not_written', { orgId, agentId, event: entry.event, error })
    const reply = shards.execute(formatAgentKey({ orgId, agentId }), command, { orgId, agentId, entry })
    reply.then((answer) => isRefusal(answer) && fail(answer.refused)).catch(fail)
  }

  function scheduleCount(key: string, writeCount: (count: number) => void): void {
    counts.set(key, 0)
    clock.setTimer(clock.now() + limits.windowMs, () => {
      const count = counts.get(key) ?? 0
      counts.delete(key)
      if (count === 0) return
      writeCount(count)
      scheduleCount(key, writeCount)
    })
  }

  return {
    note(agent, { bindingId, channel }, event, problem) {
      const key = `${event} ${bindingId}`
      const count = counts.get(key)
      if (count !== undefined) {
        counts.set(key, count + 1)
        return
      }
      if (counts.size >= limits.bindings) return
      const fields = { bindingId, ...(problem !== undefined && { problem: problem.slice(0, limits.problemChars) }) }
      write(agent, { event, channel, data: fields })
      scheduleCount(key, (more) => write(agent, { event, channel, data: { bindingId, count: more } }))
    },
  }
}

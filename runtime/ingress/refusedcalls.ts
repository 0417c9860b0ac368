/**
 * Calls of providers that were refused, as lines of the agent's log. The first of a binding is a line at once; while more
 * come, one line a minute counts them. So however many calls a stranger makes, the disk does not fill. Counts that wait
 * for their minute are lost with the process.
 */

import type { ChannelRoute } from '../../core/agent/routing.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { isRefusal } from '../../core/errors.js'
import { refusedCalls as limits } from '../../core/ingresslimits.js'
import type { Clock } from '../clock.js'
import type { AgentLine, AgentLogCommands } from '../conversation/agentlog.js'
import type { Log } from '../observe/log.js'
import type { Shards } from '../shard/contract.js'

export interface RefusedCalls {
  /** Returns at once; the call is answered without waiting for its line. */
  note(
    place: AgentPlace,
    bound: Pick<ChannelRoute, 'bindingId' | 'channel'>,
    event: 'ingress.signature_refused' | 'ingress.malformed',
    problem?: string,
  ): void
}

export interface RefusedCallsOptions {
  readonly shards: Shards
  readonly command: AgentLogCommands['note']
  readonly clock: Pick<Clock, 'now' | 'wake'>
  readonly log: Log
}

export function openRefusedCalls({ shards, command, clock, log }: RefusedCallsOptions): RefusedCalls {
  /** Calls since the last line, by event and binding. */
  const counts = new Map<string, number>()

  function write({ orgId, agentId }: AgentPlace, line: AgentLine): void {
    const fail = (error: unknown) => log.warn('agentlog.not_written', { orgId, agentId, event: line.event, error })
    const asked = shards.ask(agentKeyOf({ orgId, agentId }), command, { orgId, agentId, line })
    asked.then((answer) => isRefusal(answer) && fail(answer.refused)).catch(fail)
  }

  function countFor(key: string, writeCount: (count: number) => void): void {
    counts.set(key, 0)
    clock.wake(clock.now() + limits.windowMs, () => {
      const count = counts.get(key) ?? 0
      counts.delete(key)
      if (count === 0) return
      writeCount(count)
      countFor(key, writeCount)
    })
  }

  return {
    note(place, { bindingId, channel }, event, problem) {
      const key = `${event} ${bindingId}`
      const count = counts.get(key)
      if (count !== undefined) {
        counts.set(key, count + 1)
        return
      }
      if (counts.size >= limits.bindings) return
      const about = { bindingId, ...(problem !== undefined && { problem: problem.slice(0, limits.problemChars) }) }
      write(place, { event, channel, data: about })
      countFor(key, (more) => write(place, { event, channel, data: { bindingId, count: more } }))
    },
  }
}

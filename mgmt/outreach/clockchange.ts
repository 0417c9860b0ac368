/**
 * Reschedules an agent's send queue after the clock was set back: no send waits longer than its own delay from then on.
 */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import { outreachSend as limits } from '../../core/limits/index.js'
import { maxWaitMs } from '../../core/outreach/statemachine.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { type AgentSnapshot, loadIncarnation } from './admission.js'
import { queueTable, type StoredSend, saveSend, sendAt, timerTable } from './store.js'
import { followUpWaitMs, rescheduleCommand, type SendDeps, scheduleTimers } from './transitions.js'

interface RescheduleInput extends AgentIncarnation {
  /** The walk continues after this queue key. */
  readonly after?: readonly [dueAt: number, sendId: string]
}

/**
 * Walks through the queue in bounded parts. It may move a send that waits for safe hours ahead too: the pickup checks
 * the hours again and defers the send until they open.
 */
export function createRescheduleCommand(deps: SendDeps): Command<RescheduleInput, true> {
  return {
    name: rescheduleCommand,
    decide(tx, { after, ...agent }, { at }) {
      const snapshot = loadIncarnation(deps, tx, agent)
      if (!snapshot) return true
      const scope = scopeOf(agent)
      const from = after ? { after: [...scope, ...after] as const } : {}
      const rows = [...tx.range(queueTable, { prefix: scope, ...from, limit: limits.rowsPerSweep })]
      for (const { key, value } of rows) {
        const send = sendAt(tx, scope, key[4])
        if (send) reschedule(tx, snapshot, send, value, at)
      }
      const [first] = [...tx.range(queueTable, { prefix: scope, limit: 1 })]
      if (first) scheduleTimers(tx, agent, tx.get(timerTable, scope) ?? {}, { pickupAt: Math.max(first.key[3], at) })
      const last = rows.length === limits.rowsPerSweep ? rows.at(-1)!.key : undefined
      const input: RescheduleInput = { ...agent, ...(last && { after: [last[3], last[4]] }) }
      if (last)
        tx.schedule({ name: `${rescheduleCommand}:${agent.incarnation}`, dueAt: at, command: rescheduleCommand, input })
      return true
    },
  }

  function reschedule(
    tx: Tx,
    { agentRef: agent, document }: AgentSnapshot,
    send: StoredSend,
    kind: 'send' | 'followUp',
    at: number,
  ): void {
    const { timeScale } = deps
    const { dueAt = at, followUpAt = at, nextAttemptAt } = send
    if (kind === 'followUp') {
      const latestAt = at + (followUpWaitMs(document, send, timeScale) ?? 0)
      if (followUpAt > latestAt) saveSend(tx, scopeOf(agent), { ...send, followUpAt: latestAt }, send)
      return
    }
    const latestAt = at + maxWaitMs(send, timeScale)
    const retry = nextAttemptAt === undefined ? {} : { nextAttemptAt: latestAt }
    if (dueAt > latestAt) saveSend(tx, scopeOf(agent), { ...send, dueAt: latestAt, ...retry }, send)
  }
}

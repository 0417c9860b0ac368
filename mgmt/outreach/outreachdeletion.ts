/**
 * Cancels queued sends and follow-ups when an outreach is deleted; refuses the deletion while a record refers to it.
 */

import type { AgentDocument } from '../../core/agent/index.js'
import { type AgentIncarnation, type AgentScope, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { type Refusal, refuse } from '../../core/errors.js'
import { outreachSend as limits } from '../../core/limits/index.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type AgentSnapshot, loadAgent } from './admission.js'
import type { OutreachReferrer } from './listeners.js'
import { queueTable, type StoredSend, saveSend, sendAt, type Withdrawn, withdrawnTable } from './store.js'
import { type SendDeps, transition } from './transitions.js'

const withdrawCommand = 'outreach.withdraw'

interface WithdrawInput extends AgentIncarnation {
  readonly outreachId: string
  /** The walk continues after this queue key. */
  readonly after?: readonly [dueAt: number, sendId: string]
}

/** Matches only sends older than the deletion, since a later outreach may have the same id. */
export function withdrawnOf(
  reader: Reader,
  scope: AgentScope,
  { outreachId, queuedAt }: StoredSend,
): Withdrawn | undefined {
  const withdrawn = reader.get(withdrawnTable, [...scope, outreachId])
  return withdrawn && queuedAt <= withdrawn.at ? withdrawn : undefined
}

export function cancelWithdrawn(
  tx: Tx,
  deps: SendDeps,
  snapshot: AgentSnapshot,
  send: StoredSend,
  { name }: Withdrawn,
  meta: CommandMeta,
): void {
  const detail = `The outreach ${name} was deleted.`
  transition(tx, deps, snapshot, send, { on: 'cancelled', at: meta.at, detail }, meta)
}

export function createWithdrawal(deps: SendDeps) {
  /**
   * Refuses a document change that deletes an outreach which another record names; otherwise cancels its waiting sends.
   */
  function onDocumentChanged(
    tx: Tx,
    agent: AgentRef,
    before: AgentDocument,
    after: AgentDocument,
    meta: CommandMeta,
  ): Refusal | undefined {
    if (before.outreach === after.outreach) return undefined
    const remaining = new Set(after.outreach.map(({ id }) => id))
    const deleted = before.outreach.filter(({ id }) => !remaining.has(id))
    for (const { id, name } of deleted) {
      const referrers = deps.listeners.referrers.flatMap((referrersOf) => referrersOf(tx, agent, id))
      if (referrers.length > 0) return inUse(name, referrers)
    }
    const snapshot = deleted.length > 0 ? loadAgent(deps, tx, agent) : undefined
    for (const { id, name } of snapshot ? deleted : []) {
      tx.put(withdrawnTable, [...scopeOf(snapshot!.agentRef), id], { name, at: meta.at })
      cancelQueued(tx, snapshot!, { ...snapshot!.agentRef, outreachId: id }, meta)
    }
    return undefined
  }

  /**
   * Cancels waiting sends, a bounded part of the queue at a time. Pickups and follow-ups that run earlier check the
   * deletion too.
   */
  function cancelQueued(
    tx: Tx,
    snapshot: AgentSnapshot,
    { outreachId, after, ...agent }: WithdrawInput,
    meta: CommandMeta,
  ): void {
    const scope = scopeOf(agent)
    const withdrawn = tx.get(withdrawnTable, [...scope, outreachId])
    if (!withdrawn) return
    const rows = [
      ...tx.range(queueTable, {
        prefix: scope,
        ...(after && { after: [...scope, ...after] }),
        limit: limits.rowsPerSweep,
      }),
    ]
    for (const { key, value } of rows) {
      const send = sendAt(tx, scope, key[4])
      if (send?.outreachId !== outreachId || !withdrawnOf(tx, scope, send)) continue
      if (value === 'send') cancelWithdrawn(tx, deps, snapshot, send, withdrawn, meta)
      else cancelFollowUp(tx, snapshot, send, withdrawn, meta)
    }
    const last = rows.at(-1)?.key
    const name = `${withdrawCommand}:${agent.incarnation}:${outreachId}`
    if (!last || rows.length < limits.rowsPerSweep) {
      tx.remove(withdrawnTable, [...scope, outreachId])
      tx.unschedule(name)
      return
    }
    const input: WithdrawInput = { ...agent, outreachId, after: [last[3], last[4]] }
    tx.schedule({ name, dueAt: meta.at, command: withdrawCommand, input })
  }

  function cancelFollowUp(
    tx: Tx,
    snapshot: AgentSnapshot,
    send: StoredSend,
    { name }: Withdrawn,
    meta: CommandMeta,
  ): void {
    const { followUpAt: _due, ...rest } = send
    saveSend(tx, scopeOf(snapshot.agentRef), rest, send)
    if (!deps.people.byId(tx, snapshot.agentRef, send.personId)) return
    deps.people.note(tx, snapshot.agentRef, send.personId, `No follow-up: the outreach ${name} was deleted.`, meta)
  }

  const withdraw: Command<WithdrawInput, true> = {
    name: withdrawCommand,
    decide(tx, input, meta) {
      const snapshot = loadAgent(deps, tx, input)
      if (snapshot?.agentRef.incarnation === input.incarnation) cancelQueued(tx, snapshot, input, meta)
      return true
    },
  }

  return { onDocumentChanged, withdraw }
}

function inUse(name: string, referrers: readonly OutreachReferrer[]): Refusal {
  const detail = `${name} is named by ${referrers.map((each) => each.name).join(', ')}.`
  return refuse('agent.outreach.in_use', { detail, extra: { referrers } })
}

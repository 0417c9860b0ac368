/** An outreach that goes: who still names it, and what becomes of sends and follow-ups that wait. */

import type { AgentDocument } from '../../core/agent/index.js'
import { type AgentIncarnation, type AgentScope, scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { type Refusal, refuse } from '../../core/errors.js'
import { outreachSend as limits } from '../../core/limits.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type Known, knownAgent } from './admission.js'
import type { OutreachReferrer } from './listeners.js'
import { type Gone, goneTable, type KeptSend, keepSend, queueTable, sendAt } from './store.js'
import { type SendDeps, take } from './transitions.js'

const clearCommand = 'outreach.withdraw'

interface Withdrawing extends AgentIncarnation {
  readonly outreachId: string
  /** The walk goes on behind this place in the queue. */
  readonly after?: readonly [dueAt: number, sendId: string]
}

/** Only sends that are older than its going are meant: the id may have been given to another one since. */
export function goneOf(reader: Reader, scope: AgentScope, { outreachId, queuedAt }: KeptSend): Gone | undefined {
  const gone = reader.get(goneTable, [...scope, outreachId])
  return gone && queuedAt <= gone.at ? gone : undefined
}

export function cancelWithdrawn(
  tx: Tx,
  deps: SendDeps,
  known: Known,
  send: KeptSend,
  { name }: Gone,
  told: Told,
): void {
  const detail = `The outreach ${name} was deleted.`
  take(tx, deps, known, send, { on: 'cancelled', at: told.at, detail }, told)
}

export function createWithdrawal(deps: SendDeps) {
  /** Refuses a change of the document that takes away an outreach which is named elsewhere, and cancels what waits for it otherwise. */
  function onDocumentChanged(
    tx: Tx,
    place: AgentPlace,
    before: AgentDocument,
    after: AgentDocument,
    told: Told,
  ): Refusal | undefined {
    if (before.outreach === after.outreach) return undefined
    const left = new Set(after.outreach.map(({ id }) => id))
    const going = before.outreach.filter(({ id }) => !left.has(id))
    for (const { id, name } of going) {
      const referrers = deps.listeners.referrers.flatMap((referrersOf) => referrersOf(tx, place, id))
      if (referrers.length > 0) return inUse(name, referrers)
    }
    const known = going.length > 0 ? knownAgent(deps, tx, place) : undefined
    for (const { id, name } of known ? going : []) {
      tx.put(goneTable, [...scopeOf(known!.place), id], { name, at: told.at })
      cancelQueued(tx, known!, { ...known!.place, outreachId: id }, told)
    }
    return undefined
  }

  /** Cancels what waits, a bounded part of the queue at a time; pickups and follow-ups that come first know it too. */
  function cancelQueued(tx: Tx, known: Known, { outreachId, after, ...place }: Withdrawing, told: Told): void {
    const scope = scopeOf(place)
    const gone = tx.get(goneTable, [...scope, outreachId])
    if (!gone) return
    const rows = [
      ...tx.range(queueTable, {
        prefix: scope,
        ...(after && { after: [...scope, ...after] }),
        limit: limits.rowsPerSweep,
      }),
    ]
    for (const { key, value } of rows) {
      const send = sendAt(tx, scope, key[4])
      if (send?.outreachId !== outreachId || !goneOf(tx, scope, send)) continue
      if (value === 'send') cancelWithdrawn(tx, deps, known, send, gone, told)
      else dropFollowUp(tx, known, send, gone, told)
    }
    const last = rows.at(-1)?.key
    const name = `${clearCommand}:${place.serial}:${outreachId}`
    if (!last || rows.length < limits.rowsPerSweep) {
      tx.remove(goneTable, [...scope, outreachId])
      tx.unschedule(name)
      return
    }
    const input: Withdrawing = { ...place, outreachId, after: [last[3], last[4]] }
    tx.schedule({ name, dueAt: told.at, command: clearCommand, input })
  }

  function dropFollowUp(tx: Tx, known: Known, send: KeptSend, { name }: Gone, told: Told): void {
    const { followUpAt: _due, ...rest } = send
    keepSend(tx, scopeOf(known.place), rest, send)
    if (!deps.people.byId(tx, known.place, send.personId)) return
    deps.people.note(tx, known.place, send.personId, `No follow-up: the outreach ${name} was deleted.`, told)
  }

  const withdraw: Command<Withdrawing, true> = {
    name: clearCommand,
    decide(tx, input, told) {
      const known = knownAgent(deps, tx, input)
      if (known?.place.serial === input.serial) cancelQueued(tx, known, input, told)
      return true
    },
  }

  return { onDocumentChanged, withdraw }
}

function inUse(name: string, referrers: readonly OutreachReferrer[]): Refusal {
  const detail = `${name} is named by ${referrers.map((each) => each.name).join(', ')}.`
  return refuse('agent.outreach.in_use', { detail, extra: { referrers } })
}

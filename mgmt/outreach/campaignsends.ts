/** Sends of campaigns: created many in one commit, in state `sending` from the start, and reported together. */

import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import { findOutreach } from '../../core/outreach/admission.js'
import type { AttemptReport } from '../../core/outreach/attempt.js'
import { sendIdAt } from '../../core/outreach/ids.js'
import type { Send, SendReason } from '../../core/outreach/send.js'
import { maxWaitMs } from '../../core/outreach/statemachine.js'
import type { Person } from '../../core/people/person.js'
import type { CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { loadIncarnation } from './admission.js'
import { applyAttemptReport } from './commands.js'
import { isMarketingUnderWay, noteMarketing } from './marketing.js'
import { mayDispatch } from './pickup.js'
import { retainedUntil, type StoredSend, saveLaunched, saveSend, sendAt, sendingOf, timerTable } from './store.js'
import { type SendDeps, scheduleTimers, transition } from './transitions.js'

/** A send that a campaign creates. */
export interface NewCampaignSend
  extends Pick<StoredSend, 'outreachId' | 'personId' | 'asid' | 'channel' | 'address' | 'sendWindow' | 'sandbox'> {
  readonly campaignId: string
  /** Why the send is suppressed: it is on record and is not attempted. */
  readonly suppressed?: SendReason
}

export function createBulkSends(deps: SendDeps) {
  /**
   * Creates the sends in order and returns their ids. The caller must start the attempts of those that are not
   * suppressed.
   */
  function create(
    tx: Tx,
    agent: AgentIncarnation,
    newSends: readonly NewCampaignSend[],
    meta: CommandMeta,
  ): readonly string[] {
    const snapshot = loadIncarnation(deps, tx, agent)
    if (!snapshot) throw new Error('campaigns send for agents that are there')
    const scope = scopeOf(agent)
    const { at } = meta
    const timers = tx.get(timerTable, scope) ?? {}
    scheduleTimers(tx, agent, timers, { sweepAt: timers.sweepAt ?? retainedUntil(at, deps.timeScale) })
    const isMarketing = findOutreach(snapshot.document, newSends[0]?.outreachId ?? '')?.class === 'marketing'
    const sends = newSends.map(
      ({ suppressed, ...which }): StoredSend => ({
        id: sendIdAt(at, meta.mint('sd')),
        origin: 'campaign',
        ...which,
        state: 'sending',
        queuedAt: at,
        attempts: 1,
        ...(isMarketing && !suppressed && !which.sandbox && { isMarketing }),
      }),
    )
    saveLaunched(tx, scope, sends)
    for (const send of sends) noteMarketing(tx, scope, send)
    for (const [nth, { suppressed }] of newSends.entries()) {
      if (suppressed) transition(tx, deps, snapshot, sends[nth]!, { on: 'notAttempted', reason: suppressed, at }, meta)
    }
    logLaunch(tx, agent, newSends, at)
    return sends.map(({ id }) => id)
  }

  /** One log line for all sends, so that a launch writes no further row for each send. */
  function logLaunch(tx: Tx, agent: AgentIncarnation, newSends: readonly NewCampaignSend[], at: number): void {
    const live = newSends.filter(({ suppressed, sandbox }) => !suppressed && !sandbox)
    if (!deps.log || !live[0]) return
    const { campaignId, outreachId, channel } = live[0]
    const data = { campaignId, outreachId, origin: 'campaign', sends: live.length }
    deps.log(tx, agent, { event: 'outreach.accepted', channel, data }, at)
  }

  function report(tx: Tx, agent: AgentIncarnation, reports: readonly AttemptReport[], meta: CommandMeta): void {
    const snapshot = loadIncarnation(deps, tx, agent)
    if (snapshot) for (const each of reports) applyAttemptReport(tx, deps, snapshot, each, meta)
  }

  /**
   * Puts a send, or the follow-up of a send, that waited for the campaign back into the queue; a send that waited for
   * its binding is due at once.
   */
  function resume(tx: Tx, agent: AgentIncarnation, sendId: string, { at }: CommandMeta): void {
    const scope = scopeOf(agent)
    const send = sendAt(tx, scope, sendId)
    if (send?.isFollowUpHeld) {
      const { isFollowUpHeld: _isFollowUpHeld, ...rest } = send
      saveSend(tx, scope, { ...rest, followUpAt: at }, send)
      return scheduleTimers(tx, agent, tx.get(timerTable, scope) ?? {}, { pickupAt: at })
    }
    const isForBinding = send?.deferredFor === 'binding_error'
    if (send?.state !== 'queued' || (send.dueAt !== undefined && !isForBinding)) return
    // The clock may have been set back since.
    const latestAt = at + maxWaitMs(send, deps.timeScale)
    const dueAt = isForBinding ? at : Math.max(at, Math.min(send.nextAttemptAt ?? at, latestAt))
    saveSend(tx, scope, { ...send, dueAt }, send)
    scheduleTimers(tx, agent, tx.get(timerTable, scope) ?? {}, { pickupAt: dueAt })
  }

  /** Cancels a send that waits, in the queue or outside of it. Any other send continues. */
  function cancel(tx: Tx, agent: AgentIncarnation, sendId: string, detail: string, meta: CommandMeta): void {
    const snapshot = loadIncarnation(deps, tx, agent)
    const send = snapshot && sendAt(tx, scopeOf(agent), sendId)
    if (send) transition(tx, deps, snapshot, send, { on: 'cancelled', at: meta.at, detail }, meta)
  }

  return {
    create,
    report,
    resume,
    cancel,
    mayDispatch: (reader: Reader, agent: AgentIncarnation, sendId: string, at: number): boolean =>
      mayDispatch(reader, deps, agent, sendId, at),
    sendAt: (reader: Reader, agent: AgentIncarnation, sendId: string): Send | undefined =>
      sendAt(reader, scopeOf(agent), sendId),
    sendingOf: (reader: Reader, agent: AgentIncarnation) => sendingOf(reader, scopeOf(agent)),
    isMarketingUnderWay: (reader: Reader, agent: AgentIncarnation, person: Person) =>
      isMarketingUnderWay(reader, scopeOf(agent), person),
  }
}
export type BulkSends = ReturnType<typeof createBulkSends>

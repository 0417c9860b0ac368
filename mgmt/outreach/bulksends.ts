/** Sends of campaigns: many are created in one commit, on their way from the start, and reported on together. */

import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AttemptReport } from '../../core/outreach/attempt.js'
import { outreachIn } from '../../core/outreach/judge.js'
import { longestWaitMs } from '../../core/outreach/machine.js'
import type { Send, SendReason } from '../../core/outreach/send.js'
import { sendIdAt } from '../../core/outreach/sendid.js'
import type { Person } from '../../core/people/person.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { sameAgent } from './admission.js'
import { reported } from './commands.js'
import { isMarketingUnderWay, noteMarketing } from './marketing.js'
import { mayBeHandedOver } from './pickup.js'
import { type KeptSend, keepLaunched, keepSend, keptUntil, sendAt, sendingOf, timerTable } from './store.js'
import { type SendDeps, scheduleTimers, take } from './transitions.js'

/** A send that a campaign makes. */
export interface NewCampaignSend
  extends Pick<KeptSend, 'outreachId' | 'personId' | 'asid' | 'channel' | 'address' | 'sendWindow' | 'sandbox'> {
  readonly campaignId: string
  /** Something forbids it by now: it is on record, and is not attempted. */
  readonly suppressed?: SendReason
}

export function createBulkSends(deps: SendDeps) {
  /** Makes them in their order and answers their ids; whoever asks sees to it that those which are on their way are attempted. */
  function create(tx: Tx, place: AgentIncarnation, wanted: readonly NewCampaignSend[], told: Told): readonly string[] {
    const known = sameAgent(deps, tx, place)
    if (!known) throw new Error('campaigns send for agents that are there')
    const scope = scopeOf(place)
    const { at } = told
    const timers = tx.get(timerTable, scope) ?? {}
    scheduleTimers(tx, place, timers, { sweepAt: timers.sweepAt ?? keptUntil(at, deps.timeScale) })
    const isMarketing = outreachIn(known.document, wanted[0]?.outreachId ?? '')?.class === 'marketing'
    const sends = wanted.map(
      ({ suppressed, ...which }): KeptSend => ({
        id: sendIdAt(at, told.mint('sd')),
        origin: 'campaign',
        ...which,
        state: 'sending',
        queuedAt: at,
        attempts: 1,
        ...(isMarketing && !suppressed && !which.sandbox && { isMarketing }),
      }),
    )
    keepLaunched(tx, scope, sends)
    for (const send of sends) noteMarketing(tx, scope, send)
    for (const [nth, { suppressed }] of wanted.entries()) {
      if (suppressed) take(tx, deps, known, sends[nth]!, { on: 'notAttempted', reason: suppressed, at }, told)
    }
    logLaunch(tx, place, wanted, at)
    return sends.map(({ id }) => id)
  }

  /** One line for all of them: a launch writes no more rows for each send. */
  function logLaunch(tx: Tx, place: AgentIncarnation, wanted: readonly NewCampaignSend[], at: number): void {
    const live = wanted.filter(({ suppressed, sandbox }) => !suppressed && !sandbox)
    if (!deps.log || !live[0]) return
    const { campaignId, outreachId, channel } = live[0]
    const data = { campaignId, outreachId, origin: 'campaign', sends: live.length }
    deps.log(tx, place, { event: 'outreach.accepted', channel, data }, at)
  }

  function report(tx: Tx, place: AgentIncarnation, reports: readonly AttemptReport[], told: Told): void {
    const known = sameAgent(deps, tx, place)
    if (known) for (const each of reports) reported(tx, deps, known, each, told)
  }

  /** One that rests, or whose follow-up does, goes back into the queue; one that waits for its binding has its turn. */
  function resume(tx: Tx, place: AgentIncarnation, sendId: string, { at }: Told): void {
    const scope = scopeOf(place)
    const send = sendAt(tx, scope, sendId)
    if (send?.isFollowUpHeld) {
      const { isFollowUpHeld: _held, ...rest } = send
      keepSend(tx, scope, { ...rest, followUpAt: at }, send)
      return scheduleTimers(tx, place, tx.get(timerTable, scope) ?? {}, { pickupAt: at })
    }
    const isForBinding = send?.heldFor === 'binding_error'
    if (send?.state !== 'queued' || (send.dueAt !== undefined && !isForBinding)) return
    // The time of day may have been set back since.
    const latestAt = at + longestWaitMs(send, deps.timeScale)
    const dueAt = isForBinding ? at : Math.max(at, Math.min(send.nextAttemptAt ?? at, latestAt))
    keepSend(tx, scope, { ...send, dueAt }, send)
    scheduleTimers(tx, place, tx.get(timerTable, scope) ?? {}, { pickupAt: dueAt })
  }

  /** One that waits, in the queue or outside of it; any other runs on. */
  function cancel(tx: Tx, place: AgentIncarnation, sendId: string, detail: string, told: Told): void {
    const known = sameAgent(deps, tx, place)
    const send = known && sendAt(tx, scopeOf(place), sendId)
    if (send) take(tx, deps, known, send, { on: 'cancelled', at: told.at, detail }, told)
  }

  return {
    create,
    report,
    resume,
    cancel,
    mayBeHandedOver: (reader: Reader, place: AgentIncarnation, sendId: string, at: number): boolean =>
      mayBeHandedOver(reader, deps, place, sendId, at),
    sendAt: (reader: Reader, place: AgentIncarnation, sendId: string): Send | undefined =>
      sendAt(reader, scopeOf(place), sendId),
    sendingOf: (reader: Reader, place: AgentIncarnation) => sendingOf(reader, scopeOf(place)),
    isMarketingUnderWay: (reader: Reader, place: AgentIncarnation, person: Person) =>
      isMarketingUnderWay(reader, scopeOf(place), person),
  }
}
export type BulkSends = ReturnType<typeof createBulkSends>

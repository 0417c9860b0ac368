/** Sends as campaigns have them: many made in one commit, on their way from the start, and reported on together. */

import type { AttemptReport } from '../../core/outreach/attempt.js'
import { outreachIn } from '../../core/outreach/judge.js'
import { longestWaitMs } from '../../core/outreach/machine.js'
import type { Send, SendReason } from '../../core/outreach/send.js'
import { sendIdAt } from '../../core/outreach/sendid.js'
import type { Person } from '../../core/people/person.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { reported } from './commands.js'
import { sameAgent } from './considering.js'
import { isMarketingUnderWay, noteMarketing } from './marketing.js'
import { type Moving, take, wake } from './moving.js'
import { mayBeHandedOver } from './pickup.js'
import {
  type HomePlace,
  homeOf,
  type KeptSend,
  keepLaunched,
  keepSend,
  keptUntil,
  pulseTable,
  sendAt,
  sendingOf,
} from './store.js'

/** A send that a campaign makes. */
export interface Launched
  extends Pick<KeptSend, 'outreachId' | 'personId' | 'asid' | 'channel' | 'address' | 'sendWindow' | 'sandbox'> {
  readonly campaignId: string
  /** Something forbids it by now: it is on record, and is not attempted. */
  readonly suppressed?: SendReason
}

export function campaigning(moving: Moving) {
  /** Makes them in their order and answers their ids; whoever asks sees to it that those which are on their way are attempted. */
  function launch(tx: Tx, place: HomePlace, wanted: readonly Launched[], told: Told): readonly string[] {
    const known = sameAgent(moving, tx, place)
    if (!known) throw new Error('campaigns send for agents that are there')
    const home = homeOf(place)
    const { at } = told
    const pulse = tx.get(pulseTable, home) ?? {}
    wake(tx, place, pulse, { sweepAt: pulse.sweepAt ?? keptUntil(at, moving.timeScale) })
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
    keepLaunched(tx, home, sends)
    for (const send of sends) noteMarketing(tx, home, send)
    for (const [nth, { suppressed }] of wanted.entries()) {
      if (suppressed) take(tx, moving, known, sends[nth]!, { on: 'notAttempted', reason: suppressed, at }, told)
    }
    logLaunch(tx, place, wanted, at)
    return sends.map(({ id }) => id)
  }

  /** One line for all of them: a launch writes no more rows for each send. */
  function logLaunch(tx: Tx, place: HomePlace, wanted: readonly Launched[], at: number): void {
    const live = wanted.filter(({ suppressed, sandbox }) => !suppressed && !sandbox)
    if (!moving.log || !live[0]) return
    const { campaignId, outreachId, channel } = live[0]
    const data = { campaignId, outreachId, origin: 'campaign', sends: live.length }
    moving.log(tx, place, { event: 'outreach.accepted', channel, data }, at)
  }

  function report(tx: Tx, place: HomePlace, reports: readonly AttemptReport[], told: Told): void {
    const known = sameAgent(moving, tx, place)
    if (known) for (const each of reports) reported(tx, moving, known, each, told)
  }

  /** One that rests, or whose follow-up does, goes back into the queue; one that waits for its binding has its turn. */
  function resume(tx: Tx, place: HomePlace, sendId: string, { at }: Told): void {
    const home = homeOf(place)
    const send = sendAt(tx, home, sendId)
    if (send?.isFollowUpHeld) {
      const { isFollowUpHeld: _held, ...rest } = send
      keepSend(tx, home, { ...rest, followUpAt: at }, send)
      return wake(tx, place, tx.get(pulseTable, home) ?? {}, { pickupAt: at })
    }
    const isForBinding = send?.heldFor === 'binding_error'
    if (send?.state !== 'queued' || (send.dueAt !== undefined && !isForBinding)) return
    // The time of day may have been set back since.
    const latestAt = at + longestWaitMs(send, moving.timeScale)
    const dueAt = isForBinding ? at : Math.max(at, Math.min(send.nextAttemptAt ?? at, latestAt))
    keepSend(tx, home, { ...send, dueAt }, send)
    wake(tx, place, tx.get(pulseTable, home) ?? {}, { pickupAt: dueAt })
  }

  /** One that waits, in the queue or outside of it; any other runs on. */
  function cancel(tx: Tx, place: HomePlace, sendId: string, detail: string, told: Told): void {
    const known = sameAgent(moving, tx, place)
    const send = known && sendAt(tx, homeOf(place), sendId)
    if (send) take(tx, moving, known, send, { on: 'cancelled', at: told.at, detail }, told)
  }

  return {
    launch,
    report,
    resume,
    cancel,
    mayBeHandedOver: (reader: Reader, place: HomePlace, sendId: string, at: number): boolean =>
      mayBeHandedOver(reader, moving, place, sendId, at),
    sendAt: (reader: Reader, place: HomePlace, sendId: string): Send | undefined =>
      sendAt(reader, homeOf(place), sendId),
    sendingOf: (reader: Reader, place: HomePlace) => sendingOf(reader, homeOf(place)),
    isMarketingUnderWay: (reader: Reader, place: HomePlace, person: Person) =>
      isMarketingUnderWay(reader, homeOf(place), person),
  }
}

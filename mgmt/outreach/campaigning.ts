/** Sends as campaigns have them: many made in one commit, on their way from the start, and reported on together. */

import type { AttemptReport } from '../../core/outreach/attempt.js'
import { outreachIn } from '../../core/outreach/judge.js'
import type { Send, SendReason } from '../../core/outreach/send.js'
import { sendIdAt } from '../../core/outreach/sendid.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { reported } from './commands.js'
import { sameAgent } from './considering.js'
import { isMarketingUnderWay, noteMarketing } from './marketing.js'
import { type Moving, take, wake } from './moving.js'
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
    return sends.map(({ id }) => id)
  }

  function report(tx: Tx, place: HomePlace, reports: readonly AttemptReport[], told: Told): void {
    const known = sameAgent(moving, tx, place)
    if (known) for (const each of reports) reported(tx, moving, known, each, told)
  }

  /** One that rests goes back into the queue. */
  function resume(tx: Tx, place: HomePlace, sendId: string, { at }: Told): void {
    const home = homeOf(place)
    const send = sendAt(tx, home, sendId)
    if (send?.state !== 'queued' || send.dueAt !== undefined) return
    const dueAt = Math.max(at, send.nextAttemptAt ?? at)
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
    sendAt: (reader: Reader, place: HomePlace, sendId: string): Send | undefined =>
      sendAt(reader, homeOf(place), sendId),
    sendingOf: (reader: Reader, place: HomePlace) => sendingOf(reader, homeOf(place)),
    isMarketingUnderWay: (reader: Reader, place: HomePlace, personId: string) =>
      isMarketingUnderWay(reader, homeOf(place), personId),
  }
}

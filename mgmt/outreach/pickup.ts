/** Picks up what is due in an agent's queue: openings that go out, openings that wait on, and follow-ups that are made. */
import { outreachSend as limits } from '../../core/limits.js'
import { type Facts, type GuardedOrigin, guard } from '../../core/outreach/guardrails.js'
import { outreachIn } from '../../core/outreach/judge.js'
import { sendIdAt } from '../../core/outreach/sendid.js'
import type { Person } from '../../core/people/person.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import type { Known } from './considering.js'
import { cancelledWith, goneOf } from './gone.js'
import { isMarketingUnderWay } from './marketing.js'
import { begin, isCampaigns, type Moving, take, wake } from './moving.js'
import { type Home, homeOf, type KeptSend, keepSend, pulseTable, queueTable, sendAt, sendingOf } from './store.js'

/** Answers how many were due. */
export function pickUp(tx: Tx, moving: Moving, known: Known, told: Told): number {
  const home = homeOf(known.place)
  const rows = [...tx.range(queueTable, { prefix: home, limit: limits.rowsPerPickup })]
  const due = rows.filter(({ key: [, , , dueAt] }) => dueAt <= told.at)
  for (const { key, value } of due) {
    const send = sendAt(tx, home, key[4])
    if (!send) tx.remove(queueTable, key)
    else if (value === 'send') pickUpSend(tx, moving, known, send, told)
    else followUp(tx, moving, known, send, told)
  }
  const [next] = [...tx.range(queueTable, { prefix: home, limit: 1 })]
  const { pickupAt: _rung, ...pulse } = tx.get(pulseTable, home) ?? {}
  tx.put(pulseTable, home, pulse)
  if (next) wake(tx, known.place, pulse, { pickupAt: Math.max(next.key[3], told.at) })
  return due.length
}

/** Guardrails are asked again where they may have changed since: a person's no, hours that closed, a cap just reached. */
function pickUpSend(tx: Tx, moving: Moving, known: Known, send: KeptSend, told: Told): void {
  const { at } = told
  const gone = goneOf(tx, homeOf(known.place), send)
  if (gone) {
    cancelledWith(tx, moving, known, send, gone, told)
    return
  }
  const leaves = isCampaigns(send) ? moving.leaves?.(tx, known.place, send) : 'now'
  if (leaves === 'never') {
    take(tx, moving, known, send, { on: 'cancelled', at, detail: 'The campaign is over.' }, told)
    return
  }
  if (leaves === 'whenResumed') {
    const { dueAt: _rung, ...resting } = send
    keepSend(tx, homeOf(known.place), resting, send)
    return
  }
  const origin: GuardedOrigin = send.followUpOf === undefined ? send.origin : 'followUp'
  const person = origin === 'named' ? undefined : moving.people.byId(tx, known.place, send.personId)
  const held = person && guard(origin, factsOf(tx, moving, known, send, person, at))
  if (held?.kind === 'wait') {
    const isRetry = send.nextAttemptAt !== undefined
    const waiting = { ...send, dueAt: held.until, ...(isRetry && { nextAttemptAt: held.until }) }
    keepSend(tx, homeOf(known.place), waiting, send)
  } else if (held?.kind === 'skip') {
    const begun = take(tx, moving, known, send, { on: 'pickedUp', at }, told)
    if (begun) take(tx, moving, known, begun, { on: 'notAttempted', reason: held.reason, at }, told)
  } else begin(tx, moving, known, send, told)
}

/** The conversation has the last word on a STOP and on whether somebody is just talking, so neither is asked here. */
function factsOf(tx: Tx, { timeScale }: Moving, known: Known, send: KeptSend, person: Person, at: number): Facts {
  const { safeHours, minTouchIntervalHours } = sendingOf(tx, homeOf(known.place))
  return {
    at,
    consent: person.consent.status,
    isOptedOut: false,
    ...(safeHours && { safeHours }),
    ...(send.ignoresSafeHours && { ignoresSafeHours: true }),
    ...(send.sendWindow && { sendWindow: send.sendWindow }),
    isMarketing: outreachIn(known.document, send.outreachId)?.class === 'marketing',
    marketingAt: person.outreach?.marketingAt,
    isMarketingUnderWay: isMarketingUnderWay(tx, homeOf(known.place), send.personId, send.id),
    minTouchIntervalHours,
    timeScale,
  }
}

/** Silence is followed up once. Whoever answered, said no or is no longer there hears nothing more of it. */
function followUp(tx: Tx, moving: Moving, known: Known, send: KeptSend, told: Told): void {
  const home = homeOf(known.place)
  const { followUpAt: _due, ...rest } = send
  // Whatever window the opening had to keep to, its follow-up waits for safe hours alone.
  const { sendWindow: _ofOpening, ...plain } = send
  const person = moving.people.byId(tx, known.place, send.personId)
  const outreach = outreachIn(known.document, send.outreachId)
  const isWanted = send.respondedAt === undefined && outreach?.enabled && outreach.followUp && !goneOf(tx, home, send)
  const origin: GuardedOrigin = 'followUp'
  const held = isWanted && person ? guard(origin, factsOf(tx, moving, known, plain, person, told.at)) : undefined
  if (held?.kind === 'wait') {
    keepSend(tx, home, { ...send, followUpAt: held.until }, send)
    return
  }
  keepSend(tx, home, rest, send)
  if (isWanted && person && !held) begin(tx, moving, known, madeAfter(tx, home, send, told), told)
}

function madeAfter(tx: Tx, home: Home, send: KeptSend, told: Told): KeptSend {
  const { outreachId, origin, campaignId, automatedOutreachId, personId, asid, channel, address, inputs } = send
  const made: KeptSend = {
    id: sendIdAt(told.at, told.mint('sd')),
    outreachId,
    origin,
    ...(campaignId !== undefined && { campaignId }),
    ...(automatedOutreachId !== undefined && { automatedOutreachId }),
    personId,
    state: 'queued',
    asid,
    channel,
    address,
    queuedAt: told.at,
    attempts: 0,
    ...(inputs && { inputs }),
    followUpOf: send.id,
  }
  keepSend(tx, home, made)
  return made
}

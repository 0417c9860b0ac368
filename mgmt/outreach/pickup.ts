/** Picks up what is due in an agent's queue: openings that go out, openings that wait on, and follow-ups that are made. */
import { type AgentIncarnation, type AgentScope, scopeOf } from '../../core/agent/scope.js'
import { outreachSend as limits } from '../../core/limits.js'
import { type Facts, type GuardedOrigin, guard } from '../../core/outreach/guardrails.js'
import { outreachIn } from '../../core/outreach/judge.js'
import { sendIdAt } from '../../core/outreach/sendid.js'
import type { Person } from '../../core/people/person.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type Known, sameAgent } from './admission.js'
import { isMarketingUnderWay } from './marketing.js'
import { type KeptSend, keepSend, queueTable, sendAt, sendingOf, timerTable } from './store.js'
import { begin, isCampaigns, type SendDeps, scheduleTimers, take } from './transitions.js'
import { cancelWithdrawn, goneOf } from './withdrawal.js'

/** Answers how many were due. */
export function pickUp(tx: Tx, deps: SendDeps, known: Known, told: Told): number {
  const scope = scopeOf(known.place)
  const rows = [...tx.range(queueTable, { prefix: scope, limit: limits.rowsPerPickup })]
  const due = rows.filter(({ key: [, , , dueAt] }) => dueAt <= told.at)
  for (const { key, value } of due) {
    const send = sendAt(tx, scope, key[4])
    if (!send) tx.remove(queueTable, key)
    else if (value === 'send') pickUpSend(tx, deps, known, send, told)
    else followUp(tx, deps, known, send, told)
  }
  const [next] = [...tx.range(queueTable, { prefix: scope, limit: 1 })]
  const { pickupAt: _fired, ...timers } = tx.get(timerTable, scope) ?? {}
  tx.put(timerTable, scope, timers)
  if (next) scheduleTimers(tx, known.place, timers, { pickupAt: Math.max(next.key[3], told.at) })
  return due.length
}

/** Guardrails are asked again where they may have changed since: a person's no, hours that closed, a cap just reached. */
function pickUpSend(tx: Tx, deps: SendDeps, known: Known, send: KeptSend, told: Told): void {
  const { at } = told
  const gone = goneOf(tx, scopeOf(known.place), send)
  if (gone) {
    cancelWithdrawn(tx, deps, known, send, gone, told)
    return
  }
  const leaves = send.campaignId === undefined ? 'now' : deps.listeners.campaigns?.mayLeave(tx, known.place, send)
  if (leaves === 'never') {
    take(tx, deps, known, send, { on: 'cancelled', at, detail: 'The campaign is over.' }, told)
    return
  }
  if (leaves === 'whenResumed') {
    const { dueAt: _fired, ...resting } = send
    keepSend(tx, scopeOf(known.place), resting, send)
    if (!isCampaigns(send)) deps.listeners.campaigns?.noteResting(tx, known.place, send)
    return
  }
  const origin = originOf(send)
  const person = origin === 'named' ? undefined : deps.people.byId(tx, known.place, send.personId)
  const held = person && guarded(origin, tx, deps, known, send, person, at)
  if (held?.kind === 'wait') {
    const isRetry = send.nextAttemptAt !== undefined
    const waiting = { ...send, dueAt: held.until, ...(isRetry && { nextAttemptAt: held.until }) }
    keepSend(tx, scopeOf(known.place), waiting, send)
  } else if (held?.kind === 'skip') {
    const begun = take(tx, deps, known, send, { on: 'pickedUp', at }, told)
    if (begun) take(tx, deps, known, begun, { on: 'notAttempted', reason: held.reason, at }, told)
  } else begin(tx, deps, known, send, told)
}

/**
 * Whether a send that was picked up may be handed to its provider, by what the agent's shard knows: its outreach, person or
 * hours may have changed while its message waited. Whatever this refuses, the next pickup decides about. The cap is not asked
 * again, since this send counted for it before any that was made meanwhile.
 */
export function mayBeHandedOver(
  reader: Reader,
  deps: SendDeps,
  place: AgentIncarnation,
  sendId: string,
  at: number,
): boolean {
  const known = sameAgent(deps, reader, place)
  const send = known && sendAt(reader, scopeOf(place), sendId)
  if (!send || !outreachIn(known.document, send.outreachId)?.enabled) return false
  const person = deps.people.byId(reader, place, send.personId)
  if (!person?.identities.some(({ asid }) => asid === send.asid)) return false
  return guard(originOf(send), factsOf(reader, deps, place, send, person, at, uncapped)) === undefined
}

function originOf(send: KeptSend): GuardedOrigin {
  return send.followUpOf === undefined ? send.origin : 'followUp'
}

type OfCap = Pick<Facts, 'isMarketing' | 'marketingAt' | 'isMarketingUnderWay'>
const uncapped: OfCap = { isMarketing: false }

function guarded(
  origin: GuardedOrigin,
  reader: Reader,
  deps: SendDeps,
  { place, document }: Known,
  send: KeptSend,
  person: Person,
  at: number,
) {
  const cap: OfCap = {
    isMarketing: outreachIn(document, send.outreachId)?.class === 'marketing',
    marketingAt: person.outreach?.marketingAt,
    isMarketingUnderWay: isMarketingUnderWay(reader, scopeOf(place), person, send.id),
  }
  return guard(origin, factsOf(reader, deps, place, send, person, at, cap))
}

/**
 * The conversation has the last word on a STOP and on whether somebody is just talking, so neither is asked here. Written
 * out: this is asked for every message of a campaign, see decision 082.
 */
function factsOf(
  reader: Reader,
  { timeScale }: Pick<SendDeps, 'timeScale'>,
  place: AgentIncarnation,
  { sendWindow, ignoresSafeHours }: KeptSend,
  { consent }: Person,
  at: number,
  { isMarketing, marketingAt, isMarketingUnderWay }: OfCap,
): Facts {
  const { safeHours, minTouchIntervalHours } = sendingOf(reader, scopeOf(place))
  return {
    at,
    consent: consent.status,
    isOptedOut: false,
    safeHours,
    sendWindow,
    ignoresSafeHours,
    isMarketing,
    marketingAt,
    isMarketingUnderWay,
    minTouchIntervalHours,
    timeScale,
  }
}

/** Silence is followed up once. Whoever answered, said no or is no longer there hears nothing more of it. */
function followUp(tx: Tx, deps: SendDeps, known: Known, send: KeptSend, told: Told): void {
  const scope = scopeOf(known.place)
  const { followUpAt: _due, isFollowUpHeld: _held, ...rest } = send
  // Whatever window the opening had to keep to, its follow-up waits for safe hours alone.
  const { sendWindow: _ofOpening, ...plain } = send
  const person = deps.people.byId(tx, known.place, send.personId)
  const outreach = outreachIn(known.document, send.outreachId)
  const { campaignId } = send
  const leaves = campaignId && deps.listeners.campaigns?.mayLeave(tx, known.place, { campaignId, followUpOf: send.id })
  const isMeant = send.respondedAt === undefined && leaves !== 'never' && !goneOf(tx, scope, send)
  const isWanted = isMeant && outreach?.enabled && outreach.followUp
  if (isWanted && leaves === 'whenResumed') {
    keepSend(tx, scope, { ...rest, isFollowUpHeld: true }, send)
    deps.listeners.campaigns?.noteResting(tx, known.place, send)
    return
  }
  const held = isWanted && person ? guarded('followUp', tx, deps, known, plain, person, told.at) : undefined
  if (held?.kind === 'wait') {
    keepSend(tx, scope, { ...send, followUpAt: held.until }, send)
    return
  }
  keepSend(tx, scope, rest, send)
  if (isWanted && person && !held) begin(tx, deps, known, madeAfter(tx, scope, send, told), told)
}

function madeAfter(tx: Tx, scope: AgentScope, send: KeptSend, told: Told): KeptSend {
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
  keepSend(tx, scope, made)
  return made
}

/** Picks up due rows of an agent's queue: sends an opener, defers it, or creates a follow-up. */
import { type AgentIncarnation, type AgentScope, scopeOf } from '../../core/agent/scope.js'
import { outreachSend as limits } from '../../core/limits/index.js'
import { findOutreach } from '../../core/outreach/admission.js'
import { evaluateGuardrails, type GuardedOrigin, type GuardFacts } from '../../core/outreach/guardrails.js'
import { sendIdAt } from '../../core/outreach/ids.js'
import type { Person } from '../../core/people/person.js'
import type { CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type AgentSnapshot, loadIncarnation } from './admission.js'
import { isMarketingUnderWay } from './marketing.js'
import { cancelWithdrawn, withdrawnOf } from './outreachdeletion.js'
import { queueTable, type StoredSend, saveSend, sendAt, sendingOf, timerTable } from './store.js'
import { isCampaignSend, type SendDeps, scheduleTimers, startAttempt, transition } from './transitions.js'

/** Returns how many rows were due. */
export function pickUp(tx: Tx, deps: SendDeps, snapshot: AgentSnapshot, meta: CommandMeta): number {
  const scope = scopeOf(snapshot.agentRef)
  const rows = [...tx.range(queueTable, { prefix: scope, limit: limits.rowsPerPickup })]
  const due = rows.filter(({ key: [, , , dueAt] }) => dueAt <= meta.at)
  for (const { key, value } of due) {
    const send = sendAt(tx, scope, key[4])
    if (!send) tx.remove(queueTable, key)
    else if (value === 'send') pickUpSend(tx, deps, snapshot, send, meta)
    else followUp(tx, deps, snapshot, send, meta)
  }
  const [next] = [...tx.range(queueTable, { prefix: scope, limit: 1 })]
  const { pickupAt: _fired, ...timers } = tx.get(timerTable, scope) ?? {}
  tx.put(timerTable, scope, timers)
  if (next) scheduleTimers(tx, snapshot.agentRef, timers, { pickupAt: Math.max(next.key[3], meta.at) })
  return due.length
}

/** Checks those guardrails again that may have changed since admission: consent, safe hours, frequency cap. */
function pickUpSend(tx: Tx, deps: SendDeps, snapshot: AgentSnapshot, send: StoredSend, meta: CommandMeta): void {
  const { at } = meta
  const withdrawn = withdrawnOf(tx, scopeOf(snapshot.agentRef), send)
  if (withdrawn) {
    cancelWithdrawn(tx, deps, snapshot, send, withdrawn, meta)
    return
  }
  const dispatch =
    send.campaignId === undefined ? 'now' : deps.listeners.campaigns?.mayDispatch(tx, snapshot.agentRef, send)
  if (dispatch === 'never') {
    transition(tx, deps, snapshot, send, { on: 'cancelled', at, detail: 'The campaign is over.' }, meta)
    return
  }
  if (dispatch === 'whenResumed') {
    const { dueAt: _fired, ...deferred } = send
    saveSend(tx, scopeOf(snapshot.agentRef), deferred, send)
    if (!isCampaignSend(send)) deps.listeners.campaigns?.recordWaiting(tx, snapshot.agentRef, send)
    return
  }
  const origin = originOf(send)
  const person = origin === 'named' ? undefined : deps.people.byId(tx, snapshot.agentRef, send.personId)
  const finding = person && checkGuardrails(origin, tx, deps, snapshot, send, person, at)
  if (finding?.kind === 'wait') {
    const isRetry = send.nextAttemptAt !== undefined
    const waiting = { ...send, dueAt: finding.until, ...(isRetry && { nextAttemptAt: finding.until }) }
    saveSend(tx, scopeOf(snapshot.agentRef), waiting, send)
  } else if (finding?.kind === 'skip') {
    const started = transition(tx, deps, snapshot, send, { on: 'pickedUp', at }, meta)
    if (started) transition(tx, deps, snapshot, started, { on: 'notAttempted', reason: finding.reason, at }, meta)
  } else startAttempt(tx, deps, snapshot, send, meta)
}

/**
 * May a send that was picked up leave for its provider, by the state of the agent's shard? Its outreach, person or
 * hours may have changed while its message waited. The next pickup decides about a send that this refuses. The cap is
 * not checked again, since this send counted before any later one.
 */
export function mayDispatch(
  reader: Reader,
  deps: SendDeps,
  agent: AgentIncarnation,
  sendId: string,
  at: number,
): boolean {
  const snapshot = loadIncarnation(deps, reader, agent)
  const send = snapshot && sendAt(reader, scopeOf(agent), sendId)
  if (!send || !findOutreach(snapshot.document, send.outreachId)?.enabled) return false
  const person = deps.people.byId(reader, agent, send.personId)
  if (!person?.identities.some(({ asid }) => asid === send.asid)) return false
  return evaluateGuardrails(originOf(send), factsOf(reader, deps, agent, send, person, at, uncapped)) === undefined
}

function originOf(send: StoredSend): GuardedOrigin {
  return send.followUpOf === undefined ? send.origin : 'followUp'
}

type OfCap = Pick<GuardFacts, 'isMarketing' | 'marketingAt' | 'isMarketingUnderWay'>
const uncapped: OfCap = { isMarketing: false }

function checkGuardrails(
  origin: GuardedOrigin,
  reader: Reader,
  deps: SendDeps,
  { agentRef: agent, document }: AgentSnapshot,
  send: StoredSend,
  person: Person,
  at: number,
) {
  const cap: OfCap = {
    isMarketing: findOutreach(document, send.outreachId)?.class === 'marketing',
    marketingAt: person.outreach?.marketingAt,
    isMarketingUnderWay: isMarketingUnderWay(reader, scopeOf(agent), person, send.id),
  }
  return evaluateGuardrails(origin, factsOf(reader, deps, agent, send, person, at, cap))
}

/**
 * The conversation decides about a STOP and about a person who is in a conversation, so neither is read here. The
 * members are listed one by one because this runs for every message of a campaign, see decision 082.
 */
function factsOf(
  reader: Reader,
  { timeScale }: Pick<SendDeps, 'timeScale'>,
  agent: AgentIncarnation,
  { sendWindow, ignoresSafeHours }: StoredSend,
  { consent }: Person,
  at: number,
  { isMarketing, marketingAt, isMarketingUnderWay }: OfCap,
): GuardFacts {
  const { safeHours, minTouchIntervalHours } = sendingOf(reader, scopeOf(agent))
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

/** Follows up once on a send without an answer. A person who answered, opted out or was removed gets no follow-up. */
function followUp(tx: Tx, deps: SendDeps, snapshot: AgentSnapshot, send: StoredSend, meta: CommandMeta): void {
  const scope = scopeOf(snapshot.agentRef)
  const { followUpAt: _due, isFollowUpHeld: _isFollowUpHeld, ...rest } = send
  // The opener's send window does not bind the follow-up, which waits for safe hours only.
  const { sendWindow: _ofOpening, ...withoutWindow } = send
  const person = deps.people.byId(tx, snapshot.agentRef, send.personId)
  const outreach = findOutreach(snapshot.document, send.outreachId)
  const { campaignId } = send
  const dispatch =
    campaignId && deps.listeners.campaigns?.mayDispatch(tx, snapshot.agentRef, { campaignId, followUpOf: send.id })
  const isMeant = send.respondedAt === undefined && dispatch !== 'never' && !withdrawnOf(tx, scope, send)
  const isDue = isMeant && outreach?.enabled && outreach.followUp
  if (isDue && dispatch === 'whenResumed') {
    saveSend(tx, scope, { ...rest, isFollowUpHeld: true }, send)
    deps.listeners.campaigns?.recordWaiting(tx, snapshot.agentRef, send)
    return
  }
  const finding =
    isDue && person ? checkGuardrails('followUp', tx, deps, snapshot, withoutWindow, person, meta.at) : undefined
  if (finding?.kind === 'wait') {
    saveSend(tx, scope, { ...send, followUpAt: finding.until }, send)
    return
  }
  saveSend(tx, scope, rest, send)
  if (isDue && person && !finding) startAttempt(tx, deps, snapshot, createFollowUp(tx, scope, send, meta), meta)
}

function createFollowUp(tx: Tx, scope: AgentScope, send: StoredSend, meta: CommandMeta): StoredSend {
  const { outreachId, origin, campaignId, automatedOutreachId, personId, asid, channel, address, inputs } = send
  const followUpSend: StoredSend = {
    id: sendIdAt(meta.at, meta.mint('sd')),
    outreachId,
    origin,
    ...(campaignId !== undefined && { campaignId }),
    ...(automatedOutreachId !== undefined && { automatedOutreachId }),
    personId,
    state: 'queued',
    asid,
    channel,
    address,
    queuedAt: meta.at,
    attempts: 0,
    ...(inputs && { inputs }),
    followUpOf: send.id,
  }
  saveSend(tx, scope, followUpSend)
  return followUpSend
}

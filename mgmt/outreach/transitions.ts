/** Transitions of sends, with their queue entries, timers, events and listeners. */

import type { AgentDocument } from '../../core/agent/index.js'
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import type { ChannelName } from '../../core/channelnames.js'
import { hour } from '../../core/durations.js'
import { outreachSend as limits } from '../../core/limits/index.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import { findOutreach } from '../../core/outreach/admission.js'
import type { Send } from '../../core/outreach/send.js'
import { applyTransition, isFinal, pickupAt, type Transition } from '../../core/outreach/statemachine.js'
import { releaseReservation } from '../../core/people/numbers.js'
import { scaledMs } from '../../core/time.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { Channels } from '../channels/index.js'
import type { AdmissionDeps, AgentSnapshot } from './admission.js'
import type { SendListeners } from './listeners.js'
import { endMarketing } from './marketing.js'
import { capabilityTable, retainedUntil, type StoredSend, saveSend, type TimerState, timerTable } from './store.js'

export interface SendDeps extends AdmissionDeps {
  /** The command that notifies the org's webhooks. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly log?: AgentLog
  readonly channels: Pick<Channels, 'throughputOf' | 'drawTimes'>
  readonly listeners: SendListeners
}

/** Writes a line of the agent's log in the same commit. */
export type AgentLog = (tx: Tx, agent: AgentRef, entry: SendLogNote, at: number) => void

export interface SendLogNote extends LogNote {
  /** Absent for a line about several sends. */
  readonly asid?: string
  readonly channel?: ChannelName
}

/** The effect of one attempt. */
export interface SendAttempt extends AgentIncarnation {
  readonly sendId: string
  readonly attempt: number
  /** The drawn leave time of a bulk send over a binding with a throttle. */
  readonly leaveAt?: number
}

export const attemptEffect = 'outreachSend'
export const pickupCommand = 'outreach.pickup'
export const sweepCommand = 'outreach.sweep'
export const rescheduleCommand = 'outreach.reschedule'

/** Adds a new send to the queue. */
export function enqueue(tx: Tx, deps: SendDeps, agent: AgentIncarnation, send: StoredSend, at: number): void {
  const { timeScale } = deps
  const dueAt = pickupAt(at, timeScale)
  saveSend(tx, scopeOf(agent), Object.assign({}, send, { dueAt }))
  const timers = tx.get(timerTable, scopeOf(agent)) ?? {}
  scheduleTimers(tx, agent, timers, { pickupAt: dueAt, sweepAt: timers.sweepAt ?? retainedUntil(at, timeScale) })
  logSend(tx, deps, agent, send, { event: 'outreach.accepted', data: { origin: send.origin } }, at)
}

/** Logs a line about one send; sandbox sends have no log. */
export function logSend(
  tx: Tx,
  { log }: SendDeps,
  agent: AgentIncarnation,
  send: Send,
  note: LogNote,
  at: number,
): void {
  if (!log || send.sandbox) return
  const { id: sendId, outreachId, asid, channel, campaignId, automatedOutreachId, followUpOf } = send
  const data: Record<string, unknown> = { sendId, outreachId }
  if (campaignId !== undefined) data.campaignId = campaignId
  if (automatedOutreachId !== undefined) data.automatedOutreachId = automatedOutreachId
  if (followUpOf !== undefined) data.followUpOf = followUpOf
  log(tx, agent, { event: note.event, asid, channel, data: Object.assign(data, note.data) }, at)
}

/** Sets those timers that must fire sooner than they are set to. */
export function scheduleTimers(
  tx: Tx,
  agent: AgentIncarnation,
  timers: TimerState,
  due: Pick<TimerState, 'pickupAt' | 'sweepAt'>,
): void {
  let next = timers
  for (const [name, command] of [
    ['pickupAt', pickupCommand],
    ['sweepAt', sweepCommand],
  ] as const) {
    const dueAt = due[name]
    if (dueAt === undefined || dueAt >= (timers[name] ?? Infinity)) continue
    const timer = { name: `${command}:${agent.incarnation}`, dueAt, command, input: agent }
    tx.schedule(command === pickupCommand ? { ...timer, onClockSetBack: rescheduleCommand } : timer)
    next = { ...next, [name]: dueAt }
  }
  if (next !== timers) tx.put(timerTable, scopeOf(agent), next)
}

/** Applies the transition if the state table has it; returns undefined otherwise. */
export function transition(
  tx: Tx,
  deps: SendDeps,
  snapshot: AgentSnapshot,
  before: StoredSend,
  step: Transition,
  meta: CommandMeta,
): StoredSend | undefined {
  const after = applyTransition(before, step, deps.timeScale)
  return after && saveTransition(tx, deps, snapshot, before, after, meta)
}

/** Saves a send after a transition or a report. */
export function saveTransition(
  tx: Tx,
  deps: SendDeps,
  snapshot: AgentSnapshot,
  before: StoredSend,
  after: StoredSend,
  meta: CommandMeta,
): StoredSend {
  const { agentRef: agent } = snapshot
  const dueAt = after.state === 'queued' ? (after.nextAttemptAt ?? after.dueAt) : undefined
  const isNewlySent = after.state === 'sent' && before.state !== 'sent'
  const followUpAt = isNewlySent ? followUpOf(deps, snapshot, after, meta.at) : after.followUpAt
  const saved = dueAt === after.dueAt && followUpAt === after.followUpAt ? after : withTimes(after, dueAt, followUpAt)
  saveSend(tx, scopeOf(agent), saved, before)
  const soonest = Math.min(dueAt ?? Infinity, followUpAt ?? Infinity)
  if (soonest < Infinity) scheduleTimers(tx, agent, tx.get(timerTable, scopeOf(agent)) ?? {}, { pickupAt: soonest })
  if (isNewlySent) recordReceived(tx, deps, snapshot, saved, meta)
  if (saved.origin === 'named' && !isFinal(before.state) && isFinal(saved.state))
    releaseIdentity(tx, deps, snapshot, saved, meta)
  if (after.state !== before.state) endMarketing(tx, scopeOf(agent), saved)
  // A send that could not be dispatched clears the cached capability, so the next send probes the number again.
  if (after.reason === 'dispatch_failed') tx.remove(capabilityTable, [...scopeOf(agent), after.asid])
  if (after.state !== before.state && !after.sandbox) {
    emitOrgEvent(tx, deps, agent, before, saved)
    if (after.state === 'suppressed') {
      const { reason, detail } = after
      const why = { reason, ...(detail !== undefined && { detail }) }
      logSend(tx, deps, agent, saved, { event: 'outreach.suppressed', data: why }, meta.at)
    }
  }
  for (const listener of deps.listeners.changed) listener(tx, agent, before, saved, meta)
  return saved
}

/** The send with its due time and its follow-up time, where it has them. */
function withTimes({ dueAt: _due, ...send }: StoredSend, dueAt?: number, followUpAt?: number): StoredSend {
  const times = { ...(dueAt !== undefined && { dueAt }), ...(followUpAt !== undefined && { followUpAt }) }
  return Object.assign({}, send, times)
}

/** A send to a recipient of a campaign. A follow-up on such a send belongs to no recipient row. */
export function isCampaignSend({ campaignId, followUpOf }: Send): boolean {
  return campaignId !== undefined && followUpOf === undefined
}

/**
 * Does the send store its message id when the conversation accepts the opener? A send of a campaign stores it with the
 * delivery report, which comes at once.
 */
export function isAcceptanceSaved(send: Send): boolean {
  return !isCampaignSend(send) || send.sandbox === true
}

/** Picks a send up: it becomes `sending`, and an effect makes the attempt. */
export function startAttempt(
  tx: Tx,
  deps: SendDeps,
  snapshot: AgentSnapshot,
  send: StoredSend,
  meta: CommandMeta,
): void {
  const started = transition(tx, deps, snapshot, send, { on: 'pickedUp', at: meta.at }, meta)
  if (!started) return
  const leaveAt = isBulk(send) ? drawLeaveTime(tx, deps, snapshot.agentRef, send, meta.at) : undefined
  const time = leaveAt === undefined ? {} : { leaveAt }
  const payload: SendAttempt = { sendId: send.id, attempt: started.attempts, ...time, ...snapshot.agentRef }
  // Ids end in random characters, so the attempts of one agent spread over as many destinations as there are
  // characters.
  tx.emit({ kind: attemptEffect, destination: `outreach:${send.id.slice(-1)}`, payload })
}

/** Sends of campaigns leave at the pace of their binding. A send to a persona costs the provider nothing. */
export function isBulk({ origin, sandbox }: Pick<StoredSend, 'origin' | 'sandbox'>): boolean {
  return origin === 'campaign' && !sandbox
}

/** The leave time of one campaign message; undefined for a binding without a throttle. */
function drawLeaveTime(
  tx: Tx,
  { channels }: SendDeps,
  { orgId, agentId }: AgentIncarnation,
  { channel }: StoredSend,
  at: number,
): number | undefined {
  const { perSecond } = channels.throughputOf(tx, { orgId, agentId }).find((pace) => pace.channel === channel) ?? {}
  if (perSecond === undefined) return undefined
  return channels.drawTimes(tx, { orgId, agentId, channel, perSecond, count: 1 }, at).leaveAt[0]
}

/** When its follow-up is due, if it has one. A follow-up has none itself. */
function followUpOf(
  { timeScale }: SendDeps,
  { document }: AgentSnapshot,
  send: StoredSend,
  at: number,
): number | undefined {
  if (send.followUpOf !== undefined || send.sandbox || send.respondedAt !== undefined) return undefined
  const waitMs = followUpWaitMs(document, send, timeScale)
  return waitMs === undefined ? undefined : at + waitMs
}

/** The wait between a send and its follow-up; undefined if its outreach has none. */
export function followUpWaitMs(document: AgentDocument, { outreachId }: Send, timeScale: number): number | undefined {
  const { followUp } = findOutreach(document, outreachId) ?? {}
  return followUp && scaledMs(followUp.afterHours * hour, timeScale)
}

/** Records on the person what was sent, for caps and for rules that do not repeat a send. */
function recordReceived(
  tx: Tx,
  { people }: SendDeps,
  { agentRef: agent, document }: AgentSnapshot,
  send: StoredSend,
  meta: CommandMeta,
): void {
  const person = people.byId(tx, agent, send.personId)
  if (!person || send.followUpOf !== undefined) return
  const { received = [], ...history } = person.outreach ?? {}
  const isMarketing = findOutreach(document, send.outreachId)?.class === 'marketing'
  const outreach = {
    received: received.includes(send.outreachId) ? received : [...received, send.outreachId],
    ...history,
    ...(isMarketing && { marketingAt: meta.at }),
  }
  if (!isMarketing && received === outreach.received) return
  people.save(tx, agent, person, Object.assign({}, person, { outreach, updatedAt: meta.at }), meta)
}

/** Removes an identity that was reserved for this send alone, after every outcome. */
function releaseIdentity(
  tx: Tx,
  { people }: SendDeps,
  { agentRef: agent }: AgentSnapshot,
  { id, personId, asid }: StoredSend,
  meta: CommandMeta,
): void {
  const before = people.byId(tx, agent, personId)
  const after = before && releaseReservation(before, { sendId: id, asid })
  if (after !== before) people.save(tx, agent, before, after!, meta)
}

function emitOrgEvent(
  tx: Tx,
  { orgEvent }: SendDeps,
  agent: AgentIncarnation,
  before: StoredSend,
  after: StoredSend,
): void {
  const { orgId, agentId } = agent
  const { id: sendId, outreachId, origin, personId, state, reason, detail } = after
  const { campaignId, automatedOutreachId, followUpOf } = after
  const data = {
    sendId,
    outreachId,
    origin,
    personId,
    from: before.state,
    state,
    ...(reason && { reason }),
    ...(detail !== undefined && { detail }),
    ...(campaignId !== undefined && { campaignId }),
    ...(automatedOutreachId !== undefined && { automatedOutreachId }),
    ...(followUpOf !== undefined && { followUpOf }),
  }
  tx.send(orgId, orgEvent, { type: 'send.state_changed', orgId, agentId, data })
}

/** Caches the rcs capability of a number for a bounded time, capable or not. */
export function saveCapability(
  tx: Tx,
  { timeScale }: SendDeps,
  agent: AgentIncarnation,
  asid: string,
  isCapable: boolean,
  at: number,
): void {
  const until = at + scaledMs(limits.capabilityMs, timeScale)
  tx.put(capabilityTable, [...scopeOf(agent), asid], { isCapable, until })
}

/** Takes a send from one state to the next, with its entries in the queue, its timers, its events and its listeners. */

import type { AgentDocument } from '../../core/agent/index.js'
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import type { ChannelName } from '../../core/channelnames.js'
import { hour } from '../../core/durations.js'
import { outreachSend as limits } from '../../core/limits.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import { outreachIn } from '../../core/outreach/judge.js'
import { isFinal, pickupAt, type Step, stepped } from '../../core/outreach/machine.js'
import type { Send } from '../../core/outreach/send.js'
import { withoutKept } from '../../core/people/numbers.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import type { Channels } from '../channels/index.js'
import type { AdmissionDeps, Known } from './admission.js'
import type { SendListeners } from './listeners.js'
import { endMarketing } from './marketing.js'
import { capableTable, type KeptSend, keepSend, keptUntil, type TimerState, timerTable } from './store.js'

export interface SendDeps extends AdmissionDeps {
  /** The command by which the org's webhooks are told. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly log?: AgentLog
  readonly channels: Pick<Channels, 'pacesOf' | 'drawTimes'>
  readonly listeners: SendListeners
}

/** Writes a line of the agent's log in the same commit. */
export type AgentLog = (tx: Tx, place: AgentPlace, line: SendLine, at: number) => void

export interface SendLine extends LogNote {
  /** Absent for a line about several sends. */
  readonly asid?: string
  readonly channel?: ChannelName
}

/** The effect that carries one attempt to whoever performs it. */
export interface SendAttempt extends AgentIncarnation {
  readonly sendId: string
  readonly attempt: number
  /** When its message may leave, for a send in bulk over a binding with a pace. */
  readonly leaveAt?: number
}

export const attemptEffect = 'outreachSend'
export const pickupCommand = 'outreach.pickup'
export const sweepCommand = 'outreach.sweep'
export const setBackCommand = 'outreach.setBack'

/** Puts a new send in the queue. */
export function enqueue(tx: Tx, deps: SendDeps, place: AgentIncarnation, send: KeptSend, at: number): void {
  const { timeScale } = deps
  const dueAt = pickupAt(at, timeScale)
  keepSend(tx, scopeOf(place), { ...send, dueAt })
  const timers = tx.get(timerTable, scopeOf(place)) ?? {}
  scheduleTimers(tx, place, timers, { pickupAt: dueAt, sweepAt: timers.sweepAt ?? keptUntil(at, timeScale) })
  logSend(tx, deps, place, send, { event: 'outreach.accepted', data: { origin: send.origin } }, at)
}

/** A line about one send; rehearsals have none. */
export function logSend(
  tx: Tx,
  { log }: SendDeps,
  place: AgentIncarnation,
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
  log(tx, place, { event: note.event, asid, channel, data: Object.assign(data, note.data) }, at)
}

/** Sets the timers that are wanted sooner than they ring. */
export function scheduleTimers(
  tx: Tx,
  place: AgentIncarnation,
  timers: TimerState,
  wanted: Pick<TimerState, 'pickupAt' | 'sweepAt'>,
): void {
  let next = timers
  for (const [name, command] of [
    ['pickupAt', pickupCommand],
    ['sweepAt', sweepCommand],
  ] as const) {
    const dueAt = wanted[name]
    if (dueAt === undefined || dueAt >= (timers[name] ?? Infinity)) continue
    const timer = { name: `${command}:${place.serial}`, dueAt, command, input: place }
    tx.schedule(command === pickupCommand ? { ...timer, whenSetBack: setBackCommand } : timer)
    next = { ...next, [name]: dueAt }
  }
  if (next !== timers) tx.put(timerTable, scopeOf(place), next)
}

/** Takes the step if the table of states has it, and does what it brings; undefined when it has not. */
export function take(
  tx: Tx,
  deps: SendDeps,
  known: Known,
  before: KeptSend,
  step: Step,
  told: Told,
): KeptSend | undefined {
  const after = stepped(before, step, deps.timeScale)
  return after && settle(tx, deps, known, before, after, told)
}

/** Keeps a send as it has become, however that came about. */
export function settle(tx: Tx, deps: SendDeps, known: Known, before: KeptSend, after: KeptSend, told: Told): KeptSend {
  const { place } = known
  const dueAt = after.state === 'queued' ? (after.nextAttemptAt ?? after.dueAt) : undefined
  const isNewlySent = after.state === 'sent' && before.state !== 'sent'
  const followUpAt = isNewlySent ? followUpOf(deps, known, after, told.at) : after.followUpAt
  const kept = dueAt === after.dueAt && followUpAt === after.followUpAt ? after : withTimes(after, dueAt, followUpAt)
  keepSend(tx, scopeOf(place), kept, before)
  const soonest = Math.min(dueAt ?? Infinity, followUpAt ?? Infinity)
  if (soonest < Infinity) scheduleTimers(tx, place, tx.get(timerTable, scopeOf(place)) ?? {}, { pickupAt: soonest })
  if (isNewlySent) remember(tx, deps, known, kept, told)
  if (kept.origin === 'named' && !isFinal(before.state) && isFinal(kept.state)) part(tx, deps, known, kept, told)
  if (after.state !== before.state) endMarketing(tx, scopeOf(place), kept)
  // A number that could not be written to is asked about afresh, whatever it was found to be.
  if (after.reason === 'dispatch_failed') tx.remove(capableTable, [...scopeOf(place), after.asid])
  if (after.state !== before.state && !after.sandbox) {
    announce(tx, deps, place, before, kept)
    if (after.state === 'suppressed') {
      const { reason, detail } = after
      const why = { reason, ...(detail !== undefined && { detail }) }
      logSend(tx, deps, place, kept, { event: 'outreach.suppressed', data: why }, told.at)
    }
  }
  for (const listener of deps.listeners.changed) listener(tx, place, before, kept, told)
  return kept
}

/** The send with when it is due and when what follows up on it is, if they are. */
function withTimes({ dueAt: _due, ...send }: KeptSend, dueAt?: number, followUpAt?: number): KeptSend {
  const times = { ...(dueAt !== undefined && { dueAt }), ...(followUpAt !== undefined && { followUpAt }) }
  return { ...send, ...times }
}

/** Made for one of its recipients; what follows up on such a send is nobody's row. */
export function isCampaigns({ campaignId, followUpOf }: Send): boolean {
  return campaignId !== undefined && followUpOf === undefined
}

/** Whether it keeps its message as soon as that is taken. One of a campaign keeps it with the news of it, which come at once. */
export function isNotedWhenTaken(send: Send): boolean {
  return !isCampaigns(send) || send.sandbox === true
}

/** Picks a send up: it is on its way, and whoever performs its attempt hears of it. */
export function begin(tx: Tx, deps: SendDeps, known: Known, send: KeptSend, told: Told): void {
  const begun = take(tx, deps, known, send, { on: 'pickedUp', at: told.at }, told)
  if (!begun) return
  const leaveAt = isInBulk(send) ? drawTime(tx, deps, known.place, send, told.at) : undefined
  const time = leaveAt === undefined ? {} : { leaveAt }
  const payload: SendAttempt = { sendId: send.id, attempt: begun.attempts, ...time, ...known.place }
  // Ids end in what was drawn, so attempts of one agent spread over as many lanes as there are characters.
  tx.effect({ kind: attemptEffect, destination: `outreach:${send.id.slice(-1)}`, payload })
}

/** Sends of campaigns leave at the pace of their binding. A persona is no load to anybody. */
export function isInBulk({ origin, sandbox }: Pick<KeptSend, 'origin' | 'sandbox'>): boolean {
  return origin === 'campaign' && !sandbox
}

/** When one message of a campaign may leave; undefined where its binding has no pace. */
function drawTime(
  tx: Tx,
  { channels }: SendDeps,
  { orgId, agentId }: AgentIncarnation,
  { channel }: KeptSend,
  at: number,
): number | undefined {
  const { perSecond } = channels.pacesOf(tx, { orgId, agentId }).find((pace) => pace.channel === channel) ?? {}
  if (perSecond === undefined) return undefined
  return channels.drawTimes(tx, { orgId, agentId, channel, perSecond, count: 1 }, at).leaveAt[0]
}

/** When its follow-up is due, if it has one: a follow-up has none itself. */
function followUpOf({ timeScale }: SendDeps, { document }: Known, send: KeptSend, at: number): number | undefined {
  if (send.followUpOf !== undefined || send.sandbox || send.respondedAt !== undefined) return undefined
  const waitMs = followUpWaitMs(document, send, timeScale)
  return waitMs === undefined ? undefined : at + waitMs
}

/** How long after a send its follow-up comes; undefined where its outreach has none. */
export function followUpWaitMs(document: AgentDocument, { outreachId }: Send, timeScale: number): number | undefined {
  const { followUp } = outreachIn(document, outreachId) ?? {}
  return followUp && Math.ceil((followUp.afterHours * hour) / timeScale)
}

/** What a person has been sent is remembered with them, for caps and for rules that send nothing twice. */
function remember(tx: Tx, { people }: SendDeps, { place, document }: Known, send: KeptSend, told: Told): void {
  const person = people.byId(tx, place, send.personId)
  if (!person || send.followUpOf !== undefined) return
  const { received = [], ...memory } = person.outreach ?? {}
  const isMarketing = outreachIn(document, send.outreachId)?.class === 'marketing'
  const outreach = {
    received: received.includes(send.outreachId) ? received : [...received, send.outreachId],
    ...memory,
    ...(isMarketing && { marketingAt: told.at }),
  }
  if (!isMarketing && received === outreach.received) return
  people.keep(tx, place, person, Object.assign({}, person, { outreach, updatedAt: told.at }), told)
}

/** An identity that was kept for the send alone goes with it, however it ends. */
function part(tx: Tx, { people }: SendDeps, { place }: Known, { id, personId, asid }: KeptSend, told: Told): void {
  const before = people.byId(tx, place, personId)
  const after = before && withoutKept(before, { sendId: id, asid })
  if (after !== before) people.keep(tx, place, before, after!, told)
}

function announce(tx: Tx, { orgEvent }: SendDeps, place: AgentIncarnation, before: KeptSend, after: KeptSend): void {
  const { orgId, agentId } = place
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
  tx.tell(orgId, orgEvent, { type: 'send.state_changed', orgId, agentId, data })
}

/** What was found out about a number holds for a while, whichever it was. */
export function rememberCapability(
  tx: Tx,
  { timeScale }: SendDeps,
  place: AgentIncarnation,
  asid: string,
  isCapable: boolean,
  at: number,
): void {
  const until = at + Math.ceil(limits.capabilityKeptMs / timeScale)
  tx.put(capableTable, [...scopeOf(place), asid], { isCapable, until })
}

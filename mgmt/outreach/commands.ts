/** Commands that change sends: accept, cancel, pick up, report attempts, report deliveries. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import type { DeliveryReport } from '../../core/conversation/deliveryreport.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { type Accepted, findOutreach, type NotAdmitted } from '../../core/outreach/admission.js'
import type { AttemptReport } from '../../core/outreach/attempt.js'
import { applyReport, deferForBinding } from '../../core/outreach/deliveryreports.js'
import { sendIdAt } from '../../core/outreach/ids.js'
import { callerKey, dayKey } from '../../core/outreach/key.js'
import { replaceSending, type SendingPolicy, type SendingSettings } from '../../core/outreach/settings.js'
import { failures } from '../../core/outreach/statemachine.js'
import { type OutreachSend, sendView } from '../../core/outreach/view.js'
import { extendReservation, numberOf, phoneNumberOf } from '../../core/people/numbers.js'
import type { Person } from '../../core/people/person.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import {
  type AgentSnapshot,
  agentNotFound,
  evaluate,
  findRecipient,
  loadAgent,
  loadIncarnation,
  type SendInput,
} from './admission.js'
import { noteMarketing } from './marketing.js'
import { pickUp } from './pickup.js'
import type { CreateResult } from './schema.js'
import {
  keyTable,
  retainedUntil,
  type StoredSend,
  saveSend,
  sendAt,
  sendOfDay,
  sendOfKey,
  settingsTable,
  timerTable,
} from './store.js'
import {
  enqueue,
  isAcceptanceSaved,
  isCampaignSend,
  logSend,
  pickupCommand,
  type SendDeps,
  saveCapability,
  saveTransition,
  scheduleTimers,
  startAttempt,
  transition,
} from './transitions.js'

export interface AgentSendRef extends AgentRef {
  readonly sendId: string
}

const notCancellable = refuse('agent.outreach.send_not_cancellable')
const notFound = refuse('resource.not_found')

export function sendCommands(deps: SendDeps) {
  const { timeScale, people } = deps

  const accept: Command<SendInput, CreateResult | NotAdmitted> = {
    name: 'outreach.accept',
    decide(tx, input, meta) {
      const snapshot = loadAgent(deps, tx, input)
      if (!snapshot) return agentNotFound
      const { request } = input
      const scope = scopeOf(snapshot.agentRef)
      const { at } = meta
      const idempotencyKey = request.idempotencyKey
      const repeat =
        idempotencyKey === undefined ? undefined : sendOfKey(tx, scope, callerKey(idempotencyKey), at, timeScale)
      if (repeat) return duplicateOf(repeat)
      const before = findRecipient(deps, tx, snapshot, input)
      const isEligible = before && (!before.sandbox || request.recipient.kind === 'persona')
      const { outreachId } = request
      const duplicate =
        idempotencyKey === undefined && isEligible && !before.sandbox
          ? sendOfDay(tx, scope, { outreachId, personIds: [before.id, ...(before.formerIds ?? [])] }, at, timeScale)
          : undefined
      if (duplicate) return duplicateOf(duplicate)
      const personId = before?.id ?? people.newId(meta)
      const admission = evaluate(deps, tx, snapshot, input, before, { at, personId })
      if (isRefusal(admission) || admission.kind !== 'accepted') return admission
      const isMarketing =
        findOutreach(snapshot.document, outreachId)?.class === 'marketing' && !admission.person.sandbox
      const send = newSend(input, admission, isMarketing, meta)
      saveRecipient(tx, snapshot, input, before, admission, send, meta)
      noteMarketing(tx, scope, send)
      const key = idempotencyKey === undefined ? dayKey(outreachId, personId, at) : callerKey(idempotencyKey)
      tx.put(keyTable, [...scope, ...key], send.id)
      if (send.sandbox) startSandboxSend(tx, snapshot, send, meta)
      else enqueue(tx, deps, snapshot.agentRef, send, at)
      return queuedResult(send, admission)
    },
  }

  /**
   * Creates or changes the recipient as the send asks. The send goes to the identity of its admission, even if the
   * person's phone is another one by then.
   */
  function saveRecipient(
    tx: Tx,
    { agentRef: agent }: AgentSnapshot,
    { phones = [] }: SendInput,
    before: Person | undefined,
    { person }: Accepted,
    { id: sendId, asid }: StoredSend,
    meta: CommandMeta,
  ): void {
    const after = extendReservation(person, { sendId, asid })
    const number = phoneNumberOf(after)
    if (!after.sandbox && number !== (before && phoneNumberOf(before))) {
      const identity = phones.find((each) => numberOf(each) === number)
      people.saveReachable(tx, agent, before, after, { identity, send: { sendId, asid } }, meta)
    } else if (after !== before) people.save(tx, agent, before, after, meta)
  }

  /** A sandbox send does not wait in the queue. */
  function startSandboxSend(tx: Tx, snapshot: AgentSnapshot, send: StoredSend, meta: CommandMeta): void {
    saveSend(tx, scopeOf(snapshot.agentRef), send)
    const timers = tx.get(timerTable, scopeOf(snapshot.agentRef)) ?? {}
    scheduleTimers(tx, snapshot.agentRef, timers, { sweepAt: timers.sweepAt ?? retainedUntil(meta.at, timeScale) })
    startAttempt(tx, deps, snapshot, send, meta)
  }

  const cancel: Command<AgentSendRef & { readonly seesAddress: boolean }, OutreachSend> = {
    name: 'outreach.cancel',
    decide(tx, { orgId, agentId, sendId, seesAddress }, meta) {
      const snapshot = loadAgent(deps, tx, { orgId, agentId })
      if (!snapshot) return agentNotFound
      const send = sendAt(tx, scopeOf(snapshot.agentRef), sendId)
      if (!send || send.sandbox) return notFound
      const cancelled = transition(tx, deps, snapshot, send, { on: 'cancelled', at: meta.at }, meta)
      return cancelled ? sendView(cancelled, seesAddress) : notCancellable
    },
  }

  /** Picks up a bounded number of due sends; a timer continues with the rest. */
  const pickup: Command<AgentIncarnation, number> = {
    name: pickupCommand,
    decide(tx, agent, meta) {
      const snapshot = loadIncarnation(deps, tx, agent)
      return snapshot ? pickUp(tx, deps, snapshot, meta) : 0
    },
  }

  const attemptReport: Command<AgentIncarnation & AttemptReport, boolean> = {
    name: 'outreach.attemptReport',
    decide(tx, { sendId, attempt, outcome, isCapable, notes, ...agent }, meta) {
      const snapshot = loadIncarnation(deps, tx, agent)
      const all = { sendId, attempt, outcome, isCapable, notes }
      return snapshot ? applyAttemptReport(tx, deps, snapshot, all, meta) : false
    },
  }

  function applyDeliveryReport(tx: Tx, snapshot: AgentSnapshot, report: DeliveryReport, meta: CommandMeta): boolean {
    const send = sendAt(tx, scopeOf(snapshot.agentRef), report.sendId)
    if (!send) return deps.listeners.unmatched.some((listener) => listener(tx, snapshot.agentRef, report))
    const after = applyReport(send, report, timeScale)
    if (after === send) return false
    saveTransition(tx, deps, snapshot, send, report.state === 'responded' ? withoutFollowUp(after) : after, meta)
    return true
  }

  /** All reports belong to one agent. */
  const deliveryReports: Command<readonly (DeliveryReport & AgentRef)[], number> = {
    name: 'outreach.deliveryReports',
    idempotent: true,
    decide(tx, all, meta) {
      const snapshot = all[0] && loadAgent(deps, tx, all[0])
      return snapshot ? all.filter((each) => applyDeliveryReport(tx, snapshot, each, meta)).length : 0
    },
  }

  const deliveryReport: Command<DeliveryReport & AgentRef, boolean> = {
    name: 'outreach.deliveryReport',
    idempotent: true,
    batch: deliveryReports,
    decide(tx, each, meta) {
      const snapshot = loadAgent(deps, tx, each)
      return snapshot ? applyDeliveryReport(tx, snapshot, each, meta) : false
    },
  }

  const setSending: Command<AgentRef & { readonly sent: SendingSettings }, SendingPolicy> = {
    name: 'outreach.setSending',
    decide(tx, { orgId, agentId, sent }) {
      const snapshot = loadAgent(deps, tx, { orgId, agentId })
      if (!snapshot) return agentNotFound
      const settings = replaceSending(sent)
      if (!isRefusal(settings)) tx.put(settingsTable, scopeOf(snapshot.agentRef), settings)
      return settings
    },
  }

  return { accept, cancel, pickup, attemptReport, deliveryReport, deliveryReports, setSending }
}

/** A person who answered gets no follow-up. */
function withoutFollowUp({ followUpAt: _due, ...rest }: StoredSend): StoredSend {
  return rest
}

/** A report on an attempt that is not under way is a repeat and changes nothing. */
export function applyAttemptReport(
  tx: Tx,
  deps: SendDeps,
  snapshot: AgentSnapshot,
  report: AttemptReport,
  meta: CommandMeta,
): boolean {
  const { sendId, attempt, outcome, isCapable } = report
  const { agentRef: agent } = snapshot
  const send = sendAt(tx, scopeOf(agent), sendId)
  if (!send) return false
  if (isCapable !== undefined) saveCapability(tx, deps, agent, send.asid, isCapable, meta.at)
  if (send.state !== 'sending' || send.attempts !== attempt) return false
  const { at } = meta
  for (const note of report.notes ?? []) logSend(tx, deps, agent, send, note, at)
  if (outcome.kind === 'accepted') {
    if (isAcceptanceSaved(send)) saveSend(tx, scopeOf(agent), { ...send, messageId: outcome.messageId }, send)
  } else if (outcome.kind === 'deferred') {
    const { until, deferredFor } = outcome
    transition(tx, deps, snapshot, send, { on: 'deferred', at, until, ...(deferredFor && { deferredFor }) }, meta)
  } else if (outcome.failure === 'bindingError' && isCampaignSend(send)) {
    transition(tx, deps, snapshot, send, deferForBinding(at, deps.timeScale, outcome.detail), meta)
  } else {
    const { on, reason } = failures[outcome.failure]
    if (outcome.failure === 'optedOut') noteOptOut(tx, deps, snapshot, send, meta)
    transition(tx, deps, snapshot, send, { on, reason, at, detail: outcome.detail }, meta)
  }
  return true
}

/** The conversation refused because of a STOP that the person's record does not show; the record gets it now. */
function noteOptOut(
  tx: Tx,
  { people }: SendDeps,
  { agentRef: agent }: AgentSnapshot,
  { personId, asid }: StoredSend,
  meta: CommandMeta,
): void {
  const before = people.byId(tx, agent, personId)
  const isStale = before?.identities.some((each) => each.asid === asid && each.optedOutAt === undefined)
  if (!before || !isStale) return
  const identities = before.identities.map((each) => (each.asid === asid ? { ...each, optedOutAt: meta.at } : each))
  people.save(tx, agent, before, { ...before, identities }, meta)
}

function newSend(input: SendInput, admission: Accepted, isMarketing: boolean, meta: CommandMeta): StoredSend {
  const { request, origin = 'named', campaignId, automatedOutreachId, ignoresSafeHours, sendWindow } = input
  const { person, identity, consent } = admission
  return {
    id: sendIdAt(meta.at, meta.mint('sd')),
    outreachId: request.outreachId,
    origin,
    ...(campaignId !== undefined && { campaignId }),
    ...(automatedOutreachId !== undefined && { automatedOutreachId }),
    personId: person.id,
    state: 'queued',
    asid: identity.asid,
    channel: identity.channel,
    address: identity.address,
    queuedAt: meta.at,
    attempts: 0,
    ...(origin === 'named' && { consent }),
    ...(request.inputs && Object.keys(request.inputs).length > 0 && { inputs: request.inputs }),
    ...(request.idempotencyKey !== undefined && { key: request.idempotencyKey }),
    ...(ignoresSafeHours && { ignoresSafeHours }),
    ...(sendWindow && { sendWindow }),
    ...(person.sandbox && { sandbox: true as const }),
    ...(isMarketing && { isMarketing }),
  }
}

function queuedResult(send: StoredSend, { unknownInputs, warning }: Accepted): CreateResult {
  const { id: sendId, personId, outreachId, asid, channel, sandbox } = send
  return {
    status: 'queued',
    sendId,
    personId,
    outreachId,
    ...(!sandbox && { asid, channel }),
    unknownInputs: [...unknownInputs],
    ...(warning !== undefined && { warning }),
  }
}

function duplicateOf({ id: sendId, personId, outreachId, asid, channel, sandbox }: StoredSend): CreateResult {
  return { status: 'duplicate', sendId, personId, outreachId, ...(!sandbox && { asid, channel }), unknownInputs: [] }
}

/** The commands that change sends: asked for, cancelled, picked up, reported on, heard of. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import type { SendNews } from '../../core/conversation/sendnews.js'
import { isRefusal, refuse } from '../../core/errors.js'
import type { AttemptReport } from '../../core/outreach/attempt.js'
import { type Accepted, outreachIn, type Postponed } from '../../core/outreach/judge.js'
import { dayKey, givenKey } from '../../core/outreach/key.js'
import { troubles } from '../../core/outreach/machine.js'
import { told as heard, heldForBinding } from '../../core/outreach/news.js'
import { sendIdAt } from '../../core/outreach/sendid.js'
import { type Sending, type SendingSettings, sendingReplaced } from '../../core/outreach/settings.js'
import { type OutreachSend, sendAsRead } from '../../core/outreach/view.js'
import { keptFor, numberOf, phoneNumberOf } from '../../core/people/numbers.js'
import type { Person } from '../../core/people/person.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import { type AskedSend, agentNotFound, consider, type Known, knownAgent, personFor, sameAgent } from './admission.js'
import { noteMarketing } from './marketing.js'
import { pickUp } from './pickup.js'
import type { CreateResult } from './schema.js'
import {
  type KeptSend,
  keepSend,
  keptUntil,
  keyTable,
  sendAt,
  sendOfDay,
  sendOfKey,
  settingsTable,
  timerTable,
} from './store.js'
import {
  begin,
  enqueue,
  isCampaigns,
  isNotedWhenTaken,
  logSend,
  pickupCommand,
  rememberCapability,
  type SendDeps,
  scheduleTimers,
  settle,
  take,
} from './transitions.js'

export interface OneSend extends AgentPlace {
  readonly sendId: string
}

const notCancellable = refuse('agent.outreach.send_not_cancellable')
const notFound = refuse('resource.not_found')

export function sendCommands(deps: SendDeps) {
  const { timeScale, people } = deps

  const accept: Command<AskedSend, CreateResult | Postponed> = {
    name: 'outreach.accept',
    decide(tx, asked, told) {
      const known = knownAgent(deps, tx, asked)
      if (!known) return agentNotFound
      const { request } = asked
      const scope = scopeOf(known.place)
      const { at } = told
      const given = request.idempotencyKey
      const repeat = given === undefined ? undefined : sendOfKey(tx, scope, givenKey(given), at, timeScale)
      if (repeat) return duplicateOf(repeat)
      const before = personFor(deps, tx, known, asked)
      const isMeant = before && (!before.sandbox || request.recipient.kind === 'persona')
      const { outreachId } = request
      const already =
        given === undefined && isMeant && !before.sandbox
          ? sendOfDay(tx, scope, { outreachId, personIds: [before.id, ...(before.formerIds ?? [])] }, at, timeScale)
          : undefined
      if (already) return duplicateOf(already)
      const personId = before?.id ?? people.newId(told)
      const verdict = consider(deps, tx, known, asked, before, { at, personId })
      if (isRefusal(verdict) || verdict.kind !== 'accepted') return verdict
      const isMarketing = outreachIn(known.document, outreachId)?.class === 'marketing' && !verdict.person.sandbox
      const send = { ...newSend(asked, verdict, told), ...(isMarketing && { isMarketing }) }
      keepRecipient(tx, known, asked, before, verdict, send, told)
      noteMarketing(tx, scope, send)
      const key = given === undefined ? dayKey(outreachId, personId, at) : givenKey(given)
      tx.put(keyTable, [...scope, ...key], send.id)
      if (send.sandbox) rehearse(tx, known, send, told)
      else enqueue(tx, deps, known.place, send, at)
      return queuedResult(send, verdict)
    },
  }

  /** The recipient as the send makes them. It goes to the identity it was accepted to, whatever their phone is then. */
  function keepRecipient(
    tx: Tx,
    { place }: Known,
    { phones = [] }: AskedSend,
    before: Person | undefined,
    { person }: Accepted,
    { id: sendId, asid }: KeptSend,
    told: Told,
  ): void {
    const after = keptFor(person, { sendId, asid })
    const number = phoneNumberOf(after)
    if (!after.sandbox && number !== (before && phoneNumberOf(before))) {
      const identity = phones.find((each) => numberOf(each) === number)
      people.keepReachable(tx, place, before, after, { identity, send: { sendId, asid } }, told)
    } else if (after !== before) people.keep(tx, place, before, after, told)
  }

  /** A rehearsal does not wait in the queue. */
  function rehearse(tx: Tx, known: Known, send: KeptSend, told: Told): void {
    keepSend(tx, scopeOf(known.place), send)
    const timers = tx.get(timerTable, scopeOf(known.place)) ?? {}
    scheduleTimers(tx, known.place, timers, { sweepAt: timers.sweepAt ?? keptUntil(told.at, timeScale) })
    begin(tx, deps, known, send, told)
  }

  const cancel: Command<OneSend & { readonly seesAddress: boolean }, OutreachSend> = {
    name: 'outreach.cancel',
    decide(tx, { orgId, agentId, sendId, seesAddress }, told) {
      const known = knownAgent(deps, tx, { orgId, agentId })
      if (!known) return agentNotFound
      const send = sendAt(tx, scopeOf(known.place), sendId)
      if (!send || send.sandbox) return notFound
      const cancelled = take(tx, deps, known, send, { on: 'cancelled', at: told.at }, told)
      return cancelled ? sendAsRead(cancelled, seesAddress) : notCancellable
    },
  }

  /** Takes what is due, a bounded number at a time, and comes back for the rest. */
  const pickup: Command<AgentIncarnation, number> = {
    name: pickupCommand,
    decide(tx, place, told) {
      const known = sameAgent(deps, tx, place)
      return known ? pickUp(tx, deps, known, told) : 0
    },
  }

  const report: Command<AgentIncarnation & AttemptReport, boolean> = {
    name: 'outreach.report',
    decide(tx, { sendId, attempt, outcome, isCapable, notes, ...place }, told) {
      const known = sameAgent(deps, tx, place)
      const all = { sendId, attempt, outcome, isCapable, notes }
      return known ? reported(tx, deps, known, all, told) : false
    },
  }

  function hear(tx: Tx, known: Known, said: SendNews, told: Told): boolean {
    const send = sendAt(tx, scopeOf(known.place), said.sendId)
    if (!send) return deps.listeners.unmatched.some((listener) => listener(tx, known.place, said))
    const after = heard(send, said, timeScale)
    if (after === send) return false
    settle(tx, deps, known, send, said.state === 'responded' ? withoutFollowUp(after) : after, told)
    return true
  }

  /** All of one agent. */
  const newsTogether: Command<readonly (SendNews & AgentPlace)[], number> = {
    name: 'outreach.newsTogether',
    isRepeatable: true,
    decide(tx, all, told) {
      const known = all[0] && knownAgent(deps, tx, all[0])
      return known ? all.filter((each) => hear(tx, known, each, told)).length : 0
    },
  }

  const news: Command<SendNews & AgentPlace, boolean> = {
    name: 'outreach.news',
    isRepeatable: true,
    together: newsTogether,
    decide(tx, each, told) {
      const known = knownAgent(deps, tx, each)
      return known ? hear(tx, known, each, told) : false
    },
  }

  const setSending: Command<AgentPlace & { readonly sent: SendingSettings }, Sending> = {
    name: 'outreach.setSending',
    decide(tx, { orgId, agentId, sent }) {
      const known = knownAgent(deps, tx, { orgId, agentId })
      if (!known) return agentNotFound
      const settings = sendingReplaced(sent)
      if (!isRefusal(settings)) tx.put(settingsTable, scopeOf(known.place), settings)
      return settings
    },
  }

  return { accept, cancel, pickup, report, news, newsTogether, setSending }
}

/** Whoever answered is not asked again. */
function withoutFollowUp({ followUpAt: _due, ...answered }: KeptSend): KeptSend {
  return answered
}

/** A report on an attempt that is no longer under way is a repeat, and changes nothing. */
export function reported(tx: Tx, deps: SendDeps, known: Known, report: AttemptReport, told: Told): boolean {
  const { sendId, attempt, outcome, isCapable } = report
  const { place } = known
  const send = sendAt(tx, scopeOf(place), sendId)
  if (!send) return false
  if (isCapable !== undefined) rememberCapability(tx, deps, place, send.asid, isCapable, told.at)
  if (send.state !== 'sending' || send.attempts !== attempt) return false
  const { at } = told
  for (const note of report.notes ?? []) logSend(tx, deps, place, send, note, at)
  if (outcome.kind === 'taken') {
    if (isNotedWhenTaken(send)) keepSend(tx, scopeOf(place), { ...send, messageId: outcome.messageId }, send)
  } else if (outcome.kind === 'held') {
    const { until, heldFor } = outcome
    take(tx, deps, known, send, { on: 'held', at, until, ...(heldFor && { heldFor }) }, told)
  } else if (outcome.trouble === 'bindingError' && isCampaigns(send)) {
    take(tx, deps, known, send, heldForBinding(at, deps.timeScale, outcome.detail), told)
  } else {
    const { on, reason } = troubles[outcome.trouble]
    if (outcome.trouble === 'optedOut') noteOptOut(tx, deps, known, send, told)
    take(tx, deps, known, send, { on, reason, at, detail: outcome.detail }, told)
  }
  return true
}

/** The conversation refused for a STOP that the copy on the person does not show: from now on it does. */
function noteOptOut(tx: Tx, { people }: SendDeps, { place }: Known, { personId, asid }: KeptSend, told: Told): void {
  const before = people.byId(tx, place, personId)
  const isStale = before?.identities.some((each) => each.asid === asid && each.optedOutAt === undefined)
  if (!before || !isStale) return
  const identities = before.identities.map((each) => (each.asid === asid ? { ...each, optedOutAt: told.at } : each))
  people.keep(tx, place, before, { ...before, identities }, told)
}

function newSend(asked: AskedSend, verdict: Accepted, told: Told): KeptSend {
  const { request, origin = 'named', campaignId, automatedOutreachId, ignoresSafeHours, sendWindow } = asked
  const { person, identity, consent } = verdict
  return {
    id: sendIdAt(told.at, told.mint('sd')),
    outreachId: request.outreachId,
    origin,
    ...(campaignId !== undefined && { campaignId }),
    ...(automatedOutreachId !== undefined && { automatedOutreachId }),
    personId: person.id,
    state: 'queued',
    asid: identity.asid,
    channel: identity.channel,
    address: identity.address,
    queuedAt: told.at,
    attempts: 0,
    ...(origin === 'named' && { consent }),
    ...(request.inputs && Object.keys(request.inputs).length > 0 && { inputs: request.inputs }),
    ...(request.idempotencyKey !== undefined && { key: request.idempotencyKey }),
    ...(ignoresSafeHours && { ignoresSafeHours }),
    ...(sendWindow && { sendWindow }),
    ...(person.sandbox && { sandbox: true as const }),
  }
}

function queuedResult(send: KeptSend, { unknownInputs, warning }: Accepted): CreateResult {
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

function duplicateOf({ id: sendId, personId, outreachId, asid, channel, sandbox }: KeptSend): CreateResult {
  return { status: 'duplicate', sendId, personId, outreachId, ...(!sandbox && { asid, channel }), unknownInputs: [] }
}

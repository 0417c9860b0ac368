/** Performs the attempts of sends: looks once more whether it may go, writes the opening, and hands it to its conversation. */

import { scopeOf } from '../../core/agent/scope.js'
import { agentKeyOf } from '../../core/agentkey.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import { isRefusal } from '../../core/errors.js'
import { outreachSend as limits } from '../../core/limits.js'
import type { AttemptFound, AttemptOutcome } from '../../core/outreach/attempt.js'
import type { OpeningFor, Probed } from '../../core/outreach/contact.js'
import { inputOf, isBlank, outreachIn, ownIn } from '../../core/outreach/judge.js'
import { mostAttempts, type TroubleName, troubleOf } from '../../core/outreach/machine.js'
import { missingSlotNotes, openerFor } from '../../core/outreach/opener.js'
import type { Performing, Shards } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type AdmissionDeps, sameAgent } from './admission.js'
import type { sendCommands } from './commands.js'
import type { OutreachConversations } from './conversations.js'
import type { SendMeters } from './meters.js'
import { capableTable, type KeptSend, sendAt } from './store.js'
import { isInBulk, isNotedWhenTaken, type SendAttempt, type SendDeps } from './transitions.js'

export interface AttemptOptions extends AdmissionDeps, Pick<SendDeps, 'listeners'> {
  readonly conversations: OutreachConversations
  readonly clock: { now(): number }
  readonly meters?: Pick<SendMeters, 'attempted'>
}

export interface WorkerOptions extends AttemptOptions {
  readonly shards: Shards
  readonly commands: Pick<ReturnType<typeof sendCommands>, 'report'>
}

/**
 * Makes one attempt. It may be made again after a crash: the conversation knows the attempt by its number and takes it
 * once. A throw leaves it owed, so nothing is decided about a send while nobody can say what became of it.
 */
export function attemptPerformer(options: WorkerOptions) {
  return async (which: SendAttempt, { reader, settles }: Performing): Promise<void> => {
    const { sendId: _id, attempt: _attempt, leaveAt: _leaveAt, ...place } = which
    const send = underWay(reader, which)
    if (!send) return
    const found = await attempted(options, reader, which, send)
    const answer = await options.shards.ask(
      agentKeyOf(place),
      options.commands.report,
      { sendId: which.sendId, attempt: which.attempt, ...place, ...found },
      { settles },
    )
    if (isRefusal(answer)) throw new Error(`the outcome of a send was not taken: ${answer.refused}`)
  }
}

/**
 * Makes attempts of campaigns, and tells what came of one; undefined for one that is not under way any more, that its
 * conversation has taken, or that it takes now: then its news say all there is to say.
 */
export function campaignAttempts(options: AttemptOptions) {
  return async (reader: Reader, which: SendAttempt): Promise<AttemptFound | undefined> => {
    const send = underWay(reader, which)
    if (!send) return undefined
    // Nothing of a campaign that stands still is handed to a conversation: the send goes back into the queue, and rests there.
    const gate = options.listeners.campaigns
    if (gate && gate.mayLeave(reader, which, send) !== 'now')
      return { outcome: { kind: 'held', until: options.clock.now() } }
    const found = await attempted(options, reader, which, send)
    const hasNews = found.outcome.kind !== 'taken' || found.isCapable !== undefined || isNotedWhenTaken(send)
    return hasNews ? found : undefined
  }
}

/** The send, if this attempt at it is to be made. */
function underWay(reader: Reader, which: SendAttempt): KeptSend | undefined {
  const send = sendAt(reader, scopeOf(which), which.sendId)
  if (send?.state !== 'sending' || send.attempts !== which.attempt) return undefined
  // A later attempt still has the message of the one before it.
  return which.attempt === 1 && send.messageId !== undefined ? undefined : send
}

async function attempted(
  options: AttemptOptions,
  reader: Reader,
  which: SendAttempt,
  send: KeptSend,
): Promise<AttemptFound> {
  const found = await tried(options, reader, which, send)
  options.meters?.attempted(found.outcome)
  return found
}

async function tried(
  options: AttemptOptions,
  reader: Reader,
  which: SendAttempt,
  send: KeptSend,
): Promise<AttemptFound> {
  const { conversations, clock } = options
  const opening = openingOf(options, reader, which, send)
  if ('outcome' in opening) return opening
  const known = send.sandbox ? undefined : reader.get(capableTable, [...scopeOf(which), send.asid])
  const isKnown = send.sandbox || (known !== undefined && known.until > clock.now())
  if (isKnown && known?.isCapable === false) return trouble('knownIncapable')
  const probed = isKnown ? 'capable' : await conversations.probe(opening.place, send.channel, send.address)
  const stopped = troubleOfProbe[probed]
  const isCapable = probed !== 'incapable'
  const isLearned = !isKnown && (probed === 'capable' || probed === 'incapable')
  const checked: readonly LogNote[] = isLearned ? [{ event: 'capability.checked', data: { isCapable } }] : []
  const learned = isLearned ? { isCapable } : {}
  if (stopped) return { ...trouble(stopped), ...learned, notes: checked }
  const notes = [...checked, ...(opening.notes ?? [])]
  const outcome = await handedOver(conversations, { ...opening, notes })
  return { outcome, ...learned, ...(outcome.kind !== 'taken' && { notes: checked }) }
}

const troubleOfProbe: Readonly<Partial<Record<Probed, TroubleName>>> = {
  incapable: 'foundIncapable',
  unknown: 'capabilityUnknown',
  noRoute: 'noRoute',
  bindingError: 'bindingError',
}

function trouble(name: TroubleName, detail?: string): { outcome: Extract<AttemptOutcome, { kind: 'trouble' }> } {
  return { outcome: { kind: 'trouble', trouble: name, ...(detail !== undefined && { detail }) } }
}

/** The opening as it is handed over, or why there is none to hand over. */
function openingOf(
  options: AttemptOptions,
  reader: Reader,
  { sendId, attempt, leaveAt, ...scope }: SendAttempt,
  send: KeptSend,
): OpeningFor | AttemptFound {
  const place = { orgId: scope.orgId, agentId: scope.agentId }
  const known = sameAgent(options, reader, scope)
  const outreach = known && outreachIn(known.document, send.outreachId)
  const templateId = send.followUpOf === undefined ? outreach?.openerTemplateId : outreach?.followUp?.templateId
  if (!known || !outreach?.enabled || templateId === undefined) return trouble('outreachGone')
  const person = options.people.byId(reader, place, send.personId)
  if (!person?.identities.some(({ asid }) => asid === send.asid)) return trouble('identityGone')
  const missing = outreach.inputs.filter((key) => isBlank(ownIn(send.inputs, key)) && isBlank(inputOf(person, key)))
  if (missing.length > 0) return trouble('inputsMissing', `Missing: ${missing.join(', ')}`)
  const { document, agent } = known
  const opener = openerFor({ document, agent, templateId, person, ...(send.inputs && { inputs: send.inputs }) })
  const notes = missingSlotNotes(templateId, opener)
  if ('blocked' in opener) return { ...trouble('openingBlocked', opener.blocked), notes }
  return {
    place,
    sendId,
    attempt,
    isLast: attempt >= mostAttempts,
    asid: send.asid,
    channel: send.channel,
    address: send.address,
    message: opener.message,
    notes,
    ...(isInBulk(send) && { isBatch: true as const }),
    ...(leaveAt !== undefined && { leaveAt }),
    // A rehearsal interrupts nobody.
    ...(send.origin !== 'named' && !send.sandbox && send.followUpOf === undefined && { quietMs: limits.quietMs }),
    ...(!send.sandbox && campaignOf(send, scope.serial)),
    ...(send.sandbox && { sandbox: true as const }),
  }
}

/** The campaign that is asked right before the message leaves. */
function campaignOf({ campaignId, followUpOf }: KeptSend, serial: number): Pick<OpeningFor, 'campaign'> {
  if (campaignId === undefined) return {}
  return { campaign: { serial, campaignId, ...(followUpOf !== undefined && { isFollowUp: true as const }) } }
}

async function handedOver(conversations: OutreachConversations, opening: OpeningFor): Promise<AttemptOutcome> {
  const answer = await conversations.open(opening)
  if (isRefusal(answer)) {
    // Whoever was asked may have taken it: only asking again under the same number tells.
    if (answer.detail !== undefined) throw new Error('nobody can say whether an opening was taken')
    return trouble('unreachable').outcome
  }
  if ('messageId' in answer) return { kind: 'taken', messageId: answer.messageId }
  if ('talkingUntil' in answer) return { kind: 'held', until: answer.talkingUntil, heldFor: 'in-conversation' }
  return trouble(troubleOf(answer.reason, answer.again), answer.detail ?? answer.reason).outcome
}

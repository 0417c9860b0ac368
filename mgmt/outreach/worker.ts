/** Effect handler of send attempts: checks the send again, renders the opener, and sends it to its conversation. */

import { scopeOf } from '../../core/agent/scope.js'
import { formatAgentKey } from '../../core/agentref.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import { isRefusal } from '../../core/errors.js'
import { outreachSend as limits } from '../../core/limits/index.js'
import { findOutreach, inputOf, isBlank, ownValue } from '../../core/outreach/admission.js'
import type { AttemptOutcome, AttemptResult } from '../../core/outreach/attempt.js'
import { missingSlotNotes, renderOpener } from '../../core/outreach/opener.js'
import type { OpenRequest, Reachability } from '../../core/outreach/port.js'
import { type FailureName, failureOf, maxAttempts } from '../../core/outreach/statemachine.js'
import type { EffectContext, Shards } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type AdmissionDeps, loadIncarnation } from './admission.js'
import type { sendCommands } from './commands.js'
import type { OutreachConversations } from './conversations.js'
import type { SendMetrics } from './metrics.js'
import { capabilityTable, type StoredSend, sendAt } from './store.js'
import { isAcceptanceSaved, isBulk, type SendAttempt, type SendDeps } from './transitions.js'

export interface AttemptOptions extends AdmissionDeps, Pick<SendDeps, 'listeners'> {
  readonly conversations: OutreachConversations
  readonly clock: { now(): number }
  readonly sendMetrics?: Pick<SendMetrics, 'countAttempt'>
}

export interface WorkerOptions extends AttemptOptions {
  readonly shards: Shards
  readonly commands: Pick<ReturnType<typeof sendCommands>, 'attemptReport'>
}

/**
 * Makes one attempt. It may run again after a crash: the conversation knows the attempt by its number and accepts it
 * once. If it throws, the effect stays in the outbox, so a send is not decided while the outcome is unknown.
 */
export function createAttemptHandler(options: WorkerOptions) {
  return async (sendAttempt: SendAttempt, { reader, completes }: EffectContext): Promise<void> => {
    const { sendId: _id, attempt: _attempt, leaveAt: _leaveAt, ...agent } = sendAttempt
    const send = findAttempt(reader, sendAttempt)
    if (!send) return
    const result = await runAttempt(options, reader, sendAttempt, send)
    const answer = await options.shards.execute(
      formatAgentKey(agent),
      options.commands.attemptReport,
      { sendId: sendAttempt.sendId, attempt: sendAttempt.attempt, ...agent, ...result },
      { completes },
    )
    if (isRefusal(answer)) throw new Error(`the outcome of a send was not taken: ${answer.refused}`)
  }
}

/**
 * Makes attempts of campaigns and returns the result. Undefined for a send that is no longer under way, or that its
 * conversation has accepted, now or earlier: then its delivery report brings everything.
 */
export function createCampaignAttempt(options: AttemptOptions) {
  return async (reader: Reader, sendAttempt: SendAttempt, isRepeat: boolean): Promise<AttemptResult | undefined> => {
    const send = findAttempt(reader, sendAttempt)
    if (!send) return undefined
    // A paused campaign hands nothing to a conversation: the send goes back into the queue and waits there. On a repeat
    // the conversation may have the opener already, so it is asked, and its message is withheld before it leaves.
    const gate = options.listeners.campaigns
    if (gate && !isRepeat && gate.mayDispatch(reader, sendAttempt, send) !== 'now')
      return { outcome: { kind: 'deferred', until: options.clock.now() } }
    const result = await runAttempt(options, reader, sendAttempt, send)
    const isReportable = result.outcome.kind !== 'accepted' || result.isCapable !== undefined || isAcceptanceSaved(send)
    return isReportable ? result : undefined
  }
}

/** The send, if this attempt is due. */
function findAttempt(reader: Reader, sendAttempt: SendAttempt): StoredSend | undefined {
  const send = sendAt(reader, scopeOf(sendAttempt), sendAttempt.sendId)
  if (send?.state !== 'sending' || send.attempts !== sendAttempt.attempt) return undefined
  // From the second attempt on, the send still has the message id of the previous attempt.
  return sendAttempt.attempt === 1 && send.messageId !== undefined ? undefined : send
}

async function runAttempt(
  options: AttemptOptions,
  reader: Reader,
  sendAttempt: SendAttempt,
  send: StoredSend,
): Promise<AttemptResult> {
  const result = await attemptSend(options, reader, sendAttempt, send)
  options.sendMetrics?.countAttempt(result.outcome)
  return result
}

async function attemptSend(
  options: AttemptOptions,
  reader: Reader,
  sendAttempt: SendAttempt,
  send: StoredSend,
): Promise<AttemptResult> {
  const { conversations, clock } = options
  const request = openRequestOf(options, reader, sendAttempt, send)
  if ('outcome' in request) return request
  const capability = send.sandbox ? undefined : reader.get(capabilityTable, [...scopeOf(sendAttempt), send.asid])
  const isKnown = send.sandbox || (capability !== undefined && capability.until > clock.now())
  if (isKnown && capability?.isCapable === false) return failure('cachedIncapable')
  const probed = isKnown ? 'capable' : await conversations.probe(request.agent, send.channel, send.address)
  const probeFailure = failureOfProbe[probed]
  const isCapable = probed !== 'incapable'
  const isLearned = !isKnown && (probed === 'capable' || probed === 'incapable')
  const checked: readonly LogNote[] = isLearned ? [{ event: 'capability.checked', data: { isCapable } }] : []
  const learned = isLearned ? { isCapable } : {}
  if (probeFailure) return { ...failure(probeFailure), ...learned, notes: checked }
  const notes = [...checked, ...(request.notes ?? [])]
  const outcome = await openConversation(conversations, { ...request, notes })
  return { outcome, ...learned, ...(outcome.kind !== 'accepted' && { notes: checked }) }
}

const failureOfProbe: Readonly<Partial<Record<Reachability, FailureName>>> = {
  incapable: 'probedIncapable',
  unknown: 'capabilityUnknown',
  noBinding: 'noBinding',
  bindingError: 'bindingError',
}

function failure(name: FailureName, detail?: string): { outcome: Extract<AttemptOutcome, { kind: 'failure' }> } {
  return { outcome: { kind: 'failure', failure: name, ...(detail !== undefined && { detail }) } }
}

/** The open request, or the failure that prevents it. */
function openRequestOf(
  options: AttemptOptions,
  reader: Reader,
  { sendId, attempt, leaveAt, ...scope }: SendAttempt,
  send: StoredSend,
): OpenRequest | AttemptResult {
  const agentRef = { orgId: scope.orgId, agentId: scope.agentId }
  const snapshot = loadIncarnation(options, reader, scope)
  const outreach = snapshot && findOutreach(snapshot.document, send.outreachId)
  const templateId = send.followUpOf === undefined ? outreach?.openerTemplateId : outreach?.followUp?.templateId
  if (!snapshot || !outreach?.enabled || templateId === undefined) return failure('outreachRemoved')
  const person = options.people.byId(reader, agentRef, send.personId)
  if (!person?.identities.some(({ asid }) => asid === send.asid)) return failure('identityRemoved')
  const missing = outreach.inputs.filter((key) => isBlank(ownValue(send.inputs, key)) && isBlank(inputOf(person, key)))
  if (missing.length > 0) return failure('inputsMissing', `Missing: ${missing.join(', ')}`)
  const { document, agent } = snapshot
  const opener = renderOpener({ document, agent, templateId, person, ...(send.inputs && { inputs: send.inputs }) })
  const notes = missingSlotNotes(templateId, opener)
  if ('blocked' in opener) return { ...failure('openerBlocked', opener.blocked), notes }
  return {
    agent: agentRef,
    sendId,
    attempt,
    isLast: attempt >= maxAttempts,
    asid: send.asid,
    channel: send.channel,
    address: send.address,
    message: opener.message,
    start: { kind: 'outreach', playbookId: outreach.playbookId, outreachId: outreach.id },
    notes,
    ...(isBulk(send) && { isBatch: true as const }),
    ...(leaveAt !== undefined && { leaveAt }),
    // A sandbox send has no quiet period, since it interrupts no real person.
    ...(send.origin !== 'named' && !send.sandbox && send.followUpOf === undefined && { quietMs: limits.quietMs }),
    ...(!send.sandbox && campaignOf(send, scope.incarnation)),
    ...(send.sandbox && { sandbox: true as const }),
  }
}

/** The campaign whose state is checked right before the message leaves. */
function campaignOf({ campaignId, followUpOf }: StoredSend, incarnation: number): Pick<OpenRequest, 'campaign'> {
  if (campaignId === undefined) return {}
  return { campaign: { incarnation, campaignId, ...(followUpOf !== undefined && { isFollowUp: true as const }) } }
}

async function openConversation(conversations: OutreachConversations, request: OpenRequest): Promise<AttemptOutcome> {
  const answer = await conversations.open(request)
  if (isRefusal(answer)) {
    // The conversation may have accepted the opening; only a repeat with the same attempt number shows it.
    if (answer.detail !== undefined) throw new Error('it is unknown whether the conversation accepted an opener')
    return failure('unreachable').outcome
  }
  if ('messageId' in answer) return { kind: 'accepted', messageId: answer.messageId }
  if ('inConversationUntil' in answer)
    return { kind: 'deferred', until: answer.inConversationUntil, deferredFor: 'in-conversation' }
  return failure(failureOf(answer.reason, answer.retry), answer.detail ?? answer.reason).outcome
}

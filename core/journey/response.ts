/** What a journey is answered: every outcome of business is a success with the same members, always all of them. */
import type { Refusal } from '../errors.js'
import { finalStates, type Send } from '../outreach/send.js'
import type { JourneyKey } from './key.js'
import { malformedRequest } from './request.js'

export const outcomes = ['queued', 'duplicate', 'skipped', 'refused'] as const
export type JourneyOutcome = (typeof outcomes)[number]

export interface JourneyResponse {
  readonly outcome: JourneyOutcome
  readonly reason: string
  readonly detail: string
  readonly sendId: string
  readonly personId: string
  readonly unknownInputs: readonly string[]
  readonly idempotency: JourneyKey['idempotency']
}

/** What the send route says of one that it took, or would have. */
export interface SendResult {
  readonly status: 'queued' | 'duplicate' | 'skipped'
  readonly sendId?: string
  readonly personId?: string
  readonly unknownInputs: readonly string[]
}

/** Refusals of a send that are a journey's business, and what it reads. */
export const refusedReasons = {
  'agent.outreach.opted_out': 'opted_out',
  'agent.outreach.consent_declined': 'declined',
  'agent.outreach.consent_denied': 'consent_denied',
  'agent.outreach.missing_inputs': 'missing_inputs',
} as const satisfies Partial<Record<Refusal['refused'], string>>

/** Refusals that are mistakes of the call, by the field of it that they are about, whatever a send calls that. */
const callerErrors: Partial<Record<Refusal['refused'], readonly [field: string, message: string]>> = {
  'agent.outreach.recipient_not_found': ['emulator.personaId', 'names no persona'],
  'agent.outreach.invalid_address': ['profile.phone', 'is no number of that channel'],
  'agent.outreach.channel_unavailable': ['profile.channel', 'is no channel that an outreach is sent on'],
}

export function responseOf(result: SendResult, { idempotency }: JourneyKey): JourneyResponse {
  const { status, sendId = '', personId = '', unknownInputs } = result
  return { outcome: status, reason: '', detail: '', sendId, personId, unknownInputs, idempotency }
}

/** A refusal is an answer, a mistake of the caller's, or passed on as it is. */
export function responseOfRefusal(refusal: Refusal, { idempotency }: JourneyKey): JourneyResponse | Refusal {
  const { refused, detail = '', errors = [] } = refusal
  const reason = (refusedReasons as Partial<Record<string, string>>)[refused]
  if (reason) {
    const fieldErrors = errors.map(({ field, message }) => `${field}: ${message}`).join('; ')
    return {
      outcome: 'refused',
      reason,
      detail: fieldErrors || detail,
      sendId: '',
      personId: '',
      unknownInputs: [],
      idempotency,
    }
  }
  const callerError = callerErrors[refused]
  if (callerError) return malformedRequest([{ field: callerError[0], message: callerError[1] }])
  if (refused === 'request.invalid') return { ...refusal, status: 400 }
  return refused === 'agent.outreach.not_found' ? { ...refusal, status: 404 } : refusal
}

export interface JourneyStatus {
  readonly sendId: string
  readonly state: Send['state']
  readonly reason: string
  readonly reachable: boolean
  readonly delivered: boolean
  readonly read: boolean
  readonly replied: boolean
  readonly final: boolean
  readonly nextAttemptAt: string
}

export function statusOfSend({ id, state, reason, receipts, respondedAt, nextAttemptAt }: Send): JourneyStatus {
  return {
    sendId: id,
    state,
    reason: reason ?? '',
    reachable: reason !== 'not_rcs_capable',
    delivered: receipts?.deliveredAt !== undefined || receipts?.readAt !== undefined,
    read: receipts?.readAt !== undefined,
    replied: respondedAt !== undefined,
    final: (finalStates as readonly string[]).includes(state),
    nextAttemptAt: nextAttemptAt === undefined ? '' : new Date(nextAttemptAt).toISOString(),
  }
}

/** The response to a journey: every business outcome is a success with the same members, all of them always present. */
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

/** The result of a send that was accepted, or would have been. */
export interface SendResult {
  readonly status: 'queued' | 'duplicate' | 'skipped'
  readonly sendId?: string
  readonly personId?: string
  readonly unknownInputs: readonly string[]
}

/** Refusals of a send that are business outcomes, with the reason that the journey reads. */
export const refusedReasons = {
  'agent.outreach.opted_out': 'opted_out',
  'agent.outreach.consent_declined': 'declined',
  'agent.outreach.consent_denied': 'consent_denied',
  'agent.outreach.missing_inputs': 'missing_inputs',
} as const satisfies Partial<Record<Refusal['refused'], string>>

/** Refusals that are mistakes of the call, with the field of the call that each concerns. */
const callerErrors: Partial<Record<Refusal['refused'], readonly [field: string, message: string]>> = {
  'agent.outreach.recipient_not_found': ['emulator.personaId', 'names no persona'],
  'agent.outreach.invalid_address': ['profile.phone', 'is no number of that channel'],
  'agent.outreach.channel_unavailable': ['profile.channel', 'is no channel that an outreach is sent on'],
}

export function responseOf(result: SendResult, { idempotency }: JourneyKey): JourneyResponse {
  const { status, sendId = '', personId = '', unknownInputs } = result
  return { outcome: status, reason: '', detail: '', sendId, personId, unknownInputs, idempotency }
}

/** A refusal becomes a business outcome or a mistake of the call, or is passed on unchanged. */
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

export function journeyStatusOf({ id, state, reason, receipts, respondedAt, nextAttemptAt }: Send): JourneyStatus {
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

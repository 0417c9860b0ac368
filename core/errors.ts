/**
 * The error table: every error that Parley answers, one row per code, and the refusal value that carries one to HTTP.
 */
import { agentLimits } from './limits/agent.js'
import { http } from './limits/http.js'

interface ErrorRow {
  status: number
  title: string
}

export const errorTable = {
  'auth.unauthenticated': { status: 401, title: 'The token is missing or not accepted' },
  'auth.forbidden': { status: 403, title: 'Your role does not allow this' },
  'auth.scope_missing': { status: 403, title: 'Your token lacks a scope this needs' },
  'auth.emulator_grant.forbidden': { status: 403, title: 'An emulator grant does not reach this' },
  'resource.not_found': { status: 404, title: 'Not found' },
  'agent.id_taken': { status: 409, title: 'The org has an agent of that id' },
  'agent.framework.invalid': { status: 422, title: 'The framework is always v2' },
  'agent.integrity_conflict': { status: 409, title: 'Another part of the agent still names this' },
  'agent.playbook.uses_unknown': { status: 422, title: 'A playbook uses a capability that does not exist' },
  'agent.playbook.flow_invalid': { status: 422, title: 'The flow of the playbook cannot run' },
  'goal.unknown': { status: 422, title: 'An assignment names a goal that does not exist' },
  'tool.not_found': { status: 404, title: 'There is no such tool or integration' },
  'agent.channel.taken': { status: 409, title: 'The agent has a binding of that channel' },
  'agent.channel.state_conflict': { status: 409, title: 'The status of the binding does not allow this' },
  'connection.provider_not_configured': { status: 409, title: 'The installation is not set up for that provider' },
  'connection.other_account': { status: 409, title: 'The sign-in is of another account than the connection' },
  'connection.unusable': { status: 409, title: 'The sign-in at the provider does not work any more' },
  'connection.call_failed': { status: 502, title: 'The provider did not do what was asked' },
  'agent.not_found': { status: 404, title: 'There is no such agent' },
  'agent.outreach.journey_incompatible_inputs': { status: 422, title: 'An input cannot be a field of a journey' },
  'agent.outreach.not_found': { status: 422, title: 'There is no such outreach, or it is switched off' },
  'agent.outreach.in_use': { status: 409, title: 'A campaign or a rule still names this outreach' },
  'agent.outreach.consent_declined': { status: 422, title: 'The person declined to be written to' },
  'agent.outreach.consent_denied': { status: 409, title: 'The consent on record is denied' },
  'agent.outreach.opted_out': { status: 409, title: 'The person asked to hear no more on this channel' },
  'agent.outreach.recipient_not_found': { status: 404, title: 'There is no such recipient' },
  'agent.outreach.no_channel_identity': { status: 422, title: 'The person cannot be reached on a channel' },
  'agent.outreach.invalid_address': { status: 422, title: 'The address is not one of its channel' },
  'agent.outreach.channel_unavailable': { status: 422, title: 'Outreach does not send on that channel' },
  'agent.outreach.missing_inputs': { status: 422, title: 'The opening needs inputs that are missing' },
  'agent.outreach.send_not_cancellable': { status: 409, title: 'The send is past being cancelled' },
  'agent.outreach_send.upstream': { status: 502, title: 'The agent cannot be reached just now' },
  'agent.outreach_send.timeout': { status: 504, title: 'The agent did not answer in time' },
  'agent.campaign.invalid': { status: 422, title: 'The campaign cannot be sent as it is' },
  'agent.campaign.immutable': { status: 409, title: 'The campaign is past being changed' },
  'agent.campaign.state_conflict': { status: 409, title: 'The status of the campaign does not allow this' },
  'agent.persona.not_found': { status: 404, title: 'There is no such persona' },
  'agent.persona.unavailable': { status: 409, title: 'The persona has no identity to speak as; reset it first' },
  'agent.sandbox.unavailable': { status: 404, title: 'The agent has no sandbox' },
  'agent.outreach_link.unavailable': { status: 409, title: 'The link does not start conversations' },
  'system.backup_under_way': { status: 409, title: 'A backup is being made already' },
  'system.backup_impossible': { status: 409, title: 'This node cannot make a backup' },
  'request.method_not_allowed': { status: 405, title: 'This path does not take that method' },
  'request.timeout': { status: 408, title: 'The request did not come whole in time' },
  'request.precondition_failed': { status: 412, title: 'It is not as you last read it' },
  'request.too_large': { status: 413, title: 'The request body is too large' },
  'request.unsupported_media_type': { status: 415, title: 'This content type is not read here' },
  'request.invalid': { status: 422, title: 'The request is not valid' },
  'request.rate_limited': { status: 429, title: 'Too many calls' },
  'media.unreachable': { status: 502, title: 'The provider does not give what was sent' },
  'model.unreachable': { status: 502, title: 'The language model cannot be reached' },
  'service.failed': { status: 500, title: 'Something went wrong on our side' },
  'service.unavailable': { status: 503, title: 'Not available just now' },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

export interface FieldError {
  /** The path of the field as the caller would spell it: `things[1].collections[0]`. */
  field: string
  message: string
  code?: string
}

/** A policy refusal: a value, never thrown. A function that returns one has changed nothing. */
export interface Refusal {
  readonly refused: ErrorCode
  /** Only where the contract gives one code two statuses. */
  readonly status?: number
  readonly detail?: string
  readonly errors?: readonly FieldError[]
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of the body that the contract names for this refusal. */
  readonly extra?: Readonly<Record<string, unknown>>
}

export function refuse(code: ErrorCode, details: Omit<Refusal, 'refused'> = {}): Refusal {
  return { refused: code, ...details }
}

/** The commonest refusal: one field is wrong, with the reason. */
export function invalid(field: string, message: string, details: Omit<Refusal, 'refused' | 'errors'> = {}): Refusal {
  return refuse('request.invalid', { detail: `${field}: ${message}`, errors: [{ field, message }], ...details })
}

/** The same for at least one wrong field; the detail names the first. */
export function invalidAll(
  faults: readonly FieldError[],
  details: Omit<Refusal, 'refused' | 'errors' | 'detail'> = {},
): Refusal {
  const { field, message } = faults[0]!
  return refuseFields('request.invalid', faults, `${field}: ${message}`, details)
}

/** A refusal for now: the caller may repeat its request soon. */
export function unavailable(detail?: string): Refusal {
  const headers = { 'retry-after': String(http.retryAfterSeconds) }
  return refuse('service.unavailable', { headers, ...(detail !== undefined && { detail }) })
}

/** A refusal of many fields: lists as many as an answer holds; if there are more, the detail gives their number. */
export function refuseFields(
  code: ErrorCode,
  faults: readonly FieldError[],
  detail: string,
  details: Omit<Refusal, 'refused' | 'errors' | 'detail'> = {},
): Refusal {
  const maxFaults = agentLimits.faults
  if (faults.length <= maxFaults) return refuse(code, { detail, errors: faults, ...details })
  const truncated = `${detail} (the first ${maxFaults} of ${faults.length} are listed)`
  return refuse(code, { detail: truncated, errors: faults.slice(0, maxFaults), ...details })
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && (value as Partial<Refusal>).refused !== undefined
}

export function statusOf(refusal: Refusal): number {
  return refusal.status ?? errorTable[refusal.refused].status
}

/** Requests to an agent's calendar with its sign-in, and what becomes of one that did not work. */
import type { AgentRef } from '../../core/agentref.js'
import type { CalendarRequest, CalendarResponse } from '../../core/calendar/exchange.js'
import type { LogEventName } from '../../core/catalogs/logevents.js'
import { isUsable } from '../../core/connections/status.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { isOfGateway } from '../../core/tools/verdict.js'
import type { Sealer } from '../../runtime/secrets/sealer.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { sealedId, secretKind } from '../agents/secrets.js'
import type { ConnectionQueries } from '../connections/queries.js'
import { type CredentialRef, ownerOf } from '../connections/store.js'
import type { AccessTokens } from '../connections/tokens.js'
import { type CalendarSettings, calendarTool, passwordField, type SignIn } from './settings.js'

/** Never throws. */
export type CallCalendar = (request: CalendarRequest) => Promise<CalendarResponse>

export type Answer = Extract<CalendarResponse, { readonly ok: true }>

export interface Failure {
  readonly ok: false
  /** Whether another try may help. */
  readonly isTemporary: boolean
  /** The request may have arrived. */
  readonly isUnknown: boolean
  readonly event: Extract<LogEventName, 'scheduling.failed' | 'connection.lost'>
  /** One sentence without a secret. */
  readonly reason: string
}

export function failure(reason: string, more: Partial<Failure> = {}): Failure {
  return { ok: false, isTemporary: false, isUnknown: false, event: 'scheduling.failed', reason, ...more }
}

export interface ExchangeDeps {
  readonly shards: Shards
  readonly sealer: Sealer
  readonly tokens: Pick<AccessTokens, 'use'>
  readonly queries: Pick<ConnectionQueries, 'credential'>
  readonly callCalendar: CallCalendar
}

/** Statuses that answer the request, besides those of success. */
export type Expects = (status: number) => boolean

export type Exchange = (
  agent: AgentRef,
  settings: CalendarSettings,
  request: Omit<CalendarRequest, 'url'> & { readonly url?: string },
  expects?: Expects,
) => Promise<Answer | Failure>

export function createExchange({ shards, sealer, tokens, queries, callCalendar }: ExchangeDeps): Exchange {
  async function withPassword(
    agent: AgentRef,
    { username, sealed }: Extract<SignIn, { readonly kind: 'password' }>,
    request: CalendarRequest,
  ): Promise<CalendarResponse | Failure> {
    const id = sealedId(agent, 'toolBindings', calendarTool, passwordField)
    // A secret sealed under a root key that this node does not have is unreadable here.
    const password = await sealer.open(agent.orgId, secretKind, id, sealed).catch(() => undefined)
    if (password === undefined) return failure('The stored password of the calendar cannot be read. Store it again.')
    if (isRefusal(password)) return failure(notNow, { isTemporary: true })
    return callCalendar(
      withAuthorization(request, `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`),
    )
  }

  /** The connection's status follows the outcome; what is no fault of the sign-in does not change it. */
  async function withToken(ref: CredentialRef, request: CalendarRequest, expects: Expects): Promise<Answer | Failure> {
    let last: Answer | Failure | undefined
    const outcome = await tokens.use<Answer | Failure>(ref, async (token) => {
      const response = await callCalendar(withAuthorization(request, `Bearer ${token}`))
      last = judge(response, expects)
      if (last.ok) return { ok: true, value: last }
      const lastError = last.reason
      if (response.ok && response.status === 401) return { ok: false, isRefused: true, lastError }
      const isSignInsFault = last.isTemporary || (response.ok && response.status === 403)
      return isSignInsFault ? { ok: false, isRefused: false, lastError } : { ok: true, value: last }
    })
    if (!isRefusal(outcome)) return outcome
    if (outcome.refused === 'connection.call_failed' && last) return last
    if (outcome.refused === 'service.unavailable') return failure(notNow, { isTemporary: true })
    return failureOfSignIn(ref, outcome)
  }

  /** Only a person can renew a sign-in that has ended; one that could not be renewed just now may be used later. */
  async function failureOfSignIn(ref: CredentialRef, { detail }: Refusal): Promise<Failure> {
    const credential = await shards.query(ownerOf(ref), queries.credential, ref)
    const reason = detail ?? 'The sign-in of the calendar is not there any more. Connect again.'
    const isEnded = isRefusal(credential) ? credential.refused !== 'service.unavailable' : !isUsable(credential.status)
    return isEnded ? failure(reason, { event: 'connection.lost' }) : failure(reason, { isTemporary: true })
  }

  return async (agent, { url, signIn }, given, expects = isSuccess) => {
    const request = { url, ...given }
    if (signIn.kind === 'token') return withToken(signIn.ref, request, expects)
    const response = await withPassword(agent, signIn, request)
    return 'event' in response ? response : judge(response, expects)
  }
}

const notNow = 'The sign-in of the calendar could not be read just now.'

function withAuthorization(request: CalendarRequest, authorization: string): CalendarRequest {
  return { ...request, headers: { ...request.headers, authorization } }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

const temporaryStatuses = new Set([408, 423, 425, 429])

/** Sentences for statuses by which a calendar says that its address or its sign-in is wrong. */
const sentences: Readonly<Record<number, string>> = {
  401: 'The calendar refuses the sign-in.',
  403: 'The calendar does not allow this account to do that.',
  404: 'There is no calendar at the address.',
  410: 'There is no calendar at the address.',
}

function judge(response: CalendarResponse, expects: Expects): Answer | Failure {
  if (!response.ok) {
    const { reason, message } = response
    return failure(message, { isTemporary: reason !== 'refused', isUnknown: reason === 'unknown' })
  }
  const { status } = response
  if (expects(status)) return response
  if (status >= 300 && status < 400) return failure('The address of the calendar leads to another address.')
  const isTemporary = status >= 500 || temporaryStatuses.has(status)
  const reason = sentences[status] ?? `The calendar answered with status ${status}.`
  return failure(reason, { isTemporary, isUnknown: isOfGateway(status) })
}

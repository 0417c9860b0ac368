/**
 * What one request to another system came to, and whether it may be sent again: only where nothing can have been done,
 * or where the tool says that a repeat is harmless.
 */
import { tools as limits } from '../limits/index.js'
import { scaledMs } from '../time.js'

export interface Answered {
  readonly ok: true
  readonly status: number
  /** From the header `Retry-After`. */
  readonly retryAfterMs?: number
  readonly body: Uint8Array
  /** The body is longer than was read. */
  readonly isCut: boolean
}

export interface Unanswered {
  readonly ok: false
  /** A sentence that reveals nothing about Parley's side. */
  readonly message: string
  /** The first byte may have gone out. */
  readonly mayHaveArrived: boolean
  /** It was ended on our side: the process stops, or does not own the conversation any more. */
  readonly isStopped: boolean
}

export type Exchange = Answered | Unanswered

/** A reason is a sentence about the tool, which it names by `subject`: `the integration crm`. */
export type Verdict =
  | { readonly kind: 'done'; readonly answer: Answered }
  | { readonly kind: 'failed'; readonly reason: string; readonly status?: number }
  /** Nothing was done, and a further attempt may be made after `afterMs`, or after a wait of our own. */
  | { readonly kind: 'unsent'; readonly reason: string; readonly status?: number; readonly afterMs?: number }
  | { readonly kind: 'unknown'; readonly reason: string; readonly status?: number }

/** A gateway answers so for a system behind it that may have done what was asked. */
export function isOfGateway(status: number): boolean {
  return status === 502 || status === 504
}

export function verdictOf(subject: string, exchange: Exchange): Verdict {
  if (!exchange.ok) {
    const { message, mayHaveArrived, isStopped } = exchange
    if (mayHaveArrived) return unknownAfter(subject, message)
    const reason = `${atStart(subject)} was not reached. ${message}`
    return { kind: isStopped ? 'failed' : 'unsent', reason }
  }
  const { status, retryAfterMs } = exchange
  if (status >= 200 && status < 300) return { kind: 'done', answer: exchange }
  if (isOfGateway(status)) return { ...unknownAfter(subject, `It answered with status ${status}.`), status }
  if (status === 429 || (status === 503 && retryAfterMs !== undefined)) {
    const reason = `${atStart(subject)} takes no calls just now: it answered with status ${status}.`
    const isSoon = (retryAfterMs ?? 0) <= limits.retryAfterMaxMs
    if (!isSoon) return { kind: 'failed', reason, status }
    return { kind: 'unsent', reason, status, ...(retryAfterMs !== undefined && { afterMs: retryAfterMs }) }
  }
  const isRedirect = status >= 300 && status < 400
  const reason = isRedirect
    ? `${atStart(subject)} answered with a redirect, which is not followed.`
    : `${atStart(subject)} answered with status ${status}.`
  return { kind: 'failed', reason, status }
}

export function atStart(subject: string): string {
  return subject.charAt(0).toUpperCase() + subject.slice(1)
}

export function unknownAfter(subject: string, message: string): Extract<Verdict, { kind: 'unknown' }> {
  return { kind: 'unknown', reason: `It is not known whether ${subject} did what was asked. ${message}` }
}

/**
 * The wait before the next attempt; undefined when there is none. `attempts` counts those that were made. A wait that
 * the tool asks for is not scaled.
 */
export function waitBeforeNext(
  verdict: Verdict,
  attempts: number,
  isIdempotent: boolean,
  timeScale: number,
): number | undefined {
  const max = {
    done: 0,
    failed: 0,
    unsent: limits.unsentAttempts,
    unknown: isIdempotent ? limits.idempotentAttempts : 0,
  }
  if (attempts >= max[verdict.kind]) return undefined
  const afterMs = verdict.kind === 'unsent' ? verdict.afterMs : undefined
  return afterMs ?? scaledMs(limits.retryMs * 2 ** (attempts - 1), timeScale)
}

/** What a call with several attempts came to, where `isInDoubt`: one of them may have done what was asked. */
export function conclude(subject: string, verdict: Verdict, isInDoubt: boolean): Exclude<Verdict, { kind: 'unsent' }> {
  if (verdict.kind === 'done' || verdict.kind === 'unknown') return verdict
  if (isInDoubt) return unknownAfter(subject, `An attempt was interrupted, and then: ${verdict.reason}`)
  return { ...verdict, kind: 'failed' }
}

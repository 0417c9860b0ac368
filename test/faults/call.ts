/** A test client's call to a node and its outcome: an answer, a refusal, or unknown. */
import { testKey } from '../harness/process.js'
import type { FaultNode } from './faultnode.js'

/**
 * `answered`: the call is done. `unavailable`: the node says that it was not done. `down`: no node took the call.
 * `doubtful`, `reset` and `silent`: unknown, since the node says so, the connection broke, or no answer came.
 */
export type CallResult = 'answered' | 'unavailable' | 'down' | 'doubtful' | 'reset' | 'silent' | 'wrong'

export interface CallReply<R> {
  readonly how: CallResult
  readonly answer?: R
  /** An error in an answer that no fault excuses. */
  readonly problem?: string
}

export function isUndecided(how: CallResult): boolean {
  return how === 'unavailable' || how === 'down'
}

export const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }

export async function call<R>(
  faultNode: FaultNode,
  method: 'GET' | 'POST',
  path: string,
  withinMs: number,
  body?: unknown,
): Promise<CallReply<R>> {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const response = await exchange(faultNode.url(), `/v1${path}`, withinMs, { method, headers, body: sent })
  if ('how' in response) return response
  const { status, text } = response
  if (status === 200) return { how: 'answered', answer: JSON.parse(text) as R }
  if (status !== 503 || !response.headers.has('retry-after')) {
    return { how: 'wrong', problem: `${faultNode.name} answered ${status} to ${method} ${path}: ${text}` }
  }
  return { how: (JSON.parse(text) as { detail?: string }).detail === undefined ? 'unavailable' : 'doubtful' }
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The answer, or the reason why there is none. */
export async function exchange(
  url: string | undefined,
  path: string,
  withinMs: number,
  request: RequestInit,
): Promise<Answered | { readonly how: CallResult }> {
  if (url === undefined) return { how: 'down' }
  try {
    const answer = await fetch(`${url}${path}`, { ...request, signal: AbortSignal.timeout(withinMs) })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  } catch (error) {
    return { how: resultOf(error as Error) }
  }
}

function resultOf(error: Error): CallResult {
  if (error.name === 'TimeoutError') return 'silent'
  return (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED' ? 'down' : 'reset'
}

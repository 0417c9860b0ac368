/** How a client of the test calls a node, and what it knows afterwards: an answer, a refusal, or nothing. */
import { testKey } from '../harness/process.js'
import type { Place } from './place.js'

/**
 * `answered`: it is done. `unavailable`: the node says that it was not done. `down`: nobody took the call. `doubtful`,
 * `reset` and `silent`: it may or may not have been done; the node says so, the connection broke, or nothing came.
 */
export type How = 'answered' | 'unavailable' | 'down' | 'doubtful' | 'reset' | 'silent' | 'wrong'

export interface Told<R> {
  readonly how: How
  readonly answer?: R
  /** What was wrong with an answer that no fault excuses. */
  readonly wrong?: string
}

export function isUndecided(how: How): boolean {
  return how === 'unavailable' || how === 'down'
}

const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }

export async function call<R>(
  place: Place,
  method: 'GET' | 'POST',
  path: string,
  withinMs: number,
  body?: unknown,
): Promise<Told<R>> {
  const url = place.url()
  if (url === undefined) return { how: 'down' }
  try {
    const signal = AbortSignal.timeout(withinMs)
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const answer = await fetch(`${url}/v1${path}`, { method, headers, signal, body: sent })
    const text = await answer.text()
    if (answer.status === 200) return { how: 'answered', answer: JSON.parse(text) as R }
    if (answer.status !== 503 || !answer.headers.has('retry-after')) {
      return { how: 'wrong', wrong: `${place.name} answered ${answer.status} to ${method} ${path}: ${text}` }
    }
    return { how: (JSON.parse(text) as { detail?: string }).detail === undefined ? 'unavailable' : 'doubtful' }
  } catch (error) {
    return { how: howOf(error as Error) }
  }
}

function howOf(error: Error): How {
  if (error.name === 'TimeoutError') return 'silent'
  return (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED' ? 'down' : 'reset'
}

/** Calls of tools: one request, sent at most once on a connection of its own, and whether it may have arrived. */

import { tools as limits } from '../../core/limits/index.js'
import type { Answered, Unanswered } from '../../core/tools/verdict.js'
import type { Clock } from '../clock.js'
import { createEgressClient, type EgressClientOptions, type EgressRequest } from './client.js'
import { parseRetryAfter } from './retryafter.js'

export interface CallRequest extends EgressRequest {
  /** Aborts the request at once; nothing is sent after it fires. */
  readonly signal: AbortSignal
  /** Evaluated right before the first byte is written; false cancels the request. */
  readonly isStillOwner: () => boolean
}

export interface Caller {
  /** Never throws and never follows a redirect. */
  call(request: CallRequest): Promise<Answered | Unanswered>
  /** Aborts running requests. */
  close(): Promise<void>
}

export interface CallerOptions extends EgressClientOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly limits?: CallLimits
}

export type CallLimits = Pick<typeof limits, 'connectMs' | 'callMs' | 'answerBytes'>

export function openCaller({ clock, limits: own = limits, ...options }: CallerOptions): Caller {
  const { connectMs, callMs, answerBytes } = own
  const timeouts = { connectMs, headersMs: callMs, totalMs: callMs }
  const client = createEgressClient({ ...options, reusesNoConnection: true }, timeouts)
  return {
    async call({ isStillOwner, ...request }) {
      let mayHaveArrived = false
      function isWithheld(): boolean {
        mayHaveArrived = isStillOwner()
        return !mayHaveArrived
      }
      const answer = await client.fetchWhole({ ...request, maxBytes: answerBytes, cutsBody: true, isWithheld })
      if (!answer.ok) {
        const { message, reason } = answer
        return { ok: false, message, mayHaveArrived, isStopped: reason === 'stopped' || reason === 'withheld' }
      }
      const { status, headers, body, isCut = false } = answer
      const retryAfterMs = parseRetryAfter(headers['retry-after'], clock.now())
      return { ok: true, status, body, isCut, ...(retryAfterMs !== undefined && { retryAfterMs }) }
    },
    close: client.close,
  }
}

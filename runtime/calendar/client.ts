/** HTTP client for calendars: one request to a URL of an operator, through the URL guard and within all limits. */
import type { CalendarRequest, CalendarResponse } from '../../core/calendar/exchange.js'
import { calendar as defaults } from '../../core/limits/index.js'
import { createEgressClient, type EgressClientOptions, type EgressTimeouts } from '../egress/client.js'
import type { FailureReason } from '../egress/reason.js'

export interface CalendarClient {
  /** Never throws. */
  call(request: CalendarRequest): Promise<CalendarResponse>
  /** Aborts running requests. */
  close(): Promise<void>
}

export type CalendarClientLimits = EgressTimeouts & { readonly answerBytes: number }

export function openCalendarClient(
  options: EgressClientOptions & { readonly limits?: CalendarClientLimits },
): CalendarClient {
  const limits = options.limits ?? defaults
  const client = createEgressClient(options, limits)
  return {
    async call({ url, method, headers, body }) {
      const response = await client.fetchWhole({
        url,
        method,
        headers: { 'user-agent': 'Parley-Calendar/1', 'accept-encoding': 'gzip, br', ...headers },
        signal: undefined,
        maxBytes: limits.answerBytes,
        ...(body !== undefined && { body: Buffer.from(body) }),
      })
      if (!response.ok) return { ok: false, reason: reasons[response.reason] ?? 'unknown', message: response.message }
      const { etag } = response.headers
      const { status, body: bytes } = response
      return { ok: true, status, ...(typeof etag === 'string' && { etag }), body: bytes }
    },
    close: client.close,
  }
}

/** The failures after which nothing was sent, and the one that no repeat helps. */
const reasons: Readonly<Partial<Record<FailureReason, 'refused' | 'unsent'>>> = {
  'refused-address': 'refused',
  'unknown-name': 'unsent',
  tls: 'unsent',
}

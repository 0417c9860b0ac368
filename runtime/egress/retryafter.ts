/** Parses the header `Retry-After`, in seconds or as a date, within bounds. */
import { agentWebhook } from '../../core/limits/index.js'

/** Undefined when the header is absent or invalid. */
export function parseRetryAfter(header: string | readonly string[] | undefined, now: number): number | undefined {
  const headerText = typeof header === 'string' ? header.trim() : ''
  const ms = /^\d{1,9}$/.test(headerText) ? Number(headerText) * 1000 : Date.parse(headerText) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), agentWebhook.retryAfterMaxMs)
}

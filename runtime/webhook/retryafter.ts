/** How long an endpoint asks to be left alone: the header `Retry-After`, in seconds or as a date, within bounds. */
import { agentWebhook } from '../../core/limits.js'

/** Undefined where the header is absent or cannot be read. */
export function retryAfterOf(header: string | readonly string[] | undefined, now: number): number | undefined {
  const written = typeof header === 'string' ? header.trim() : ''
  const ms = /^\d{1,9}$/.test(written) ? Number(written) * 1000 : Date.parse(written) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), agentWebhook.retryAfterMostMs)
}

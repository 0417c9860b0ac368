/** What a limited answer tells its caller about the budget. */
import type { Spent } from './contract.js'

export function limitHeaders(spent: Spent): Record<string, string> {
  return {
    'RateLimit-Limit': String(spent.limit),
    'RateLimit-Remaining': String(spent.remaining),
    'RateLimit-Reset': String(spent.resetSeconds),
    ...(spent.allowed ? {} : { 'Retry-After': String(spent.retryAfterSeconds) }),
  }
}

/** The idempotency key of a journey call. */
import { outreachSend as limits } from '../limits/index.js'
import type { JourneyCall } from './request.js'

export interface JourneyKey {
  /** Absent: no call is a repeat of this one. */
  readonly key?: string
  readonly idempotency: 'journey' | 'derived'
}

/** A colon separates the fields of a key, so it is percent-encoded within a field, and two steps never share a key. */
const escapeField = (field: string) => field.replace(/[%:]/g, encodeURIComponent)

/**
 * One send for each step of a journey and entry into it; without a step one send of the outreach for each recipient and
 * day, and any number in the sandbox. A key contains no id or number of a person: `hash` replaces them irreversibly.
 */
export function idempotencyKeyOf(
  { step, recipientKey }: Pick<JourneyCall, 'step' | 'recipientKey'>,
  outreachId: string,
  at: number,
  hash: (text: string) => string,
): JourneyKey {
  if (step) {
    const key = ['journey', step.versionId, step.nodeId, step.instanceId, outreachId].map(escapeField).join(':')
    return { key: key.length > limits.keyChars ? `journey:${hash(key)}` : key, idempotency: 'journey' }
  }
  if (recipientKey === undefined) return { idempotency: 'derived' }
  const day = new Date(at).toISOString().slice(0, 10)
  return { key: `journey-day:${day}:${hash(`${outreachId} ${recipientKey}`)}`, idempotency: 'derived' }
}

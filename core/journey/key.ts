/** What makes two calls of a journey the same send. */
import { outreachSend as limits } from '../limits/index.js'
import type { JourneyCall } from './request.js'

export interface JourneyKey {
  /** Absent: nothing makes another call a repeat. */
  readonly key?: string
  readonly idempotency: 'journey' | 'derived'
}

/** A colon parts the fields of a key, so one within a field is written as in a URL, and two steps never share a key. */
const escapeField = (field: string) => field.replace(/[%:]/g, encodeURIComponent)

/**
 * One send a step of a journey and entry into it; without a step one send of the outreach a day, and any number of
 * rehearsals. No id or number of a person stands in a key: `hash` makes text of it that leads nowhere.
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

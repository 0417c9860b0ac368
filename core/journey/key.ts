/** What makes two calls of a journey the same send. */
import { outreachSend as limits } from '../limits.js'
import type { JourneyCall } from './request.js'

export interface JourneyKey {
  readonly key: string
  readonly idempotency: 'journey' | 'derived'
}

/**
 * One send a step of a journey and entry into it; without a step one send of the outreach a day. Nobody's id or number
 * stands in a key: `hash` makes text of it that leads nowhere.
 */
export function keyOf(
  { step, who }: Pick<JourneyCall, 'step' | 'who'>,
  outreachId: string,
  at: number,
  hash: (text: string) => string,
): JourneyKey {
  if (step) {
    const key = ['journey', step.versionId, step.nodeId, step.instanceId, outreachId].join(':')
    return { key: key.length > limits.keyChars ? `journey:${hash(key)}` : key, idempotency: 'journey' }
  }
  const day = new Date(at).toISOString().slice(0, 10)
  return { key: `journey-day:${day}:${hash(`${outreachId} ${who}`)}`, idempotency: 'derived' }
}

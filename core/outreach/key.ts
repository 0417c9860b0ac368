/** The deduplication key of a send: the caller's own, or one of agent, outreach, person and day. */
import { day } from '../durations.js'

/** The kind keeps callers' keys apart from generated ones. */
export type SendKey = readonly [kind: 'given' | 'day' | 'launched', text: string]

export function callerKey(text: string): SendKey {
  return ['given', text]
}

/** At most one send of an outreach to a person in a UTC day. */
export function dayKey(outreachId: string, personId: string, at: number): SendKey {
  return ['day', `${Math.floor(at / day)}/${outreachId}/${personId}`]
}

/** Key of the first send of an outreach that a campaign launched in a UTC day. */
export function launchKey(outreachId: string, at: number): SendKey {
  return ['launched', `${Math.floor(at / day)}/${outreachId}`]
}

export function sendKeyOf(send: {
  readonly key?: string
  readonly outreachId: string
  readonly personId: string
  readonly queuedAt: number
}): SendKey {
  return send.key === undefined ? dayKey(send.outreachId, send.personId, send.queuedAt) : callerKey(send.key)
}

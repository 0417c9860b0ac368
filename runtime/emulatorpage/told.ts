/** What the sample agent was told, as it came to its webhook: the newest of it, in memory. */
import { emulatorPage as limits } from '../../core/limits.js'

/** As much of an envelope as has to be known of it. */
interface Envelope {
  readonly userId: string
  readonly event: {
    readonly timestamp: string
    readonly context?: { readonly channel: string }
    readonly event: { readonly type: string; readonly status?: { readonly messageId: string } }
  }
}

export interface Told {
  note(envelope: unknown): void
  /** Whoever was last heard of on web chat. */
  visitor(): string | undefined
  /** What became of a message. */
  statusesOf(messageId: string): readonly unknown[]
  /** What a person did within that time, in milliseconds since 1970. */
  deedsOf(asid: string, from: number, until: number): readonly unknown[]
}

export function openTold(): Told {
  const envelopes: Envelope[] = []
  return {
    note(envelope) {
      envelopes.push(envelope as Envelope)
      if (envelopes.length > limits.eventsKept) envelopes.shift()
    },
    visitor: () => envelopes.findLast(({ event }) => event.context?.channel === 'webchat')?.userId,
    statusesOf: (messageId) =>
      envelopes.filter(({ event: { event } }) => event.type === 'status' && event.status?.messageId === messageId),
    deedsOf(asid, from, until) {
      const theirs = envelopes.filter(({ userId, event: { event } }) => userId === asid && event.type !== 'status')
      return theirs.filter(({ event: { timestamp } }) => Date.parse(timestamp) >= from && Date.parse(timestamp) < until)
    },
  }
}

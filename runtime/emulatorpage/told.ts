/** The newest events of the sample agent as they came to its webhook, with its answers, in memory. */
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
  note(envelope: unknown, answer?: string): void
  /** Whoever was last heard of on web chat. */
  visitor(): string | undefined
  /** What became of a message. */
  statusesOf(messageId: string): readonly unknown[]
  /** What a person did within that time, in milliseconds since 1970. */
  deedsOf(asid: string, from: number, until: number): readonly unknown[]
  /** Bodies with which the agent answered the events of a person within that time. */
  answersOf(asid: string, from: number, until: number): readonly string[]
}

export function openTold(): Told {
  const kept: { readonly envelope: Envelope; readonly answer?: string }[] = []

  function within(asid: string, from: number, until: number) {
    return kept.filter(({ envelope: { userId, event } }) => {
      const at = Date.parse(event.timestamp)
      return userId === asid && event.event.type !== 'status' && at >= from && at < until
    })
  }

  return {
    note(envelope, answer) {
      kept.push({ envelope: envelope as Envelope, ...(answer !== undefined && { answer }) })
      if (kept.length > limits.eventsKept) kept.shift()
    },
    visitor: () => kept.findLast(({ envelope: { event } }) => event.context?.channel === 'webchat')?.envelope.userId,
    statusesOf: (messageId) =>
      kept
        .map(({ envelope }) => envelope)
        .filter(({ event: { event } }) => event.type === 'status' && event.status?.messageId === messageId),
    deedsOf: (...during) => within(...during).map(({ envelope }) => envelope),
    answersOf: (...during) => within(...during).flatMap(({ answer }) => answer ?? []),
  }
}

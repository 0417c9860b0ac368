/** The newest events of the sample agent's webhook, with its answers, in memory. */
import { emulatorPage as limits } from '../../core/limits/index.js'

/** The fields of an event envelope that the log reads. */
interface Envelope {
  readonly userId: string
  readonly event: {
    readonly timestamp: string
    readonly event: { readonly type: string; readonly status?: { readonly messageId: string } }
  }
}

export interface WebhookLog {
  append(envelope: unknown, answer?: string): void
  /** Status events of a message. */
  statusesOf(messageId: string): readonly unknown[]
  /** Events of a person within that time, in milliseconds since 1970. */
  eventsOf(asid: string, from: number, until: number): readonly unknown[]
  /** Bodies of the agent's answers to the events of a person within that time. */
  answersOf(asid: string, from: number, until: number): readonly string[]
}

export function createWebhookLog(): WebhookLog {
  const entries: { readonly envelope: Envelope; readonly answer?: string }[] = []

  function entriesBetween(asid: string, from: number, until: number) {
    return entries.filter(({ envelope: { userId, event } }) => {
      const at = Date.parse(event.timestamp)
      return userId === asid && event.event.type !== 'status' && at >= from && at < until
    })
  }

  return {
    append(envelope, answer) {
      entries.push({ envelope: envelope as Envelope, ...(answer !== undefined && { answer }) })
      if (entries.length > limits.retainedEvents) entries.shift()
    },
    statusesOf: (messageId) =>
      entries
        .map(({ envelope }) => envelope)
        .filter(({ event: { event } }) => event.type === 'status' && event.status?.messageId === messageId),
    eventsOf: (...interval) => entriesBetween(...interval).map(({ envelope }) => envelope),
    answersOf: (...interval) => entriesBetween(...interval).flatMap(({ answer }) => answer ?? []),
  }
}

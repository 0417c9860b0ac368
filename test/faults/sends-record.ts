/** The requests of callers, their answers, and the provider's record, in one order of moments. */

/** One send under one key, however many callers request it and however often. */
export interface SendRequest {
  /** Part of the key and of the message's text. */
  readonly ref: string
  readonly way: 'journey' | 'named'
  readonly phone: string
  readonly beganAt: number
  /** When the last of its callers had an answer. */
  answeredAt?: number
  /** The states that callers saw, in order. */
  readonly answers: SendAnswer[]
  /** When a caller learnt that it is cancelled. */
  cancelledAt?: number
  /** The final state that a caller saw first. */
  ended?: string
}

export interface SendAnswer {
  readonly outcome: 'queued' | 'duplicate' | 'refused'
  readonly sendId?: string
}

/** One call that brought a message to the provider. */
export interface Arrival {
  readonly at: number
  /** The provider's id of the message. */
  readonly id: string
  readonly phone: string
  readonly ref: string
  readonly isAccepted: boolean
  /** Whether the provider answered; without an answer the node cannot know the outcome. */
  readonly isAnswered: boolean
}

export interface Stop {
  readonly phone: string
  readonly begunAt: number
  acknowledgedAt?: number
}

export interface SendRecord {
  readonly requests: SendRequest[]
  readonly arrivals: Arrival[]
  readonly stops: Map<string, Stop>
  /** Moments at which a node was killed or suspended. */
  readonly harms: number[]
  /** Faults that nothing excuses, each as a sentence. */
  readonly violations: string[]
  /** A number above all that were used before. */
  moment(): number
}

export function openSendRecord(): SendRecord {
  let moments = 0
  return { requests: [], arrivals: [], stops: new Map(), harms: [], violations: [], moment: () => ++moments }
}

/** The longest time, from then on, until callers were answered, in milliseconds. */
export function longestAnswerMs({ requests }: SendRecord, since: number): number {
  const answered = requests.filter(({ answeredAt = Infinity }) => answeredAt >= since)
  const waits = answered.map(({ beganAt, answeredAt = performance.now() }) => answeredAt - Math.max(beganAt, since))
  return Math.max(0, ...waits)
}

export function sendIdOf({ answers }: SendRequest): string | undefined {
  return answers.find(({ sendId }) => sendId)?.sendId
}

export function acceptedRequests({ requests }: SendRecord): readonly SendRequest[] {
  return requests.filter((each) => sendIdOf(each) !== undefined)
}

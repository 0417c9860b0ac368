/** The requests of callers, their answers, and the provider's record, in one order of moments. */

/** One send under one key, however many callers request it and however often. */
export interface Wanted {
  /** Part of the key and of the message's text. */
  readonly ref: string
  readonly way: 'journey' | 'named'
  readonly phone: string
  readonly beganAt: number
  /** When the last of its callers had an answer. */
  answeredAt?: number
  /** The states that callers saw, in order. */
  readonly told: ToldOfSend[]
  /** When a caller learnt that it is cancelled. */
  cancelledAt?: number
  /** The final state that a caller saw first. */
  ended?: string
}

export interface ToldOfSend {
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
  readonly isTaken: boolean
  /** Whether the provider answered; without an answer the node cannot know the outcome. */
  readonly isTold: boolean
}

export interface Stop {
  readonly phone: string
  readonly begunAt: number
  acknowledgedAt?: number
}

export interface SendRecord {
  readonly wanted: Wanted[]
  readonly arrivals: Arrival[]
  readonly stops: Map<string, Stop>
  /** Moments at which a node was killed or suspended. */
  readonly harms: number[]
  /** Faults that nothing excuses, each as a sentence. */
  readonly wrongs: string[]
  /** A number above all that were used before. */
  moment(): number
}

export function openSendRecord(): SendRecord {
  let moments = 0
  return { wanted: [], arrivals: [], stops: new Map(), harms: [], wrongs: [], moment: () => ++moments }
}

/** The longest time, from then on, until callers were answered, in milliseconds. */
export function longestWait({ wanted }: SendRecord, since: number): number {
  const asked = wanted.filter(({ answeredAt = Infinity }) => answeredAt >= since)
  const waits = asked.map(({ beganAt, answeredAt = performance.now() }) => answeredAt - Math.max(beganAt, since))
  return Math.max(0, ...waits)
}

export function sendIdOf({ told }: Wanted): string | undefined {
  return told.find(({ sendId }) => sendId)?.sendId
}

export function accepted({ wanted }: SendRecord): readonly Wanted[] {
  return wanted.filter((each) => sendIdOf(each) !== undefined)
}

/** What callers of sends wanted, what they were told, and what the provider saw, in one order of moments. */

/** One send under one key, however many callers ask for it and however often. */
export interface Wanted {
  /** Stands in the key and in the words of its message. */
  readonly ref: string
  readonly way: 'journey' | 'named'
  readonly phone: string
  readonly beganAt: number
  /** When the last of its callers had an answer. */
  answeredAt?: number
  /** What callers were told of it, in the order in which they heard. */
  readonly told: ToldOfSend[]
  /** When a caller heard that it is cancelled. */
  cancelledAt?: number
  /** The final state that somebody saw first. */
  ended?: string
}

export interface ToldOfSend {
  readonly outcome: 'queued' | 'duplicate' | 'refused'
  readonly sendId?: string
}

/** One call that brought a message to the provider. */
export interface Arrival {
  readonly at: number
  /** What the provider knows the message by. */
  readonly id: string
  readonly phone: string
  readonly ref: string
  readonly isTaken: boolean
  /** Whether the provider told what it did; a caller that is not told cannot know. */
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
  /** Moments at which a node was killed or began to stand still. */
  readonly harms: number[]
  /** What no fault excuses, each as a sentence. */
  readonly wrongs: string[]
  /** A number above all that were given before. */
  moment(): number
}

export function openSendRecord(): SendRecord {
  let moments = 0
  return { wanted: [], arrivals: [], stops: new Map(), harms: [], wrongs: [], moment: () => ++moments }
}

/** The longest that callers had to ask from then on until they were answered, in milliseconds. */
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

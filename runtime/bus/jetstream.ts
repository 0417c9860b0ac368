/** The servers' own interface to streams: requests and answers in JSON, and refusals by number. */
import { bus as limits } from '../../core/limits.js'
import { BusUnreachable } from './contract.js'
import type { Inbox } from './inbox.js'
import { type Headers, type Message, noResponders } from './link.js'

/** The servers said no. Whoever does not know the number treats it as any other time when the bus cannot be used. */
export class JetStreamRefusal extends BusUnreachable {
  readonly number: number

  constructor(number: number, description: string) {
    super(`The NATS servers answer: ${description} (${number}).`)
    this.number = number
  }
}

/** Numbers that mean something to the house. */
export const refusals = {
  noMessage: 10037,
  notEnabled: 10076,
  notEnabledForAccount: 10039,
  streamMissing: 10059,
  streamDiffers: 10058,
  wrongSequence: 10071,
} as const

/** No stream takes that subject just now: there is none, or it has no leader. */
export class NoStream extends BusUnreachable {}

interface Refused {
  readonly error?: { readonly err_code?: number; readonly code: number; readonly description?: string }
}

/**
 * Asks, and asks again until there is an answer: a stream that is about to choose its leader hears nobody. With `once`, what
 * must not be asked twice is not.
 */
export async function callApi<T>(inbox: Inbox, verb: string, request?: unknown, once = false): Promise<T> {
  const body = Buffer.from(request === undefined ? '' : JSON.stringify(request))
  return read<T>(await inbox.ask(`$JS.API.${verb}`, body, once ? {} : { againMs: limits.askAgainMs }))
}

/** Resolves with the number that the message got in its stream, once the stream has it for good. */
export async function publish(
  inbox: Inbox,
  subject: string,
  body: Uint8Array,
  headers?: Headers,
  withinMs?: number,
): Promise<number> {
  return read<{ seq: number }>(await inbox.ask(subject, body, { headers, withinMs })).seq
}

export function isRefused(error: unknown, number: number): boolean {
  return error instanceof JetStreamRefusal && error.number === number
}

/** Durations are told to the servers in nanoseconds. */
export const nanos = (ms: number) => ms * 1_000_000

function read<T>({ status, body }: Message): T {
  if (status === noResponders) throw new NoStream('No NATS server answers for that stream just now.')
  const answer = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString()) as T & Refused
  if (answer.error)
    throw new JetStreamRefusal(answer.error.err_code ?? answer.error.code, answer.error.description ?? '')
  return answer
}

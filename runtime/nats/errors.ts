/** Maps errors of the NATS clients to the errors of the contract. */
import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream'
import {
  ClosedConnectionError,
  DrainingConnectionError,
  InvalidArgumentError,
  type Msg,
  NoRespondersError,
  RequestError,
  TimeoutError,
} from '@nats-io/transport-node'
import { BusUnreachable } from './contract.js'

/** The servers are connected, and the call was not answered in time. */
export class Timeout extends BusUnreachable {}

/** No stream takes the subject at the moment: there is none, or it has no leader. */
export class NoStream extends BusUnreachable {}

/** The servers refused the call. A caller that does not know the code treats it as any BusUnreachable. */
export class Refused extends BusUnreachable {
  readonly code: number

  constructor({ code, message }: JetStreamApiError) {
    super(`The NATS servers answer: ${message} (${code}).`)
    this.code = code
  }
}

/** Codes of refusals that callers handle. */
export const refusals = {
  notEnabled: [10076, JetStreamApiCodes.JetStreamNotEnabledForAccount],
  noMessage: [JetStreamApiCodes.NoMessageFound],
  streamMissing: [JetStreamApiCodes.StreamNotFound],
  wrongSequence: [JetStreamApiCodes.StreamWrongLastSequence, JetStreamApiCodes.StreamWrongLastSequenceUnknown],
  /** The disk of the servers, or this user's quota of it, is used up. */
  storageFull: [10_023, 10_047, 10_077],
} as const

/** The status with which the servers answer a request that has no subscriber. */
export const noResponders = 503

export function isRefused(error: unknown, codes: readonly number[]): boolean {
  return error instanceof Refused && codes.includes(error.code)
}

/** The reply of the servers to a request that was sent without the clients. */
export function parseReply<T>({ headers, data }: Msg): T {
  if (headers?.code === noResponders) throw new NoStream('No NATS server answers for that stream just now.')
  const answer = JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.length).toString())
  if (answer.error) throw new Refused(new JetStreamApiError(answer.error))
  return answer
}

/**
 * Maps an error of the clients to one of the contract. An invalid argument is a bug of the caller and stays as it is.
 */
export function busError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BusUnreachable || error instanceof InvalidArgumentError)
    return error
  // The client hides both a refusal and a missing responder behind "jetstream is not enabled".
  const reason = error.cause instanceof Error ? error.cause : error
  if (reason instanceof JetStreamApiError) return new Refused(reason)
  if (reason instanceof NoRespondersError || (reason instanceof RequestError && reason.isNoResponders())) {
    return new NoStream('No NATS server answers for that stream just now.', { cause: error })
  }
  if (error instanceof TimeoutError) return new Timeout('No answer came in time.', { cause: error })
  if (error instanceof RequestError && error.cause !== undefined) {
    return new BusUnreachable(`The NATS servers refuse the call: ${error.message}.`, { cause: error })
  }
  if ([ClosedConnectionError, DrainingConnectionError, RequestError].some((kind) => error instanceof kind)) {
    return new BusUnreachable('The bus was closed.', { cause: error })
  }
  return error
}

/** Failure reasons of outgoing requests, each with the one sentence that users may read. */
import { errors } from 'undici'
import { AddressRefused, NameUnknown } from './guard.js'

export const failureMessages = {
  'refused-address': 'The URL does not lead to a public address.',
  'unknown-name': 'The host name could not be resolved.',
  timeout: 'The endpoint did not answer in time.',
  connection: 'The connection failed or was closed before an answer came.',
  tls: 'The endpoint could not prove its identity over TLS.',
  'too-large': 'The answer is larger than is read.',
  'too-many-redirects': 'The URL leads to further URLs, too many of them.',
  'bad-answer': 'The answer is not HTTP as it should be, or is encoded in a way that is not read.',
  stopped: 'The request was stopped on our side.',
  withheld: 'It must not go out any more.',
} as const

export type FailureReason = keyof typeof failureMessages

const reasonOfCode: Readonly<Record<string, FailureReason>> = {
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'bad-answer',
  UND_ERR_RESPONSE_EXCEEDED_MAX_SIZE: 'too-large',
  EPROTO: 'tls',
}

/** Error codes of the TLS layer and of certificate checks, by prefix. */
const tlsCode = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

export function reasonOf(error: unknown): FailureReason {
  if (error instanceof AddressRefused) return 'refused-address'
  if (error instanceof NameUnknown) return 'unknown-name'
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  if (error instanceof errors.HTTPParserError) return 'bad-answer'
  if (tlsCode.test(code)) return 'tls'
  return reasonOfCode[code] ?? 'connection'
}

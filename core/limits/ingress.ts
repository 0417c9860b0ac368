/** Bounds on input of providers and tenants, checked before it is processed. */
import { minute } from '../durations.js'

/** Tenants' keys for signing and verifying: the cost grows with the third power of their length. */
export const tenantKeys = Object.freeze({ rsaBits: 4_096 } as const)

/** Bounds on a provider's call before it is parsed. Each stands well above what the provider sends. */
export const ingressBounds = Object.freeze({
  /** JSON; the token bound corresponds to a mebibyte of events. */
  json: { depth: 32, tokens: 100_000 },
  /** A message of Twilio has 1,600 characters and some thirty parameters. */
  twilioForm: { bytes: 64 * 1024, parameters: 256 },
  /** A Slack tap arrives as one parameter, together with its message. */
  slackForm: { bytes: 256 * 1024, parameters: 16 },
  /** The handshake of an RCS Business Messaging webhook: a token and a secret. */
  rbmGreetingBytes: 8 * 1024,
} as const)

/** Log lines of agents about refused calls. */
export const refusedCalls = Object.freeze({
  /** Per binding and event: one line when calls begin, and then one per this window. */
  windowMs: minute,
  /** Bindings and events that are counted at once; calls of further ones have no line. */
  bindings: 1_000,
  problemChars: 200,
} as const)

export { bulk } from './throttle.js'

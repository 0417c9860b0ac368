/** What providers send and what tenants bring along, bounded before it is used. */
import { minute } from '../durations.js'

/** Keys of tenants that sign or verify: time grows with the third power of their length. */
export const tenantKeys = { rsaBits: 4_096 } as const

/** What a call of a provider may hold before it is parsed. Every bound stands well above what the provider sends. */
export const ingressBounds = {
  /** JSON; the marks are those of a mebibyte of events. */
  json: { depth: 32, tokens: 100_000 },
  /** A message of Twilio has 1,600 characters and some thirty parameters. */
  twilioForm: { bytes: 64 * 1024, parameters: 256 },
  /** What was tapped in Slack comes as one parameter, with the message that it stood in. */
  slackForm: { bytes: 256 * 1024, parameters: 16 },
  /** The call by which a webhook of RCS Business Messaging is set up: a token and a secret. */
  rbmGreetingBytes: 8 * 1024,
} as const

/** Lines of agents' logs about calls that were refused. */
export const refusedCalls = {
  /** For each binding and event there is one line when calls begin, and then one in this time. */
  windowMs: minute,
  /** Bindings and events that are counted at once; calls of further ones have no line. */
  bindings: 1_000,
  problemChars: 200,
} as const

export { bulk } from './throttle.js'

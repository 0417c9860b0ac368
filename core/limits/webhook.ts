/** Limits of an agent's webhook, its replies and its gateway access. */
import { minute, second } from '../durations.js'

/** Calls to the webhook of an agent. */
export const agentWebhook = Object.freeze({
  connectMs: 5 * second,
  /** The response must begin within this; only a streamed reply may take longer. */
  headersMs: 10 * second,
  totalMs: minute,
  /** Waits before each retry of an event that the webhook did not accept. */
  retryAfterMs: [second, 5 * second, 25 * second, 125 * second],
  /** The longest wait that a webhook may ask for with `Retry-After`. */
  retryAfterMaxMs: 5 * minute,
  /** The longest wait for the next line of a streamed reply. */
  lineMs: 30 * second,
  replyBytes: 1024 * 1024,
  /** Lines of a streamed reply; blank ones are not counted. */
  replyLines: 1_000,
  /** Problems of one reply that are reported, and log lines about it. */
  notesPerReply: 20,
} as const)

/** Operator rules on agent messages. */
export const replyRules = Object.freeze({
  /** Steps that all rules of an agent may take for one message; about a second of work at worst. */
  messageSteps: 10_000_000,
} as const)

/** Gateway access of an agent: its access token, its signing secret, its webhook. */
export const gatewayAccess = Object.freeze({
  tokenBytes: 32,
  secretBytes: 32,
  instanceIdChars: 200,
  /** Access tokens and agent routings that a process caches. */
  cachedTokens: 10_000,
  cachedAgents: 10_000,
} as const)

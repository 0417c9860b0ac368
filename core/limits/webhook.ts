/** The numbers of what agents are told and what they say; everybody reads them through `limits.ts`. */
import { minute, second } from '../durations.js'

/** Calls to the webhook of an agent. */
export const agentWebhook = {
  connectMs: 5 * second,
  /** Within this it has answered; only what it says line by line may take longer. */
  headersMs: 10 * second,
  totalMs: minute,
  /** Wait before each further try of an event that the webhook did not take. */
  retryAfterMs: [second, 5 * second, 25 * second, 125 * second],
  /** The most that a webhook may ask to be left alone for by `Retry-After`. */
  retryAfterMostMs: 5 * minute,
  /** The longest wait for the next line of a reply that is told line by line. */
  lineMs: 30 * second,
  replyBytes: 1024 * 1024,
  /** Of a reply that is told line by line; blank ones are not counted. */
  replyLines: 1_000,
  /** Problems of one reply that are told, and lines of the agent's log about it. */
  notesPerReply: 20,
} as const

/** Rules on what agents say. */
export const replyRules = {
  /** Steps that all rules of an agent may take for one message; about a second of work at worst. */
  messageSteps: 10_000_000,
} as const

/** An agent's way in and out of the gateway: its access token, its signing secret, its webhook. */
export const gatewayAccess = {
  tokenBytes: 32,
  secretBytes: 32,
  instanceIdChars: 200,
  /** Access tokens whose place, and agents whose routes, a process keeps at hand. */
  cachedTokens: 10_000,
  cachedAgents: 10_000,
} as const

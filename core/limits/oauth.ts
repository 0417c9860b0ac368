/** Limits of OAuth sign-ins at outside providers. */
import { day, hour, minute, second } from '../durations.js'

/** Sign-ins at outside providers, and the connections that result. */
export const oauth = Object.freeze({
  /** How long a person may take between the start of a sign-in and its end. */
  stateMs: 10 * minute,
  stateBytes: 16,
  stateChars: 1_024,
  verifierBytes: 32,
  /** Pending sign-ins, for each org and each agent; one more ends the oldest. */
  pendingPerOwner: 50,
  connectionsPerOrg: 200,
  /** Disconnected connections whose ids an org remembers. */
  endedConnectionsPerOrg: 200,
  labelChars: 120,
  accountLabelChars: 200,
  returnToChars: 2_048,
  lastErrorChars: 300,
  /** A token is renewed when it has this much left, or less. */
  renewBeforeMs: minute,
  /** A process that renews a token has this long before another may try. */
  renewalMs: 45 * second,
  /** Attempts to save a renewed token, each for the duration of a command. */
  renewalTries: 3,
  /** How often, and how many times, other processes check for the renewed token. */
  renewalPollMs: 250,
  renewalPolls: 60,
  /** `lastUsedAt` is written at most this often. */
  lastUsedEveryMs: minute,
  /** How long revocation is retried at an unreachable provider. */
  revokeForMs: day,
  connectMs: 5 * second,
  headersMs: 10 * second,
  totalMs: 15 * second,
  answerBytes: 256 * 1024,
  providersFileBytes: 256 * 1024,
  /** How long a provider's discovery document is cached. */
  discoveryMs: hour,
} as const)

/** The numbers of signing in at outside providers, each with its unit last. */
import { day, hour, minute, second } from '../durations.js'

/** Signing in at outside providers, and keeping what comes of it. */
export const oauth = {
  /** How long a person may take between the start of a sign-in and its end. */
  stateMs: 10 * minute,
  stateBytes: 16,
  stateChars: 1_024,
  verifierBytes: 32,
  /** Sign-ins that wait for their end, for each org and each agent; one more ends the oldest. */
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
  /** Whoever renews a token has this long before another may try. */
  renewalMs: 45 * second,
  /** How often it is tried to keep what was renewed, each time for as long as an ask takes. */
  renewalTries: 3,
  /** Others look this often, and so many times, whether it is done. */
  renewalPollMs: 250,
  renewalPolls: 60,
  /** `lastUsedAt` is written at most this often. */
  lastUsedEveryMs: minute,
  /** How long a provider that cannot be reached is asked to take a grant back. */
  revokeForMs: day,
  connectMs: 5 * second,
  headersMs: 10 * second,
  totalMs: 15 * second,
  answerBytes: 256 * 1024,
  providersFileBytes: 256 * 1024,
  /** How long what a provider says of itself is good for. */
  discoveryMs: hour,
} as const

/** Limits of credentials and of the audit trail. */
import { day, hour, minute } from '../durations.js'

export const bootstrapKey = Object.freeze({ minDifferentChars: 8 } as const)

/** Links that open an agent's personas to others. */
export const emulatorLink = Object.freeze({
  perAgent: 100,
  labelChars: 100,
  lifetimeMs: 30 * day,
  lifetimeMaxMs: 365 * day,
  /** `lastUsedAt` of a link is written at most this often. */
  lastUsedEveryMs: minute,
} as const)

/** The audit trail of an org. */
export const audit = Object.freeze({
  retentionMs: 180 * day,
  /** Expired entries that one write removes. */
  removedPerWrite: 20,
  /** Entries that one call of the list scans. */
  scannedPerCall: 2_000,
  /** Refused calls are counted per actor within this window, for this many actors and orgs at a time. */
  refusedWindowMs: hour,
  refusedActorsPerOrg: 20,
  refusedOrgs: 200,
} as const)

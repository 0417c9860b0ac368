/** The numbers of credentials, each with its unit last. */
import { day, hour, minute } from '../durations.js'

export const bootstrapKey = { minDifferentChars: 8 } as const

/** Links that open an agent's personas to others. */
export const emulatorLink = {
  perAgent: 100,
  labelChars: 100,
  lifetimeMs: 30 * day,
  lifetimeMaxMs: 365 * day,
  /** How often its use is written down. */
  lastUsedEveryMs: minute,
} as const

/** The audit trail of an org. */
export const audit = {
  keptMs: 180 * day,
  /** Entries past their time that one write takes away. */
  droppedPerWrite: 20,
  /** Entries that one call of the list looks at. */
  scannedPerCall: 2_000,
  /** Refused calls of one actor are counted for so long, and for so many actors and orgs at a time. */
  refusedWindowMs: hour,
  refusedActorsPerOrg: 20,
  refusedOrgs: 200,
} as const

/** The numbers of credentials, each with its unit last. */
import { day, minute } from './durations.js'

export const bootstrapKey = { minDifferentChars: 8 } as const

/** Links that open an agent's personas to others. */
export const emulatorLink = {
  perAgent: 100,
  labelChars: 100,
  lifetimeMs: 30 * day,
  lifetimeMostMs: 365 * day,
  /** How often its use is written down. */
  lastUsedEveryMs: minute,
} as const

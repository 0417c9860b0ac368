/** Limits of automation rules and reminders. */

/** Rules per agent, and rows of their runs that one step processes. */
export const automation = Object.freeze({
  rules: 100,
  nameChars: 200,
  fieldChars: 128,
  delayMaxMinutes: 43_200,
  rowsPerPickup: 200,
  rowsPerSweep: 500,
  rowsPerRead: 500,
} as const)

export const reminder = Object.freeze({
  /** How long before an appointment its reminder goes out, by default. */
  leadMinutes: 1_440,
} as const)

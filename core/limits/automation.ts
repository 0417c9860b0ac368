/** The numbers of rules that send by themselves and of reminders; everybody reads them through `limits.ts`. */

/** What an agent may have of rules, and how much of what they made is looked at or let go of at a time. */
export const automation = {
  rules: 100,
  nameChars: 200,
  fieldChars: 128,
  delayMostMinutes: 43_200,
  rowsPerPickup: 200,
  rowsPerSweep: 500,
  rowsPerRead: 500,
} as const

export const reminder = {
  /** How long before an appointment its reminder goes out where nobody says how long. */
  leadMinutes: 1_440,
} as const

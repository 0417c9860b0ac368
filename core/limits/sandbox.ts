/** Limits of the sandbox with its personas, and of outreach links. */
import { day, second } from '../durations.js'

/** Personas, and what is done as one. */
export const persona = Object.freeze({
  perAgent: 500,
  nameChars: 100,
  productInterestChars: 200,
  customValueChars: 2_000,
  seedLines: 40,
  seedChars: 4_000,
  bodyBytes: 1024 ** 2,
} as const)

/** One turn of a sandbox conversation; test cases have the same form. */
export const directive = Object.freeze({
  textChars: 4_000,
  chipChars: 200,
  slotMax: 50,
  labelChars: 200,
  urlChars: 2_000,
  /** How many rows back a picker or a confirmation is searched. */
  rowsScanned: 60,
} as const)

export const sandbox = Object.freeze({
  /** How long the caller of a turn waits for the agent: slightly longer than the agent's own time limit. */
  answerMs: 12 * second,
  /** How often the agent's answer is polled: the interval doubles up to the second. */
  pollFirstMs: 20,
  pollMaxMs: 320,
  /** Of one reply; the list of turns shows longer ones in full. */
  repliesShown: 50,
  rowsDeletedPerStep: 500,
} as const)

/** Links to the page where a tester enters a number. */
export const outreachLink = Object.freeze({
  perAgent: 100,
  labelChars: 200,
  usesDefault: 25,
  usesMax: 500,
  lifetimeDefaultMs: 14 * day,
  lifetimeMaxMs: 30 * day,
  codeBytes: 16,
  formBytes: 2_048,
  numberChars: 64,
} as const)

/** Page views and attempts of one address, and messages to one number, over all links. */
export const linkBudgets = Object.freeze({
  linkViews: { burstCalls: 60, refillPerSecond: 1 },
  linkAttempts: { burstCalls: 20, refillPerSecond: 0.02 },
  linkNumbers: { burstCalls: 4, refillPerSecond: 0.001 },
} as const)

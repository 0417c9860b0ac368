/** The numbers of rehearsing with personas and of outreach links, each with its unit last. */
import { day, second } from '../durations.js'

/** Somebody to rehearse with, and what is done as them. */
export const persona = {
  perAgent: 500,
  nameChars: 100,
  productInterestChars: 200,
  customValueChars: 2_000,
  seedLines: 40,
  seedChars: 4_000,
  bodyBytes: 1024 ** 2,
} as const

/** One turn of a rehearsal, as test cases write it too. */
export const directive = {
  textChars: 4_000,
  chipChars: 200,
  slotMost: 50,
  labelChars: 200,
  urlChars: 2_000,
  /** How far back a picker or a confirmation is looked for, in what was said. */
  rowsScanned: 60,
} as const

export const sandbox = {
  /** How long the caller of a turn waits for the agent, a little more than the agent has for an answer. */
  answerMs: 12 * second,
  /** How soon it is looked whether the agent has answered: each time twice as long after, up to the second. */
  pollFirstMs: 20,
  pollMaxMs: 320,
  /** Of one reply: an agent that says more is read with the list of turns. */
  repliesShown: 50,
  rowsDeletedPerStep: 500,
} as const

/** Links to the page where a tester enters a number. */
export const outreachLink = {
  perAgent: 100,
  labelChars: 200,
  usesDefault: 25,
  usesMost: 500,
  lifetimeDefaultMs: 14 * day,
  lifetimeMostMs: 30 * day,
  codeBytes: 16,
  formBytes: 2_048,
  numberChars: 64,
} as const

/** What one address may look at and try, and how often one number is written to, whichever link it is entered at. */
export const linkBudgets = {
  linkViews: { burstCalls: 60, refillPerSecond: 1 },
  linkAttempts: { burstCalls: 20, refillPerSecond: 0.02 },
  linkNumbers: { burstCalls: 4, refillPerSecond: 0.001 },
} as const

/** The numbers of the HTTP front: sizes, what one address may take, and how a stop is spent. */
import { second } from '../durations.js'

export const http = {
  bodyBytes: 256 * 1024,
  jsonDepth: 32,
  /** Members of objects and elements of arrays in one body. */
  jsonValues: 120_000,
  /** Different names of members in one body; a body with fewer than twice as many keys may pass. */
  jsonNames: 5_000,
  headerBytes: 32 * 1024,
  pathChars: 2_048,
  inFlightRequests: 10_000,
  /** Up to so many requests in flight it is not counted which address they are from. */
  inFlightUncounted: 500,
  inFlightPerAddress: 2_000,
  /** Of request bodies that came in more than one piece, until they are answered. */
  bufferedBodyBytes: 256 * 1024 ** 2,
  bufferedBodyBytesPerAddress: 32 * 1024 ** 2,
  /** A body of which nothing further comes for so long is answered 408. */
  bodyStallSeconds: 5,
  socketsTotal: 20_000,
  /** Connections that one address opens; trusted proxies may open any number. */
  connectionsPerAddress: { burstCalls: 1_000, refillPerSecond: 200 },
  /** Addresses whose openings are counted; beyond them all begin anew. */
  addressesKept: 100_000,
  retryAfterSeconds: 1,
  tokenChars: 4_096,
  /** The text of an answer that is given again and again is kept up to this length. */
  cachedTextChars: 8 * 1024,
} as const

/**
 * A stop has ten seconds in all: requests in flight get the first part, effects under way the second. Connections are
 * taken for a moment longer, so that callers on their way are answered and learn that the connection ends.
 */
export const shutdown = { lingerMs: 200, requestsMs: 5 * second, effectsMs: 3 * second, wholeMs: 9.5 * second } as const

/** Open files: what is left to the data and the rest, and what connections to others may take of it. */
export const descriptors = {
  reserve: 32,
  socketsLeast: 8,
  outgoingLeast: 4,
  outgoingMost: 8_192,
  /** One host gets this part of the outgoing connections at most. */
  hostShare: 4,
  checkEveryMs: 5 * second,
} as const

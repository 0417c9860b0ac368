/** Limits of the HTTP server: sizes, shares of one address, and the phases of a shutdown. */
import { second } from '../durations.js'

export const http = Object.freeze({
  bodyBytes: 256 * 1024,
  jsonDepth: 32,
  /** Members of objects and elements of arrays in one body. */
  jsonValues: 120_000,
  /** Different member names in one body; a body with fewer than twice as many keys may pass. */
  jsonNames: 5_000,
  headerBytes: 32 * 1024,
  pathChars: 2_048,
  inFlightRequests: 10_000,
  /** Up to this many requests in flight, addresses are not counted. */
  inFlightUncounted: 500,
  inFlightPerAddress: 2_000,
  /** Request bodies that arrived in more than one piece, until they are answered. */
  bufferedBodyBytes: 256 * 1024 ** 2,
  bufferedBodyBytesPerAddress: 32 * 1024 ** 2,
  /** A body that makes no progress for this long is answered 408. */
  bodyStallSeconds: 5,
  socketsTotal: 20_000,
  /** Connections that one address opens; trusted proxies are exempt. */
  connectionsPerAddress: { burstCalls: 1_000, refillPerSecond: 200 },
  /** Addresses with counted connections; beyond them all counts restart. */
  countedAddresses: 100_000,
  retryAfterSeconds: 1,
  tokenChars: 4_096,
  /** The text of a repeated answer is cached up to this length. */
  cachedTextChars: 8 * 1024,
} as const)

/**
 * A shutdown takes ten seconds in all: requests in flight get the first part, effects in flight the second. New
 * connections are accepted for a moment longer, so that their callers get an answer and learn that the connection ends.
 */
export const shutdown = Object.freeze({
  lingerMs: 200,
  requestsMs: 5 * second,
  effectsMs: 3 * second,
  wholeMs: 9.5 * second,
} as const)

/** Open files: the reserve for data and other uses, and the shares of connections. */
export const descriptors = Object.freeze({
  reserve: 32,
  socketsMin: 8,
  outgoingMin: 4,
  outgoingMax: 8_192,
  /** One host gets at most one in this many outgoing connections. */
  hostShare: 4,
  checkEveryMs: 5 * second,
} as const)

/** Limits of traffic reads. */
import { day } from '../durations.js'

export const traffic = Object.freeze({
  defaultRows: 200,
  maxRows: 1_000,
  /** How far back a list without a start goes. */
  windowMs: day,
  /** Records that one shard scans in one read, matching or not. */
  rowsPerRead: 250,
  /** Reads of all shards for one page; a page that is not full by then is returned as it is. */
  roundsPerPage: 40,
  /** Rows that each shard is first asked for beyond its even share of the page. */
  slackRows: 8,
  /** Of the first message of a conversation. */
  previewChars: 140,
  idChars: 200,
  eventChars: 100,
} as const)

/** The numbers of reads of traffic; everybody reads them through `limits.ts`. */
import { day } from '../durations.js'

export const traffic = {
  defaultRows: 200,
  maxRows: 1_000,
  /** How far back a list goes that is not told when to begin. */
  windowMs: day,
  /** Records that one shard looks at in one go, wanted or not. */
  rowsPerRead: 250,
  /** How often all shards are asked for one page; a page that is not full by then is handed out as it is. */
  roundsPerPage: 40,
  /** What each shard is asked for at first, beyond its even share of the page. */
  slackRows: 8,
  /** Of the first message of a conversation. */
  previewChars: 140,
  idChars: 200,
  eventChars: 100,
} as const

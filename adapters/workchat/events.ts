/** Slack's events: what people wrote, in direct messages and in channels. */
import type { Item } from '../../core/channel/adapter.js'
import type { ToldContent } from '../../core/channel/held.js'
import { adapter as limits } from '../../core/limits.js'
import { asText, isRecord } from '../kit/wire.js'
import { addressOf } from './address.js'
import type { Loose } from './blocks.js'
import type { SlackAuth } from './descriptor.js'
import { mediaFrom } from './media.js'
import { plainWords } from './words.js'

/** Messages of these kinds are somebody's own words; all others tell of something that happened to a message. */
const spoken: readonly unknown[] = [undefined, 'file_share', 'thread_broadcast', 'me_message']

export function eventItems({ type, event }: Loose, auth: SlackAuth): Item[] {
  if (type !== 'event_callback' || !isRecord(event)) return [{ problem: 'a call of a kind that is not understood' }]
  if (event.type !== 'message' && event.type !== 'app_mention') return [{ problem: 'an event that is not understood' }]
  // Our own messages come back, and those of other bots are nobody's.
  if (event.bot_id !== undefined || event.subtype === 'bot_message') return []
  if (!spoken.includes(event.subtype)) return [{ problem: 'a message of a kind that is not understood' }]
  const [channel, user, ts] = [named(event.channel), named(event.user), named(event.ts)]
  if (!channel || !user || !ts) return [{ problem: 'a message without `channel`, `user` or `ts`' }]
  const content = contentIn(event, auth)
  if (!content) return [{ problem: 'a message that says nothing that is understood' }]
  // Where we are mentioned the same message is told twice, as two events: it is known by its time in its channel.
  return [{ id: `${channel}:${ts}`, address: addressOf(channel, user), inbound: { kind: 'content', content } }]
}

/** Two of them and what parts them fit into an address. */
export function named(value: unknown): string | undefined {
  return typeof value === 'string' && value.length < limits.addressChars / 2 && /^[\w.-]+$/.test(value)
    ? value
    : undefined
}

function contentIn({ text, files }: Loose, auth: SlackAuth): ToldContent | undefined {
  const said = asText(text)
  const shared: readonly unknown[] = Array.isArray(files) ? files.slice(0, limits.mediaPerItem) : []
  const media = shared.flatMap((file) => mediaFrom(file, auth))
  const content = { ...(said && { text: plainWords(said) }), ...(media.length > 0 && { media }) }
  return Object.keys(content).length > 0 ? content : undefined
}

/** Slack's events: what people wrote, in direct messages and in channels. */
import type { Item } from '../../core/channel/adapter.js'
import type { UserContent, UserMedia } from '../../core/conversation/state.js'
import { adapter as limits } from '../../core/limits.js'
import { asText, isRecord } from '../kit/wire.js'
import { addressOf } from './address.js'
import type { Loose } from './blocks.js'
import { plainWords } from './words.js'

/** Messages of these kinds are somebody's own words; all others tell of something that happened to a message. */
const spoken: readonly unknown[] = [undefined, 'file_share', 'thread_broadcast', 'me_message']

export function eventItems({ type, event }: Loose): Item[] {
  if (type !== 'event_callback' || !isRecord(event)) return [{ problem: 'a call of a kind that is not understood' }]
  if (event.type !== 'message' && event.type !== 'app_mention') return [{ problem: 'an event that is not understood' }]
  // Our own messages come back, and those of other bots are nobody's.
  if (event.bot_id !== undefined || event.subtype === 'bot_message') return []
  if (!spoken.includes(event.subtype)) return [{ problem: 'a message of a kind that is not understood' }]
  const [channel, user, ts] = [named(event.channel), named(event.user), named(event.ts)]
  if (!channel || !user || !ts) return [{ problem: 'a message without `channel`, `user` or `ts`' }]
  const content = contentIn(event)
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

function contentIn({ text, files }: Loose): UserContent | undefined {
  const said = asText(text)
  const media = Array.isArray(files) ? files.slice(0, limits.mediaPerItem).flatMap(mediaFrom) : []
  const content = { ...(said && { text: plainWords(said) }), ...(media.length > 0 && { media }) }
  return Object.keys(content).length > 0 ? content : undefined
}

/** Its address opens with the bot token of the binding only. */
function mediaFrom(file: unknown): UserMedia[] {
  if (!isRecord(file)) return []
  const { url_private: at, mimetype, name } = file
  const short = (value: unknown) =>
    typeof value === 'string' && value.length <= limits.detailChars ? value : undefined
  const [url, type, called] = [asText(at), short(mimetype), short(name)]
  return url ? [{ url, ...(type && { type }), ...(called && { name: called }) }] : []
}

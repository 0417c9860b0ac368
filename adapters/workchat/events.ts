/** Slack's events: what people wrote, in direct messages and in channels. */
import type { Item } from '../../core/channel/adapter.js'
import type { ToldContent, ToldInbound } from '../../core/channel/held.js'
import { adapter as limits } from '../../core/limits.js'
import { edited, notUnderstood } from '../kit/inbound.js'
import { asText, isRecord } from '../kit/wire.js'
import { addressOf, idIn } from './address.js'
import type { Loose } from './blocks.js'
import type { SlackAuth } from './descriptor.js'
import { mediaFrom } from './media.js'
import { plainWords } from './words.js'

/** Messages of these kinds are somebody's own words; all others tell of something that happened to a message. */
const spoken: readonly unknown[] = [undefined, 'file_share', 'thread_broadcast', 'me_message']

/** Undefined when something that a person said cannot be read. */
export function eventItems({ type, event }: Loose, auth: SlackAuth): readonly Item[] | undefined {
  if (type !== 'event_callback' || !isRecord(event)) return [{ problem: 'a call of a kind that is not understood' }]
  if (event.type !== 'message' && event.type !== 'app_mention') return [{ problem: 'an event that is not understood' }]
  // Our own messages come back, and those of other bots are nobody's.
  if (event.bot_id !== undefined || event.subtype === 'bot_message') return []
  if (event.subtype === 'message_changed') return editItems(event)
  if (!spoken.includes(event.subtype)) return [{ problem: 'a message of a kind that is not understood' }]
  const [channel, user, ts] = [named(event.channel), named(event.user), named(event.ts)]
  if (!channel || !user || !ts) return undefined
  // Where we are mentioned the same message is told twice, as two events: it is known by its time in its channel.
  const id = idIn(`${channel}:${ts}`, threadIn(event))
  return [{ id, address: addressOf(channel, user), inbound: inboundIn(event, auth) }]
}

/**
 * A person who edits a message says something new. Slack tells the same of messages that only got a preview of their links,
 * and of those of bots.
 */
function editItems({ channel: place, ts: at, message, previous_message: before }: Loose): readonly Item[] | undefined {
  if (!isRecord(message) || message.bot_id !== undefined) return []
  const [said, was] = [asText(message.text) ?? '', isRecord(before) ? asText(before.text) : undefined]
  if (said === was || said === '') return []
  const [channel, user, ts] = [named(place), named(message.user), named(at)]
  if (!channel || !user || !ts) return undefined
  const id = idIn(`${channel}:${ts}`, threadIn(message))
  return [{ id, address: addressOf(channel, user), inbound: edited(plainWords(said)) }]
}

/** The thread that a message stands in. */
export function threadIn({ thread_ts: thread }: Loose): string | undefined {
  return typeof thread === 'string' && /^\d{1,16}\.\d{1,9}$/.test(thread) ? thread : undefined
}

/** Two of them and what parts them fit into an address. */
export function named(value: unknown): string | undefined {
  return typeof value === 'string' && value.length < limits.addressChars / 2 && /^[\w.-]+$/.test(value)
    ? value
    : undefined
}

/** Files that cannot be told are mentioned, as is a message without words, such as one that was passed on. */
function inboundIn({ text, files }: Loose, auth: SlackAuth): ToldInbound {
  const said = asText(text)
  const shared: readonly unknown[] = Array.isArray(files) ? files : []
  const media = shared.flatMap((file) => mediaFrom(file, auth)).slice(0, limits.mediaPerItem)
  const words = said ? [plainWords(said)] : []
  const isWhole = media.length === shared.length && (words.length > 0 || media.length > 0)
  const missing = isWhole ? [] : [notUnderstood(shared.length > 0 ? 'a file' : 'a message').content.text!]
  const lines = [...words, ...missing]
  const content: ToldContent = {
    ...(lines.length > 0 && { text: lines.join('\n') }),
    ...(media.length > 0 && { media }),
  }
  return { kind: 'content', content }
}

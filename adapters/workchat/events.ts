/** Slack's events: what people wrote, in direct messages and in channels. */
import type { Item } from '../../core/channel/adapter.js'
import type { ToldContent, ToldInbound } from '../../core/channel/held.js'
import { isRecord } from '../../core/json.js'
import { adapter as limits } from '../../core/limits.js'
import { edited, notUnderstood } from '../kit/inbound.js'
import { asText } from '../kit/wire.js'
import { addressOf, idIn } from './address.js'
import type { Loose } from './blocks.js'
import type { SlackAuth } from './descriptor.js'
import { mediaFrom } from './media.js'
import { plainWords } from './words.js'

/** Events of the app and of its channels, in which no person says anything. */
const aboutTheApp: readonly unknown[] = [
  'app_home_opened',
  'app_rate_limited',
  'app_uninstalled',
  'channel_archive',
  'channel_created',
  'channel_deleted',
  'channel_rename',
  'channel_unarchive',
  'member_joined_channel',
  'member_left_channel',
  'tokens_revoked',
]

/** Messages of these kinds tell of something that happened to a channel or to a message, and are no words of a person. */
const aboutTheChannel: readonly unknown[] = [
  ...['bot_add', 'bot_message', 'bot_remove', 'message_deleted', 'message_replied', 'pinned_item', 'unpinned_item'],
  ...[
    'archive',
    'convert_to_private',
    'join',
    'leave',
    'name',
    'posting_permissions',
    'purpose',
    'topic',
    'unarchive',
  ].flatMap((what) => [`channel_${what}`, `group_${what}`]),
  ...['assistant_app_thread', 'ekm_access_denied', 'huddle_thread', 'reminder_add', 'tombstone'],
]

/** Undefined when something that a person said cannot be read. */
export function eventItems({ type, event }: Loose, auth: SlackAuth): readonly Item[] | undefined {
  if (aboutTheApp.includes(type)) return []
  if (type !== 'event_callback' || !isRecord(event)) return [{ problem: 'a call of a kind that is not understood' }]
  if (aboutTheApp.includes(event.type)) return []
  if (event.type === 'reaction_added' || event.type === 'reaction_removed') return reactionItems(event)
  if (event.type !== 'message' && event.type !== 'app_mention') return [{ problem: 'an event that is not understood' }]
  // Our own messages come back, and other bots are no people.
  if (event.bot_id !== undefined || aboutTheChannel.includes(event.subtype)) return []
  if (event.subtype === 'message_changed') return editItems(event)
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
  if (said === was) return []
  const [channel, user, ts] = [named(place), named(message.user), named(at)]
  if (!channel || !user || !ts) return undefined
  const id = idIn(`${channel}:${ts}`, threadIn(message))
  return [{ id, address: addressOf(channel, user), inbound: edited(plainWords(said)) }]
}

function reactionItems({ type, user: person, reaction, item, event_ts: at }: Loose): readonly Item[] | undefined {
  const [channel, user, ts] = [isRecord(item) ? named(item.channel) : undefined, named(person), named(at)]
  if (!channel || !user || !ts) return undefined
  const what = type === 'reaction_removed' ? 'back a reaction' : 'a reaction'
  const inbound = notUnderstood(what, asText(reaction))
  return [{ id: `${channel}:${ts}:reaction`, address: addressOf(channel, user), inbound }]
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

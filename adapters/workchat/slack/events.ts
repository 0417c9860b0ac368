/** Reads Slack's events: messages of people, in direct messages and in channels. */
import type { Item } from '../../../core/channel/adapter.js'
import type { ReportedContent, ReportedInbound } from '../../../core/channel/providermedia.js'
import { isRecord } from '../../../core/json.js'
import { adapter as limits } from '../../../core/limits/index.js'
import { asText } from '../../kit/http.js'
import { editNotice, notUnderstood } from '../../kit/inbound.js'
import { addressOf, idIn } from './address.js'
import type { JsonObject } from './blocks.js'
import type { SlackAuth } from './descriptor.js'
import { mediaFrom } from './media.js'
import { plainText } from './plaintext.js'

/** Events of the app and of its channels, without messages of people. */
const appEvents: readonly unknown[] = [
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

/** Subtypes that report changes of a channel or of a message, and no words of a person. */
const channelSubtypes: readonly unknown[] = [
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

/** Undefined when the message of a person cannot be read. */
export function eventItems({ type, event }: JsonObject, auth: SlackAuth): readonly Item[] | undefined {
  if (appEvents.includes(type)) return []
  if (type !== 'event_callback' || !isRecord(event)) return [{ problem: 'a call of a kind that is not understood' }]
  if (appEvents.includes(event.type)) return []
  if (event.type === 'reaction_added' || event.type === 'reaction_removed') return reactionItems(event)
  if (event.type !== 'message' && event.type !== 'app_mention') return [{ problem: 'an event that is not understood' }]
  // Our own messages come back as events, and other bots are no people.
  if (event.bot_id !== undefined || channelSubtypes.includes(event.subtype)) return []
  if (event.subtype === 'message_changed') return editItems(event)
  const [channel, user, ts] = [nameIn(event.channel), nameIn(event.user), nameIn(event.ts)]
  if (!channel || !user || !ts) return undefined
  // A mention arrives as two events with the same message, so channel and timestamp identify it.
  const id = idIn(`${channel}:${ts}`, threadIn(event))
  return [{ id, address: addressOf(channel, user), inbound: inboundIn(event, auth) }]
}

/**
 * An edit by a person becomes a note. Slack sends the same event when a message only got a link preview, and for
 * messages of bots.
 */
function editItems({
  channel: rawChannel,
  ts: at,
  message,
  previous_message: previous,
}: JsonObject): readonly Item[] | undefined {
  if (!isRecord(message) || message.bot_id !== undefined) return []
  const [newText, oldText] = [asText(message.text) ?? '', isRecord(previous) ? asText(previous.text) : undefined]
  if (newText === oldText) return []
  const [channel, user, ts] = [nameIn(rawChannel), nameIn(message.user), nameIn(at)]
  if (!channel || !user || !ts) return undefined
  const id = idIn(`${channel}:${ts}`, threadIn(message))
  return [{ id, address: addressOf(channel, user), inbound: editNotice(plainText(newText)) }]
}

function reactionItems({ type, user: person, reaction, item, event_ts: at }: JsonObject): readonly Item[] | undefined {
  const [channel, user, ts] = [isRecord(item) ? nameIn(item.channel) : undefined, nameIn(person), nameIn(at)]
  if (!channel || !user || !ts) return undefined
  const description = type === 'reaction_removed' ? 'back a reaction' : 'a reaction'
  const inbound = notUnderstood(description, asText(reaction))
  return [{ id: `${channel}:${ts}:reaction`, address: addressOf(channel, user), inbound }]
}

/** The thread of a message. */
export function threadIn({ thread_ts: thread }: JsonObject): string | undefined {
  return typeof thread === 'string' && /^\d{1,16}\.\d{1,9}$/.test(thread) ? thread : undefined
}

/** Names are short enough that two of them and the separator fit into an address. */
export function nameIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.length < limits.addressChars / 2 && /^[\w.-]+$/.test(value)
    ? value
    : undefined
}

/** Files that cannot be opened become a note, as does a message without text, such as a forwarded one. */
function inboundIn({ text, files }: JsonObject, auth: SlackAuth): ReportedInbound {
  const bodyText = asText(text)
  const shared: readonly unknown[] = Array.isArray(files) ? files : []
  const media = shared.flatMap((file) => mediaFrom(file, auth)).slice(0, limits.mediaPerItem)
  const words = bodyText ? [plainText(bodyText)] : []
  const isWhole = media.length === shared.length && (words.length > 0 || media.length > 0)
  const notice = isWhole ? [] : [notUnderstood(shared.length > 0 ? 'a file' : 'a message').content.text!]
  const lines = [...words, ...notice]
  const content: ReportedContent = {
    ...(lines.length > 0 && { text: lines.join('\n') }),
    ...(media.length > 0 && { media }),
  }
  return { kind: 'content', content }
}

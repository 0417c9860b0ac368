/** Reads taps on Slack: buttons and menu options. */
import type { Item } from '../../../core/channel/adapter.js'
import { parsePostback } from '../../../core/channel/postback.js'
import { isRecord } from '../../../core/json.js'
import { asText } from '../../kit/http.js'
import { notUnderstood } from '../../kit/inbound.js'
import { addressOf, idIn } from './address.js'
import { isLinkName, type JsonObject } from './blocks.js'
import { nameIn, threadIn } from './events.js'

/** Undefined when the payload does not name the person. */
export function tapItems({ type, user, channel, message, actions }: JsonObject): readonly Item[] | undefined {
  if (type !== 'block_actions') return [{ problem: 'an interaction of a kind that is not understood' }]
  const [channelId, person] = [
    isRecord(channel) ? nameIn(channel.id) : undefined,
    isRecord(user) ? nameIn(user.id) : undefined,
  ]
  if (!channelId || !person) return undefined
  if (!Array.isArray(actions)) return [{ problem: '`actions` is not a list' }]
  const messageRecord = isRecord(message) ? message : {}
  const context = {
    id: `${channelId}:${nameIn(messageRecord.ts) ?? ''}`,
    address: addressOf(channelId, person),
    thread: threadIn(messageRecord),
  }
  return actions.flatMap((action: unknown) => (isRecord(action) ? tapItem(action, context) : noTap))
}

interface TapContext {
  readonly id: string
  readonly address: string
  readonly thread: string | undefined
}

const noTap: Item = { problem: 'a tap that is not understood' }

/**
 * The timestamp distinguishes a tap from an earlier one on the same button. A tap in a native payload becomes its
 * label. Our links without a tap open their page and yield no item.
 */
function tapItem(action: JsonObject, { id, address, thread }: TapContext): readonly Item[] {
  const { value, text, action_id: name, action_ts: at, selected_option: option } = action
  const choice = isRecord(option) ? option : { value: value ?? name, text }
  const tap = parsePostback(asText(choice.value) ?? '')
  const time = nameIn(at)
  if (!time) return [noTap]
  const label = isRecord(choice.text) ? asText(choice.text.text) : undefined
  if (tap) {
    const inbound = { kind: 'tap', ...tap, ...(label !== undefined && { label }) } as const
    return [{ id: idIn(`${id}:${time}:${tap.tapIndex}`, thread), address, inbound }]
  }
  if (isLinkName(asText(name) ?? '')) return []
  const inbound = label ? ({ kind: 'content', content: { text: label } } as const) : notUnderstood('a choice')
  return [{ id: idIn(`${id}:${time}`, thread), address, inbound }]
}

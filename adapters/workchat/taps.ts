/** What was tapped on Slack: buttons and entries of menus. */
import type { Item } from '../../core/channel/adapter.js'
import { readPostback } from '../../core/channel/postback.js'
import { isRecord } from '../../core/json.js'
import { notUnderstood } from '../kit/inbound.js'
import { asText } from '../kit/wire.js'
import { addressOf, idIn } from './address.js'
import { isLinkName, type Loose } from './blocks.js'
import { named, threadIn } from './events.js'

/** Undefined when it is not told whose tap it is. */
export function tapItems({ type, user, channel, message, actions }: Loose): readonly Item[] | undefined {
  if (type !== 'block_actions') return [{ problem: 'an interaction of a kind that is not understood' }]
  const [place, person] = [
    isRecord(channel) ? named(channel.id) : undefined,
    isRecord(user) ? named(user.id) : undefined,
  ]
  if (!place || !person) return undefined
  if (!Array.isArray(actions)) return [{ problem: '`actions` is not a list' }]
  const shown = isRecord(message) ? message : {}
  const about = { id: `${place}:${named(shown.ts) ?? ''}`, address: addressOf(place, person), thread: threadIn(shown) }
  return actions.flatMap((action: unknown) => (isRecord(action) ? tapItem(action, about) : noTap))
}

interface About {
  readonly id: string
  readonly address: string
  readonly thread: string | undefined
}

const noTap: Item = { problem: 'a tap that is not understood' }

/**
 * The time of a tap tells it from an earlier one on the same button. What a payload of a caller's own offers is told by its
 * label; a link of ours that is no tap of its message opens, and that is all.
 */
function tapItem(action: Loose, { id, address, thread }: About): readonly Item[] {
  const { value, text, action_id: name, action_ts: at, selected_option: option } = action
  const chosen = isRecord(option) ? option : { value: value ?? name, text }
  const tap = readPostback(asText(chosen.value) ?? '')
  const time = named(at)
  if (!time) return [noTap]
  const label = isRecord(chosen.text) ? asText(chosen.text.text) : undefined
  if (tap) {
    const inbound = { kind: 'tap', ...tap, ...(label !== undefined && { label }) } as const
    return [{ id: idIn(`${id}:${time}:${tap.place}`, thread), address, inbound }]
  }
  if (isLinkName(asText(name) ?? '')) return []
  const inbound = label ? ({ kind: 'content', content: { text: label } } as const) : notUnderstood('a choice')
  return [{ id: idIn(`${id}:${time}`, thread), address, inbound }]
}

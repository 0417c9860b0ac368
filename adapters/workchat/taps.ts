/** What was tapped on Slack: buttons and entries of menus. */
import type { Item } from '../../core/channel/adapter.js'
import { readPostback } from '../../core/channel/postback.js'
import { asText, isRecord } from '../kit/wire.js'
import { addressOf } from './address.js'
import type { Loose } from './blocks.js'
import { named } from './events.js'

export function tapItems({ type, user, channel, message, actions }: Loose): Item[] {
  if (type !== 'block_actions') return [{ problem: 'an interaction of a kind that is not understood' }]
  const [place, person] = [
    isRecord(channel) ? named(channel.id) : undefined,
    isRecord(user) ? named(user.id) : undefined,
  ]
  if (!place || !person) return [{ problem: 'a tap without `channel` or `user`' }]
  if (!Array.isArray(actions)) return [{ problem: '`actions` is not a list' }]
  const about = `${place}:${(isRecord(message) && named(message.ts)) || ''}`
  const address = addressOf(place, person)
  return actions.map((action: unknown) => (isRecord(action) ? tapItem(action, about, address) : noTap))
}

const noTap: Item = { problem: 'a tap that is not understood' }

/** The time of a tap tells it from an earlier one on the same button. */
function tapItem(action: Loose, about: string, address: string): Item {
  const { value, text, action_id: name, action_ts: at, selected_option: option } = action
  const chosen = isRecord(option) ? option : { value: value ?? name, text }
  const tap = readPostback(asText(chosen.value) ?? '')
  const time = named(at)
  if (!tap || !time) return noTap
  const label = isRecord(chosen.text) ? asText(chosen.text.text) : undefined
  const inbound = { kind: 'tap', ...tap, ...(label !== undefined && { label }) } as const
  return { id: `${about}:${time}:${tap.place}`, address, inbound }
}

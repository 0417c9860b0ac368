/** Receives WhatsApp Cloud API webhooks: acts of people come first, then receipts of our messages. */
import type { IngressRequest, IngressResult, Item } from '../../../core/channel/adapter.js'
import type { Inbound, Receipt, UserContent } from '../../../core/channel/inbound.js'
import type { ReportedContent, ReportedInbound } from '../../../core/channel/providermedia.js'
import { isRecord } from '../../../core/json.js'
import { asNumber, asText } from '../../kit/http.js'
import { notUnderstood, preferenceNotice } from '../../kit/inbound.js'
import { refusalOf } from '../graph.js'
import { addressIn, idIn, type JsonObject, readEach, receiveHub, tapOrText } from '../hub.js'
import { orderNotice } from '../orders.js'
import { refusals, type WhatsappAuth } from './descriptor.js'

export function receive(request: IngressRequest, auth: WhatsappAuth): IngressResult {
  return receiveHub(request, auth, (body) => {
    const values: JsonObject[] = []
    const others = new Set<string>()
    const problems = readEach(body.entry, 'entry', ({ changes }) =>
      readEach(changes, 'changes', ({ field, value }) => {
        if (accountFields.includes(field)) return []
        if (!peopleFields.includes(field) || !isRecord(value))
          return [{ problem: 'a change of a kind that is not understood' }]
        // All numbers of an app call the same URL.
        const number = isRecord(value.metadata) ? addressIn(value.metadata.phone_number_id) : undefined
        if (number === undefined) return [{ problem: 'a change that names no number' }]
        if (number !== auth.phoneNumberId) others.add(number)
        else if (!contentFields.some((name) => name in value)) return [{ problem: 'a change that says nothing' }]
        else values.push(value)
        return []
      }),
    )
    const messages = values.flatMap((value) =>
      readEach(value.messages, 'messages', (each) => [messageItem(each, value.contacts)]),
    )
    const statuses = values.flatMap((value) => readEach(value.statuses, 'statuses', statusItems))
    const preferences = values.flatMap((value) =>
      readEach(value.user_preferences, 'user_preferences', (each) => [preferenceItem(each, value.contacts)]),
    )
    const items = [...problems, ...messages, ...preferences, ...statuses]
    return others.size === 0 ? { items } : { items, otherAccounts: Array.from(others, (account) => ({ account })) }
  })
}

const peopleFields: readonly unknown[] = ['messages', 'user_preferences']
/** Members of a change that concerns people. */
const contentFields = ['messages', 'user_preferences', 'statuses', 'errors']

/** Other fields that an app may subscribe to; they contain no acts of people. */
const accountFields: readonly unknown[] = [
  'account_alerts',
  'account_review_update',
  'account_settings_update',
  'account_update',
  'automatic_events',
  'business_capability_update',
  'business_status_update',
  'calls',
  'flows',
  'history',
  'message_echoes',
  'message_template_components_update',
  'message_template_quality_update',
  'message_template_status_update',
  'partner_solutions',
  'payment_configuration_update',
  'phone_number_name_update',
  'phone_number_quality_update',
  'security',
  'smb_app_state_sync',
  'smb_message_echoes',
  'template_category_update',
  'template_correct_category_detection',
  'tracking_events',
]

/** The address members of an item. */
type Person = Pick<Extract<Item, { readonly address: string }>, 'address' | 'alias'>

/**
 * WhatsApp gives people with a username an id of the business. A call may have their number, that id, or both. With
 * both, the number is the address and the id its alias.
 */
function personOf(number: string | undefined, userId: string | undefined): Person | undefined {
  const address = number ?? userId
  if (address === undefined) return undefined
  return userId === undefined || userId === address ? { address } : { address, alias: userId }
}

function personIn(message: JsonObject, contacts: unknown): Person | undefined {
  const all: readonly JsonObject[] = Array.isArray(contacts) ? contacts.filter(isRecord) : []
  const from = addressIn(message.from)
  const contact =
    all.find(({ wa_id: id }) => id !== undefined && id === from) ?? (all.length === 1 ? all[0] : undefined)
  const userIds = [message.from_user_id, message.user_id, contact?.user_id].map(addressIn)
  return personOf(
    from ?? addressIn(contact?.wa_id),
    userIds.find((userId) => userId !== undefined),
  )
}

function messageItem(message: JsonObject, contacts: unknown): Item {
  const [id, person] = [idIn(message.id), personIn(message, contacts)]
  if (!id || !person) return { problem: 'a message without `id`, `from` or `user_id`' }
  return { id, ...person, inbound: inboundIn(message) ?? unsupportedIn(message) }
}

/** An act without a message of the contract; the agent gets a note about it. */
function unsupportedIn(message: JsonObject): Inbound {
  const { type, reaction, contacts, interactive, order } = message
  const emoji = isRecord(reaction) ? asText(reaction.emoji) : undefined
  if (type === 'reaction') return notUnderstood(emoji ? 'a reaction' : 'back a reaction', emoji)
  if (type === 'contacts') return notUnderstood('a contact', namesIn(contacts))
  if (type === 'order' && isRecord(order)) return orderNotice(order.product_items, order.text)
  if (type === 'system') return notUnderstood('a notice', isRecord(message.system) ? asText(message.system.body) : '')
  const flow = isRecord(interactive) && isRecord(interactive.nfm_reply) ? interactive.nfm_reply : undefined
  if (flow) return notUnderstood('a form', asText(flow.response_json) ?? asText(flow.body))
  return notUnderstood('something')
}

/**
 * The provider enforces marketing preferences. The agent gets a note about a change; service messages are still
 * delivered.
 */
const preferences: Readonly<Record<string, string>> = {
  stop: 'asked for no more marketing messages',
  resume: 'allowed marketing messages again',
}

/**
 * Preferences have no id. One person changes a category at most once in a second, so person, category and time identify
 * it.
 */
function preferenceItem(preference: JsonObject, contacts: unknown): Item {
  const { wa_id: from, user_id, category, value, timestamp } = preference
  const person = personIn({ from, user_id }, contacts)
  const at = asNumber(timestamp) ?? idIn(timestamp)
  const preferenceText =
    category === 'marketing_messages' && typeof value === 'string' && Object.hasOwn(preferences, value)
      ? preferences[value]
      : undefined
  if (!person || at === undefined) return { problem: 'a preference without `wa_id` or `timestamp`' }
  if (preferenceText === undefined) return { problem: 'a preference of a kind that is not understood' }
  return { id: `${person.address}:${at}:${value}`, ...person, inbound: preferenceNotice(preferenceText) }
}

function namesIn(contacts: unknown): string {
  const all: readonly unknown[] = Array.isArray(contacts) ? contacts : []
  const names = all.map((each) => {
    if (!isRecord(each)) return ''
    const name = isRecord(each.name) ? (asText(each.name.formatted_name) ?? '') : ''
    const phones: readonly unknown[] = Array.isArray(each.phones) ? each.phones : []
    return [name, ...phones.map((phone) => (isRecord(phone) ? asText(phone.phone) : undefined))]
      .filter(Boolean)
      .join(' ')
  })
  return names.filter(Boolean).join(', ')
}

function inboundIn(message: JsonObject): ReportedInbound | undefined {
  const type = asText(message.type) ?? ''
  const part = Object.hasOwn(message, type) ? message[type] : undefined
  if (!isRecord(part)) return undefined
  if (type === 'interactive') return replyIn(part)
  if (type === 'button') return tapOrText(asText(part.payload), asText(part.text))
  const content = type === 'text' ? textIn(part) : type === 'location' ? placeIn(part) : mediaIn(type, part)
  return content && { kind: 'content', content }
}

/** The member that `type` names holds the tapped entry. */
function replyIn(interactive: JsonObject): Inbound | undefined {
  const { type } = interactive
  if (type !== 'button_reply' && type !== 'list_reply') return undefined
  const reply = interactive[type]
  return isRecord(reply) ? tapOrText(asText(reply.id), asText(reply.title)) : undefined
}

function textIn({ body }: JsonObject): UserContent | undefined {
  return typeof body === 'string' && body !== '' ? { text: body } : undefined
}

function placeIn({ latitude, longitude, name, address }: JsonObject): UserContent | undefined {
  const [north, east] = [asNumber(latitude), asNumber(longitude)]
  if (north === undefined || east === undefined) return undefined
  return {
    place: {
      latitude: north,
      longitude: east,
      ...(typeof name === 'string' && { label: name }),
      ...(typeof address === 'string' && { address }),
    },
  }
}

/**
 * Media has an id, which opens with the binding's access token only. The URL beside it needs the token, too, and
 * expires.
 */
function mediaIn(kind: string, media: JsonObject): ReportedContent | undefined {
  if (!['image', 'video', 'audio', 'document', 'sticker'].includes(kind)) return undefined
  const mediaRef = idIn(media.id)
  if (!mediaRef) return undefined
  const { mime_type: type, filename: name, caption } = media
  return {
    ...(typeof caption === 'string' && { text: caption }),
    media: [{ mediaRef, ...(typeof type === 'string' && { type }), ...(typeof name === 'string' && { name }) }],
  }
}

const states: readonly Receipt['state'][] = ['sent', 'delivered', 'read', 'failed']
/** Statuses that say nothing about delivery. */
const ignoredStatuses: readonly unknown[] = ['deleted', 'pending', 'played', 'warning']

function statusItems(status: JsonObject): readonly Item[] {
  return ignoredStatuses.includes(status.status) ? [] : [statusItem(status)]
}

function statusItem(status: JsonObject): Item {
  const person = personOf(addressIn(status.recipient_id), addressIn(status.recipient_user_id))
  const providerId = idIn(status.id)
  if (!providerId || !person) return { problem: 'a status without `id` or whom it is about' }
  const state = states.find((each) => each === status.status)
  if (!state) return { problem: 'a status that is not understood' }
  const failure = state === 'failed' ? failureIn(status.errors) : {}
  const pieceId = idIn(status.biz_opaque_callback_data)
  const receipt: Receipt = { providerId, ...(pieceId && { pieceId }), state, ...failure }
  return { id: `${providerId}:${state}`, ...person, inbound: { kind: 'receipt', receipt } }
}

function failureIn(errors: unknown): Pick<Receipt, 'reason' | 'detail'> {
  const [error] = Array.isArray(errors) ? errors : []
  const code = isRecord(error) ? asNumber(error.code) : undefined
  if (code === undefined) return { reason: 'sendFailed' }
  const reason = refusalOf(code, undefined, refusals)?.reason ?? 'sendFailed'
  return { reason, detail: `The provider answered with code ${code}.` }
}

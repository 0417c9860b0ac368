/** Receives Messenger and Instagram webhooks: acts of people come first, then receipts of our messages. */
import type { IngressRequest, IngressResult, Item } from '../../../core/channel/adapter.js'
import type { Inbound, Receipt, UserContent, UserMedia } from '../../../core/channel/inbound.js'
import { isRecord } from '../../../core/json.js'
import { adapter as limits } from '../../../core/limits/index.js'
import { asNumber, asText } from '../../kit/http.js'
import { editNotice, notUnderstood } from '../../kit/inbound.js'
import { addressIn, idIn, type JsonObject, readEach, receiveHub, tapOrText } from '../hub.js'
import { orderNotice } from '../orders.js'
import type { PageAuth } from './descriptor.js'

/**
 * All pages and accounts of an app call the same URL. `account` is the one of this binding; a binding without it takes
 * the accounts that no other binding has.
 */
export function receivePage(request: IngressRequest, auth: PageAuth, account: string | undefined): IngressResult {
  return receiveHub(request, auth, (body) => {
    const { own, others, problems } = entriesByAccount(body, account)
    const items = [...problems, ...itemsIn(own)]
    if (others.size === 0) return { items }
    const otherAccounts = Array.from(others, ([other, entries]) =>
      account === undefined ? { account: other, items: itemsIn(entries) } : { account: other },
    )
    return { items, otherAccounts }
  })
}

function entriesByAccount(body: JsonObject, account: string | undefined) {
  const own: JsonObject[] = []
  const others = new Map<string, JsonObject[]>()
  const problems = readEach(body.entry, 'entry', (entry) => {
    const id = addressIn(entry.id)
    if (id === undefined) return [{ problem: 'an entry without `id`' }]
    if (id === account) own.push(entry)
    else others.set(id, [...(others.get(id) ?? []), entry])
    return []
  })
  return { own, others, problems }
}

/** Kinds of entries without messages to this app: posts of the page, and threads that another app controls. */
const ignoredEntryKinds = ['changes', 'standby']

function itemsIn(entries: readonly JsonObject[]): readonly Item[] {
  const events: JsonObject[] = []
  const problems = entries.flatMap((entry) => {
    if (entry.messaging === undefined && ignoredEntryKinds.some((kind) => Array.isArray(entry[kind]))) return []
    if (entry.messaging === undefined) return [{ problem: 'an entry of a kind that is not understood' }]
    return readEach(entry.messaging, 'messaging', (event) => {
      events.push(event)
      return []
    })
  })
  const isReceipt = ({ delivery, read }: JsonObject) => isRecord(delivery) || isRecord(read)
  const people = events.filter((event) => !isReceipt(event)).flatMap(actionItems)
  return [...problems, ...people, ...events.filter(isReceipt).flatMap(receiptItems)]
}

function senderOf({ sender }: JsonObject): string | undefined {
  return isRecord(sender) ? addressIn(sender.id) : undefined
}

/** Our own messages come back as echoes, which yield no items. */
function actionItems(event: JsonObject): Item[] {
  const { message, postback, timestamp } = event
  if (isRecord(message) && message.is_echo === true) return []
  const address = senderOf(event)
  const other = otherActions.find(({ name }) => isRecord(event[name]))
  if (address && other) return otherItems(event, address, other)
  if (nonPersonEvents.some((name) => name in event)) return []
  const action = isRecord(message) ? message : isRecord(postback) ? postback : undefined
  if (!address || !action) return [{ problem: 'an event of a kind that is not understood' }]
  // Older postbacks have no id. One person taps at most once in a millisecond, so address and time identify the tap.
  const fallbackId = asNumber(timestamp) === undefined || action === message ? undefined : `${address}:${timestamp}`
  const id = idIn(action.mid) ?? fallbackId
  if (!id) return [{ problem: 'a message without `mid`' }]
  const inbound = isRecord(message) ? messageIn(message) : tapOrText(asText(action.payload), asText(action.title))
  return [{ id, address, inbound: inbound ?? notUnderstood('something') }]
}

/** Events that concern no person: handover between apps, and the provider's policy notices for the page's owner. */
const nonPersonEvents = [
  'app_roles',
  'pass_thread_control',
  'policy_enforcement',
  'request_thread_control',
  'take_thread_control',
]

interface OtherAction {
  readonly name: string
  readonly toInbound: (action: JsonObject) => Inbound
}

/** Acts of people that are neither messages nor taps; the agent gets a note about each. */
const otherActions: readonly OtherAction[] = [
  {
    name: 'reaction',
    toInbound: ({ action, emoji, reaction }) =>
      notUnderstood(action === 'unreact' ? 'back a reaction' : 'a reaction', asText(emoji) ?? asText(reaction)),
  },
  { name: 'message_edit', toInbound: ({ text }) => editNotice(asText(text) ?? '') },
  { name: 'referral', toInbound: ({ ref }) => notUnderstood('a referral', asText(ref)) },
  { name: 'optin', toInbound: ({ title, ref }) => notUnderstood('an opt-in', asText(title) ?? asText(ref)) },
  { name: 'account_linking', toInbound: ({ status }) => notUnderstood('an account link', asText(status)) },
  { name: 'order', toInbound: ({ products, note }) => orderNotice(products, note) },
  { name: 'game_play', toInbound: () => notUnderstood('a game') },
]

/**
 * These events have no id. One person does each kind at most once in a millisecond, so kind, address and time identify
 * it.
 */
function otherItems(event: JsonObject, address: string, { name, toInbound }: OtherAction): Item[] {
  const at = asNumber(event.timestamp)
  if (at === undefined) return [{ problem: `an event \`${name}\` without \`timestamp\`` }]
  return [{ id: `${address}:${at}:${name}`, address, inbound: toInbound(event[name] as JsonObject) }]
}

/** The text of a tapped quick reply is its label, perhaps cut, so its payload counts. */
function messageIn({ text, quick_reply: quickReply, attachments }: JsonObject): Inbound | undefined {
  if (isRecord(quickReply)) return tapOrText(asText(quickReply.payload), asText(text))
  const attachmentList: readonly unknown[] = Array.isArray(attachments) ? attachments : []
  const media = attachmentList.flatMap(mediaFrom).slice(0, limits.mediaPerItem)
  const place = attachmentList.map(placeFrom).find((each) => each !== undefined)
  const isWhole = media.length + (place ? 1 : 0) >= attachmentList.length
  const notice = isWhole ? '' : notUnderstood('an attachment').content.text
  const contentText = [asText(text), notice].filter(Boolean).join('\n')
  const content: UserContent = {
    ...(contentText !== '' && { text: contentText }),
    ...(media.length > 0 && { media }),
    ...(place && { place }),
  }
  return Object.keys(content).length > 0 ? { kind: 'content', content } : undefined
}

function mediaFrom(attachment: unknown): UserMedia[] {
  const payload = isRecord(attachment) && isRecord(attachment.payload) ? attachment.payload : {}
  const url = asText(payload.url)
  return url ? [{ url }] : []
}

function placeFrom(attachment: unknown): UserContent['place'] {
  const payload = isRecord(attachment) && isRecord(attachment.payload) ? attachment.payload : {}
  const { lat, long } = isRecord(payload.coordinates) ? payload.coordinates : {}
  const [latitude, longitude] = [asNumber(lat), asNumber(long)]
  if (latitude === undefined || longitude === undefined) return undefined
  const label = isRecord(attachment) ? asText(attachment.title) : undefined
  return { latitude, longitude, ...(label && { label }) }
}

/**
 * A mark covers all messages up to its time. Messages that the mark names get receipts of their own, independent
 * of clocks.
 */
function receiptItems(event: JsonObject): Item[] {
  const address = senderOf(event)
  const state = isRecord(event.delivery) ? 'delivered' : 'read'
  const receipt = (isRecord(event.delivery) ? event.delivery : event.read) as JsonObject
  if (!address) return [{ problem: 'a receipt without `sender`' }]
  const messageIds = [receipt.mid, ...(Array.isArray(receipt.mids) ? receipt.mids : [])]
    .map(idIn)
    .filter((mid) => mid !== undefined)
  const upTo = asNumber(receipt.watermark)
  const items = messageIds.map((mid) => item(address, `${mid}:${state}`, { providerId: mid, state }))
  if (upTo !== undefined) items.push(item(address, `${address}:${upTo}:${state}`, { providerId: '', state, upTo }))
  return items.length > 0 ? items : [{ problem: 'a receipt that names no message and no time' }]
}

function item(address: string, id: string, receipt: Receipt): Item {
  return { id, address, inbound: { kind: 'receipt', receipt } }
}

/** What Messenger and Instagram tell of a page: what people did comes first, then what became of our messages. */
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
 * One app may have several pages and accounts, and all of them call the same address. `account` is the one of this
 * binding; without it the binding takes those that no other binding has.
 */
export function receivePage(request: IngressRequest, auth: PageAuth, account: string | undefined): IngressResult {
  return receiveHub(request, auth, (body) => {
    const { own, others, problems } = entriesByAccount(body, account)
    const items = [...problems, ...itemsIn(own)]
    if (others.size === 0) return { items }
    const elsewhere = Array.from(others, ([other, entries]) =>
      account === undefined ? { account: other, items: itemsIn(entries) } : { account: other },
    )
    return { items, otherAccounts: elsewhere }
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

/** Entries of these kinds hold nothing that a person said to us: posts of the page, and talks that another app holds. */
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

/** What we sent ourselves comes back as an echo, and nothing has happened. */
function actionItems(event: JsonObject): Item[] {
  const { message, postback, timestamp } = event
  if (isRecord(message) && message.is_echo === true) return []
  const address = senderOf(event)
  const other = otherActions.find(({ name }) => isRecord(event[name]))
  if (address && other) return otherItems(event, address, other)
  if (nonPersonEvents.some((name) => name in event)) return []
  const action = isRecord(message) ? message : isRecord(postback) ? postback : undefined
  if (!address || !action) return [{ problem: 'an event of a kind that is not understood' }]
  // Older postbacks have no name; one person does not tap twice in a millisecond.
  const fallbackId = asNumber(timestamp) === undefined || action === message ? undefined : `${address}:${timestamp}`
  const id = idIn(action.mid) ?? fallbackId
  if (!id) return [{ problem: 'a message without `mid`' }]
  const inbound = isRecord(message) ? messageIn(message) : tapOrText(asText(action.payload), asText(action.title))
  return [{ id, address, inbound: inbound ?? notUnderstood('something') }]
}

/** Which app answers a person is agreed upon between apps, and what the provider thinks of the page is for its owner. */
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

/** What people do beside writing and tapping: it reaches the agent as a message that says so. */
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

/** They have no name of their own. One person does one of a kind in a millisecond. */
function otherItems(event: JsonObject, address: string, { name, toInbound }: OtherAction): Item[] {
  const at = asNumber(event.timestamp)
  if (at === undefined) return [{ problem: `an event \`${name}\` without \`timestamp\`` }]
  return [{ id: `${address}:${at}:${name}`, address, inbound: toInbound(event[name] as JsonObject) }]
}

/** The text of a tapped reply is its label, perhaps cut: what it carries counts. */
function messageIn({ text, quick_reply: quickReply, attachments }: JsonObject): Inbound | undefined {
  if (isRecord(quickReply)) return tapOrText(asText(quickReply.payload), asText(text))
  const attachmentList: readonly unknown[] = Array.isArray(attachments) ? attachments : []
  const media = attachmentList.flatMap(mediaFrom).slice(0, limits.mediaPerItem)
  const place = attachmentList.map(placeFrom).find((each) => each !== undefined)
  const isWhole = media.length + (place ? 1 : 0) >= attachmentList.length
  const notice = isWhole ? '' : notUnderstood('an attachment').content.text
  const words = [asText(text), notice].filter(Boolean).join('\n')
  const content: UserContent = {
    ...(words !== '' && { text: words }),
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

/** A mark covers everything up to its time; messages that are named are those for certain, whatever our clocks say. */
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

/** What Messenger and Instagram tell of a page: what people did comes first, then what became of our messages. */
import type { IngressRequest, Item, Received } from '../../core/channel/adapter.js'
import type { Inbound, Receipt, UserContent, UserMedia } from '../../core/channel/inbound.js'
import { isRecord } from '../../core/json.js'
import { adapter as limits } from '../../core/limits.js'
import { edited, notUnderstood } from '../kit/inbound.js'
import { asNumber, asText } from '../kit/wire.js'
import { addressIn, idIn, type Loose, readEach, receiveHub, tapOrWords } from './hub.js'
import { ordered } from './orders.js'
import type { PageAuth } from './pagedescriptor.js'

/**
 * One app may have several pages and accounts, and all of them call the same address. `account` is the one of this
 * binding; without it the binding takes those that no other binding has.
 */
export function receivePage(request: IngressRequest, auth: PageAuth, account: string | undefined): Received {
  return receiveHub(request, auth, (body) => {
    const { own, others, problems } = entriesByAccount(body, account)
    const items = [...problems, ...itemsIn(own)]
    if (others.size === 0) return { items }
    const elsewhere = Array.from(others, ([other, entries]) =>
      account === undefined ? { account: other, items: itemsIn(entries) } : { account: other },
    )
    return { items, elsewhere }
  })
}

function entriesByAccount(body: Loose, account: string | undefined) {
  const own: Loose[] = []
  const others = new Map<string, Loose[]>()
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
const unspoken = ['changes', 'standby']

function itemsIn(entries: readonly Loose[]): readonly Item[] {
  const events: Loose[] = []
  const problems = entries.flatMap((entry) => {
    if (entry.messaging === undefined && unspoken.some((kind) => Array.isArray(entry[kind]))) return []
    if (entry.messaging === undefined) return [{ problem: 'an entry of a kind that is not understood' }]
    return readEach(entry.messaging, 'messaging', (event) => {
      events.push(event)
      return []
    })
  })
  const isReceipt = ({ delivery, read }: Loose) => isRecord(delivery) || isRecord(read)
  const people = events.filter((event) => !isReceipt(event)).flatMap(deedItems)
  return [...problems, ...people, ...events.filter(isReceipt).flatMap(receiptItems)]
}

function senderOf({ sender }: Loose): string | undefined {
  return isRecord(sender) ? addressIn(sender.id) : undefined
}

/** What we sent ourselves comes back as an echo, and nothing has happened. */
function deedItems(event: Loose): Item[] {
  const { message, postback, timestamp } = event
  if (isRecord(message) && message.is_echo === true) return []
  const address = senderOf(event)
  const other = otherDeeds.find(({ name }) => isRecord(event[name]))
  if (address && other) return otherItems(event, address, other)
  if (aboutNobody.some((name) => name in event)) return []
  const deed = isRecord(message) ? message : isRecord(postback) ? postback : undefined
  if (!address || !deed) return [{ problem: 'an event of a kind that is not understood' }]
  // Older postbacks have no name; one person does not tap twice in a millisecond.
  const unnamed = asNumber(timestamp) === undefined || deed === message ? undefined : `${address}:${timestamp}`
  const id = idIn(deed.mid) ?? unnamed
  if (!id) return [{ problem: 'a message without `mid`' }]
  const inbound = isRecord(message) ? saidIn(message) : tapOrWords(asText(deed.payload), asText(deed.title))
  return [{ id, address, inbound: inbound ?? notUnderstood('something') }]
}

/** Which app answers a person is agreed upon between apps, and what the provider thinks of the page is for its owner. */
const aboutNobody = [
  'app_roles',
  'pass_thread_control',
  'policy_enforcement',
  'request_thread_control',
  'take_thread_control',
]

interface OtherDeed {
  readonly name: string
  readonly told: (deed: Loose) => Inbound
}

/** What people do beside writing and tapping: it reaches the agent as a message that says so. */
const otherDeeds: readonly OtherDeed[] = [
  {
    name: 'reaction',
    told: ({ action, emoji, reaction }) =>
      notUnderstood(action === 'unreact' ? 'back a reaction' : 'a reaction', asText(emoji) ?? asText(reaction)),
  },
  { name: 'message_edit', told: ({ text }) => edited(asText(text) ?? '') },
  { name: 'referral', told: ({ ref }) => notUnderstood('a referral', asText(ref)) },
  { name: 'optin', told: ({ title, ref }) => notUnderstood('an opt-in', asText(title) ?? asText(ref)) },
  { name: 'account_linking', told: ({ status }) => notUnderstood('an account link', asText(status)) },
  { name: 'order', told: ({ products, note }) => ordered(products, note) },
  { name: 'game_play', told: () => notUnderstood('a game') },
]

/** They have no name of their own. One person does one of a kind in a millisecond. */
function otherItems(event: Loose, address: string, { name, told }: OtherDeed): Item[] {
  const at = asNumber(event.timestamp)
  if (at === undefined) return [{ problem: `an event \`${name}\` without \`timestamp\`` }]
  return [{ id: `${address}:${at}:${name}`, address, inbound: told(event[name] as Loose) }]
}

/** The text of a tapped reply is its label, perhaps cut: what it carries counts. */
function saidIn({ text, quick_reply: tapped, attachments }: Loose): Inbound | undefined {
  if (isRecord(tapped)) return tapOrWords(asText(tapped.payload), asText(text))
  const sent: readonly unknown[] = Array.isArray(attachments) ? attachments : []
  const media = sent.flatMap(mediaFrom).slice(0, limits.mediaPerItem)
  const place = sent.map(placeFrom).find((each) => each !== undefined)
  const isWhole = media.length + (place ? 1 : 0) >= sent.length
  const missing = isWhole ? '' : notUnderstood('an attachment').content.text
  const words = [asText(text), missing].filter(Boolean).join('\n')
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
function receiptItems(event: Loose): Item[] {
  const address = senderOf(event)
  const state = isRecord(event.delivery) ? 'delivered' : 'read'
  const told = (isRecord(event.delivery) ? event.delivery : event.read) as Loose
  if (!address) return [{ problem: 'a receipt without `sender`' }]
  const named = [told.mid, ...(Array.isArray(told.mids) ? told.mids : [])].map(idIn).filter((mid) => mid !== undefined)
  const upTo = asNumber(told.watermark)
  const items = named.map((mid) => item(address, `${mid}:${state}`, { providerId: mid, state }))
  if (upTo !== undefined) items.push(item(address, `${address}:${upTo}:${state}`, { providerId: '', state, upTo }))
  return items.length > 0 ? items : [{ problem: 'a receipt that names no message and no time' }]
}

function item(address: string, id: string, receipt: Receipt): Item {
  return { id, address, inbound: { kind: 'receipt', receipt } }
}

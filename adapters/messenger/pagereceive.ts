/** What Messenger and Instagram tell of a page: what people did comes first, then what became of our messages. */
import type { IngressRequest, Item, Received } from '../../core/channel/adapter.js'
import type { Inbound } from '../../core/conversation/hear.js'
import type { Receipt } from '../../core/conversation/receipts.js'
import type { UserContent, UserMedia } from '../../core/conversation/state.js'
import { notUnderstood } from '../kit/inbound.js'
import { asNumber, asText, isRecord } from '../kit/wire.js'
import { addressIn, idIn, type Loose, readEach, receiveHub, tapOrWords } from './hub.js'
import type { PageAuth } from './pagedescriptor.js'

/** `isOurs`: one app may have several pages, and all of them call the same address. */
export function receivePage(
  request: IngressRequest,
  auth: PageAuth,
  isOurs: (entryId: unknown, auth: PageAuth) => boolean,
): Received {
  return receiveHub(request, auth, (body) => {
    const events: Loose[] = []
    const problems = readEach(body.entry, 'entry', (entry) => {
      if (!isOurs(entry.id, auth)) return [{ problem: 'something about another page' }]
      if (entry.messaging === undefined) return [{ problem: 'an entry of a kind that is not understood' }]
      return readEach(entry.messaging, 'messaging', (event) => {
        events.push(event)
        return []
      })
    })
    const isReceipt = ({ delivery, read }: Loose) => isRecord(delivery) || isRecord(read)
    const people = events.filter((event) => !isReceipt(event)).flatMap(deedItems)
    return [...problems, ...people, ...events.filter(isReceipt).flatMap(receiptItems)]
  })
}

function senderOf({ sender }: Loose): string | undefined {
  return isRecord(sender) ? addressIn(sender.id) : undefined
}

/** What we sent ourselves comes back as an echo, and nothing has happened. */
function deedItems(event: Loose): Item[] {
  const { message, postback, timestamp } = event
  if (isRecord(message) && message.is_echo === true) return []
  const address = senderOf(event)
  const deed = isRecord(message) ? message : isRecord(postback) ? postback : undefined
  if (!address || !deed) return [{ problem: 'an event of a kind that is not understood' }]
  // Older postbacks have no name; one person does not tap twice in a millisecond.
  const unnamed = asNumber(timestamp) === undefined || deed === message ? undefined : `${address}:${timestamp}`
  const id = idIn(deed.mid) ?? unnamed
  if (!id) return [{ problem: 'a message without `mid`' }]
  const inbound = isRecord(message) ? saidIn(message) : tapOrWords(asText(deed.payload), asText(deed.title))
  return [{ id, address, inbound: inbound ?? notUnderstood('something') }]
}

/** The text of a tapped reply is its label, perhaps cut: what it carries counts. */
function saidIn({ text, quick_reply: tapped, attachments }: Loose): Inbound | undefined {
  if (isRecord(tapped)) return tapOrWords(asText(tapped.payload), asText(text))
  const media = Array.isArray(attachments) ? attachments.flatMap(mediaFrom) : []
  const place = Array.isArray(attachments) ? attachments.map(placeFrom).find((each) => each !== undefined) : undefined
  const content: UserContent = {
    ...(typeof text === 'string' && text !== '' && { text }),
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

/**
 * What RCS Business Messaging sends in. Its envelope is not signed, only the event inside it, so nothing else of the
 * envelope is believed. Whatever the platform repeats has the same id again.
 */
import { createHmac } from 'node:crypto'
import type { IngressRequest, Item, Received } from '../../core/channel/adapter.js'
import type { Inbound, UserContent } from '../../core/channel/inbound.js'
import { readPostback } from '../../core/channel/postback.js'
import { isRecord } from '../../core/json.js'
import { ingressBounds } from '../../core/limits.js'
import { notUnderstood } from '../kit/inbound.js'
import { wrongItem } from '../kit/shapes.js'
import { asNumber, asText, readJson, sameText } from '../kit/wire.js'
import { type RbmAuth, signatureHeader } from './descriptor.js'
import { untold } from './suggestions.js'

type Loose = Readonly<Record<string, unknown>>

const refused: Received = { kind: 'refused' }

export function receive({ method, header, body }: IngressRequest, { clientToken }: RbmAuth): Received {
  const signature = header(signatureHeader)
  const isShaped = /^[A-Za-z0-9+/]{86}==$/.test(signature)
  // Only a greeting comes without a signature, and it is short.
  if (method !== 'POST' || (!isShaped && body.length > ingressBounds.rbmGreetingBytes)) return refused
  const envelope = readJson(body)
  if (!isRecord(envelope)) return refused
  if (envelope.clientToken !== undefined) return greeted(envelope, clientToken)
  const data = isShaped && isRecord(envelope.message) ? decoded(envelope.message.data) : undefined
  if (!data) return refused
  const expected = createHmac('sha512', clientToken).update(data).digest('base64')
  if (!sameText(signature, expected)) return refused
  const event = readJson(data)
  if (!isRecord(event)) return { kind: 'unreadable', problem: 'the event is not an object' }
  return { kind: 'items', items: itemsOf(event).map(sound) }
}

/** What is longer than anything that the provider says is not what it says. */
function sound(item: Item): Item {
  const wrong = wrongItem(item)
  return wrong === undefined ? item : { problem: wrong }
}

/** Whoever sets up the webhook wants to hear the secret again, and shows that they know the token. */
function greeted({ clientToken, secret }: Loose, expected: string): Received {
  const isKnown = typeof clientToken === 'string' && sameText(clientToken, expected)
  if (!isKnown || typeof secret !== 'string') return refused
  return { kind: 'answer', status: 200, type: 'text/plain', body: secret }
}

/** Undefined unless it is base64 in the one spelling that these bytes have. */
function decoded(data: unknown): Buffer | undefined {
  if (typeof data !== 'string' || data === '') return undefined
  const bytes = Buffer.from(data, 'base64')
  return bytes.toString('base64') === data ? bytes : undefined
}

/** Ids of messages are the platform's own, so that they can be marked as read; ids of all else have a blank in them. */
function itemsOf(event: Loose): readonly Item[] {
  const address = asText(event.senderPhoneNumber) ?? asText(event.phoneNumber)
  if (!address) return [{ problem: 'the event names no phone' }]
  if (unspoken.includes(event.eventType)) return []
  if (event.eventType !== undefined) return [eventItem(asText(event.eventType) ?? '', event, address)]
  const messageId = asText(event.messageId)
  if (!messageId) return [{ problem: 'a message has no `messageId`' }]
  const inbound = saidIn(event)
  if (inbound === 'nothing') return []
  return [{ id: messageId, address, inbound: inbound ?? notUnderstood('something') }]
}

/** Whether an id that was given above is that of a message. */
export function isMessageId(id: string): boolean {
  return !id.includes(' ')
}

type Receipt = Pick<Extract<Inbound, { kind: 'receipt' }>['receipt'], 'state' | 'reason' | 'detail'>

const receipts: ReadonlyMap<string, Receipt> = new Map<string, Receipt>([
  ['DELIVERED', { state: 'delivered' }],
  ['READ', { state: 'read' }],
  ['TTL_EXPIRATION_REVOKED', { state: 'failed', reason: 'expired', detail: 'It did not arrive in its time.' }],
])

const systems: ReadonlyMap<string, Extract<Inbound, { kind: 'system' }>['system']> = new Map([
  ['IS_TYPING', 'typing'],
  ['SUBSCRIBE', 'subscribed'],
  ['UNSUBSCRIBE', 'unsubscribed'],
] as const)

/** A message that is out of its time and could not be taken back may still arrive, and then a receipt says so. */
const unspoken: readonly unknown[] = ['TTL_EXPIRATION_REVOKE_FAILED']

function eventItem(type: string, { messageId, eventId }: Loose, address: string): Item {
  const receipt = receipts.get(type)
  if (receipt) {
    const providerId = asText(messageId)
    if (!providerId) return { problem: `an event ${type} has no \`messageId\`` }
    return {
      id: `${providerId} ${receipt.state}`,
      address,
      inbound: { kind: 'receipt', receipt: { providerId, ...receipt } },
    }
  }
  const system = systems.get(type)
  const id = asText(eventId)
  if (system)
    return id
      ? { id: `event ${id}`, address, inbound: { kind: 'system', system } }
      : { problem: `an event ${type} has no \`eventId\`` }
  return { problem: `events of type ${type.slice(0, 60)} are not known` }
}

function saidIn({ text, suggestionResponse, location, userFile }: Loose): Inbound | 'nothing' | undefined {
  if (isRecord(suggestionResponse)) return tappedIn(suggestionResponse)
  const content = contentOf(text) ?? placeIn(location) ?? fileIn(userFile)
  return content && { kind: 'content', content }
}

function contentOf(text: unknown): UserContent | undefined {
  return typeof text === 'string' && text !== '' ? { text } : undefined
}

/** A tap of ours says where it belongs. Of others a reply is what its label says, and an action says nothing. */
function tappedIn({ postbackData, text, type }: Loose): Inbound | 'nothing' | undefined {
  const given = asText(postbackData) ?? ''
  const spellings = [given, Buffer.from(given, 'base64').toString()]
  const label = asText(text)
  const tap = spellings.map(readPostback).find((each) => each !== undefined)
  if (tap) return { kind: 'tap', ...tap, ...(label && { label }) }
  if (spellings.includes(untold) || asText(type)?.toUpperCase() === 'ACTION') return 'nothing'
  const content = contentOf(label)
  return content && { kind: 'content', content }
}

function placeIn(location: unknown): UserContent | undefined {
  if (!isRecord(location)) return undefined
  const [latitude, longitude] = [degreesIn(location.latitude, 90), degreesIn(location.longitude, 180)]
  return latitude === undefined || longitude === undefined ? undefined : { place: { latitude, longitude } }
}

/** A zero is left out of an event. */
function degreesIn(value: unknown, most: number): number | undefined {
  const degrees = asNumber(value ?? 0)
  return degrees !== undefined && Math.abs(degrees) <= most ? degrees : undefined
}

function fileIn(userFile: unknown): UserContent | undefined {
  const payload = isRecord(userFile) && isRecord(userFile.payload) ? userFile.payload : undefined
  const url = asText(payload?.fileUri)
  if (!payload || !url) return undefined
  const [type, name] = [asText(payload.mimeType), asText(payload.fileName)]
  return { media: [{ url, ...(type && { type }), ...(name && { name }) }] }
}

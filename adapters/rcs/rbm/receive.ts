/**
 * What RCS Business Messaging sends in. Its envelope is not signed, only the event inside it, so nothing else of the
 * envelope is believed. Whatever the platform repeats has the same id again.
 */
import { createHmac } from 'node:crypto'
import type { IngressRequest, IngressResult, Item } from '../../../core/channel/adapter.js'
import type { Inbound, UserContent } from '../../../core/channel/inbound.js'
import { parsePostback } from '../../../core/channel/postback.js'
import { isRecord } from '../../../core/json.js'
import { ingressBounds } from '../../../core/limits/index.js'
import { asNumber, asText, readJson, sameText } from '../../kit/http.js'
import { notUnderstood } from '../../kit/inbound.js'
import { itemError } from '../../../core/channel/adaptervalidation.js'
import { type RbmAuth, signatureHeader } from './descriptor.js'
import { silentPostback } from './suggestions.js'

type JsonObject = Readonly<Record<string, unknown>>

const refused: IngressResult = { kind: 'refused' }

export function receive({ method, header, body }: IngressRequest, { clientToken }: RbmAuth): IngressResult {
  const signature = header(signatureHeader)
  const isShaped = /^[A-Za-z0-9+/]{86}==$/.test(signature)
  // Only a greeting comes without a signature, and it is short.
  if (method !== 'POST' || (!isShaped && body.length > ingressBounds.rbmGreetingBytes)) return refused
  const envelope = readJson(body)
  if (!isRecord(envelope)) return refused
  if (envelope.clientToken !== undefined) return answerVerification(envelope, clientToken)
  const data = isShaped && isRecord(envelope.message) ? decodeBase64(envelope.message.data) : undefined
  if (!data) return refused
  const expected = createHmac('sha512', clientToken).update(data).digest('base64')
  if (!sameText(signature, expected)) return refused
  const event = readJson(data)
  if (!isRecord(event)) return { kind: 'unreadable', problem: 'the event is not an object' }
  return { kind: 'items', items: itemsOf(event).map(validItem) }
}

/** What is longer than anything that the provider says is not what it says. */
function validItem(item: Item): Item {
  const error = itemError(item)
  return error === undefined ? item : { problem: error }
}

/** Whoever sets up the webhook wants to hear the secret again, and shows that they know the token. */
function answerVerification({ clientToken, secret }: JsonObject, expected: string): IngressResult {
  const isAuthentic = typeof clientToken === 'string' && sameText(clientToken, expected)
  if (!isAuthentic || typeof secret !== 'string') return refused
  return { kind: 'answer', status: 200, type: 'text/plain', body: secret }
}

/** Undefined unless it is base64 in the one spelling that these bytes have. */
function decodeBase64(data: unknown): Buffer | undefined {
  if (typeof data !== 'string' || data === '') return undefined
  const bytes = Buffer.from(data, 'base64')
  return bytes.toString('base64') === data ? bytes : undefined
}

/** Ids of messages are the platform's own, so that they can be marked as read; ids of all else have a blank in them. */
function itemsOf(event: JsonObject): readonly Item[] {
  const address = asText(event.senderPhoneNumber) ?? asText(event.phoneNumber)
  if (!address) return [{ problem: 'the event names no phone' }]
  if (ignoredEvents.includes(event.eventType)) return []
  if (event.eventType !== undefined) return [eventItem(asText(event.eventType) ?? '', event, address)]
  const messageId = asText(event.messageId)
  if (!messageId) return [{ problem: 'a message has no `messageId`' }]
  const inbound = inboundIn(event)
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
const ignoredEvents: readonly unknown[] = ['TTL_EXPIRATION_REVOKE_FAILED']

function eventItem(type: string, { messageId, eventId }: JsonObject, address: string): Item {
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

function inboundIn({ text, suggestionResponse, location, userFile }: JsonObject): Inbound | 'nothing' | undefined {
  if (isRecord(suggestionResponse)) return tapIn(suggestionResponse)
  const content = contentOf(text) ?? placeIn(location) ?? fileIn(userFile)
  return content && { kind: 'content', content }
}

function contentOf(text: unknown): UserContent | undefined {
  return typeof text === 'string' && text !== '' ? { text } : undefined
}

/** A tap of ours says where it belongs. Of others a reply is what its label says, and an action says nothing. */
function tapIn({ postbackData, text, type }: JsonObject): Inbound | 'nothing' | undefined {
  const postback = asText(postbackData) ?? ''
  const spellings = [postback, Buffer.from(postback, 'base64').toString()]
  const label = asText(text)
  const tap = spellings.map(parsePostback).find((each) => each !== undefined)
  if (tap) return { kind: 'tap', ...tap, ...(label && { label }) }
  if (spellings.includes(silentPostback) || asText(type)?.toUpperCase() === 'ACTION') return 'nothing'
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

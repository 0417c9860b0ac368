/**
 * Receives events of RCS Business Messaging. The platform signs the event and not its envelope, so `receive` trusts no
 * other member of the envelope. A repeated event has the same id.
 */
import { createHmac } from 'node:crypto'
import type { IngressRequest, IngressResult, Item } from '../../../core/channel/adapter.js'
import type { Inbound, UserContent } from '../../../core/channel/inbound.js'
import { parsePostback } from '../../../core/channel/postback.js'
import { isRecord } from '../../../core/json.js'
import { ingressBounds } from '../../../core/limits/index.js'
import { asNumber, asText, readJson, sameText } from '../../kit/http.js'
import { notUnderstood, validItem } from '../../kit/inbound.js'
import { type RbmAuth, signatureHeader } from './descriptor.js'
import { silentPostback } from './suggestions.js'

type JsonObject = Readonly<Record<string, unknown>>

const refused: IngressResult = { kind: 'refused' }

export function receive({ method, header, body }: IngressRequest, { clientToken }: RbmAuth): IngressResult {
  const signature = header(signatureHeader)
  const isShaped = /^[A-Za-z0-9+/]{86}==$/.test(signature)
  // Only the verification request has no signature, and it is short.
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

/** Answers the verification of a new webhook: the request must contain the client token and gets its secret back. */
function answerVerification({ clientToken, secret }: JsonObject, expected: string): IngressResult {
  const isAuthentic = typeof clientToken === 'string' && sameText(clientToken, expected)
  if (!isAuthentic || typeof secret !== 'string') return refused
  return { kind: 'answer', status: 200, type: 'text/plain', body: secret }
}

/** Undefined unless the text is canonical base64. */
function decodeBase64(data: unknown): Buffer | undefined {
  if (typeof data !== 'string' || data === '') return undefined
  const bytes = Buffer.from(data, 'base64')
  return bytes.toString('base64') === data ? bytes : undefined
}

/** Messages keep the platform's ids, so that they can be marked as read; ids of all other items contain a blank. */
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

/** True for the id of a message, false for the id of another item. */
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

/** The message expired and its revocation failed. It may still be delivered, and then a receipt follows. */
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

/** Our postbacks identify their tap. Of native payloads, a reply becomes its label and an action yields no item. */
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

/** The platform omits zeros from events. */
function degreesIn(value: unknown, max: number): number | undefined {
  const degrees = asNumber(value ?? 0)
  return degrees !== undefined && Math.abs(degrees) <= max ? degrees : undefined
}

function fileIn(userFile: unknown): UserContent | undefined {
  const payload = isRecord(userFile) && isRecord(userFile.payload) ? userFile.payload : undefined
  const url = asText(payload?.fileUri)
  if (!payload || !url) return undefined
  const [type, name] = [asText(payload.mimeType), asText(payload.fileName)]
  return { media: [{ url, ...(type && { type }), ...(name && { name }) }] }
}

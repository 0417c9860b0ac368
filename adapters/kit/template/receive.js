/** Receives calls of the provider: verifies the signature, then reads each event by itself. Pure; never throws. */
// @ts-check
import { createHmac } from 'node:crypto'
import { asText, isRecord, notUnderstood, parsePostback, readJson, sameText } from 'parley/adapters/kit'
import { signatureHeader, timestampHeader } from './descriptor.js'

/** @typedef {import('parley/adapters/kit').Inbound} Inbound */
/** @typedef {import('parley/adapters/kit').IngressRequest} IngressRequest */
/** @typedef {import('parley/adapters/kit').Item} Item */
/** @typedef {import('parley/adapters/kit').IngressResult} IngressResult */
/** @typedef {import('./descriptor.js').Auth} Auth */

/** An older call is refused as a replay. */
const acceptedAgeMs = 300_000

/** @param {IngressRequest} request @param {Auth} auth @returns {IngressResult} */
export function receive({ header, body, at }, auth) {
  const timestamp = header(timestampHeader)
  const isFresh = /^\d{1,13}$/.test(timestamp) && Math.abs(at - Number(timestamp) * 1000) <= acceptedAgeMs
  if (!isFresh || !sameText(header(signatureHeader), signatureOf(auth, timestamp, body))) return { kind: 'refused' }
  const read = readJson(body)
  const events = isRecord(read) ? read.events : undefined
  if (!Array.isArray(events)) return { kind: 'unreadable', problem: 'the body has no list of events' }
  return { kind: 'items', items: events.map(itemOf) }
}

/** @param {Pick<Auth, 'signingSecret'>} auth @param {string} timestamp @param {Uint8Array} body */
export function signatureOf({ signingSecret }, timestamp, body) {
  return createHmac('sha256', signingSecret).update(`${timestamp}.`).update(body).digest('hex')
}

/** @param {unknown} event @returns {Item} */
function itemOf(event) {
  if (!isRecord(event)) return { problem: 'an event is not an object' }
  const [id, address] = [event.id, event.from].map(asText)
  if (!id || id.length > 200) return { problem: 'an event has no id' }
  if (!address || address.length > 200) return { problem: 'an event does not say whom it is about' }
  const inbound = messageIn(event) ?? tapIn(event) ?? receiptIn(event) ?? consentIn(event)
  return inbound ? { id, address, inbound } : { problem: 'an event is of a type that is not known' }
}

/** @param {Readonly<Record<string, unknown>>} event @returns {Inbound | undefined} */
function messageIn({ type, text, mediaUrl }) {
  if (type !== 'message') return undefined
  const [said, url] = [text, mediaUrl].map(asText)
  // An act that the contract has no message for becomes a note to the agent.
  if (said === undefined && !url) return notUnderstood('something')
  return { kind: 'content', content: { ...(said !== undefined && { text: said }), ...(url && { media: [{ url }] }) } }
}

/** @param {Readonly<Record<string, unknown>>} event @returns {Inbound | undefined} */
function tapIn({ type, postback, label }) {
  const tap = type === 'tap' ? parsePostback(asText(postback) ?? '') : undefined
  const shown = asText(label)
  return tap && { kind: 'tap', ...tap, ...(shown !== undefined && { label: shown }) }
}

/** @typedef {'sent' | 'delivered' | 'read' | 'failed'} State */
/** @type {ReadonlyMap<unknown, State>} */
const states = new Map([
  ['accepted', 'sent'],
  ['delivered', 'delivered'],
  ['seen', 'read'],
  ['failed', 'failed'],
])

/** @param {Readonly<Record<string, unknown>>} event @returns {Inbound | undefined} */
function receiptIn({ type, messageId, status }) {
  const state = type === 'receipt' ? states.get(status) : undefined
  const providerId = asText(messageId)
  if (!state || !providerId || providerId.length > 200) return undefined
  return { kind: 'receipt', receipt: { providerId, state } }
}

/** @param {Readonly<Record<string, unknown>>} event @returns {Inbound | undefined} */
function consentIn({ type }) {
  if (type === 'stopped') return { kind: 'system', system: 'optOut' }
  return type === 'started' ? { kind: 'system', system: 'optIn' } : undefined
}

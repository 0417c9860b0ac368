/** What Twilio sends in: messages of people, and what became of ours. One call is about one message. */
import type { IngressRequest, Item, Received } from '../../../core/channel/adapter.js'
import type { HeldMedia, ToldContent } from '../../../core/channel/held.js'
import type { UserMedia } from '../../../core/channel/inbound.js'
import { keywordIn } from '../../../core/conversation/keywords.js'
import { isRecord } from '../../../core/json.js'
import { ingressBounds, twilio as limits } from '../../../core/limits.js'
import { notUnderstood } from '../../kit/inbound.js'
import { wrongItem } from '../../kit/shapes.js'
import { readForm } from '../../kit/urlencoded.js'
import { readJson } from '../../kit/wire.js'
import { pieceIn, type TwilioAuth } from './descriptor.js'
import { mediaAt } from './media.js'
import { rowOf } from './refusals.js'
import { digestIn, hasSignature, isSigned, isSignedByDigest } from './signature.js'

/** The value of a parameter; empty where it is not given. */
type Given = (name: string) => string

const refused: Received = { kind: 'refused' }

export function receive(request: IngressRequest, auth: TwilioAuth): Received {
  if (request.method !== 'POST' || !hasSignature(request)) return refused
  const digest = digestIn(request.url)
  if (digest !== undefined) {
    if (!isSignedByDigest(request, digest, auth.authToken)) return refused
    return received(inJson(readJson(request.body)), auth, request.url)
  }
  // The signature is over the parameters, so a form is read, within its bounds, before it is known to be Twilio's.
  const form = readForm(request.body, ingressBounds.twilioForm)
  return form && isSigned(request, form, auth.authToken) ? received(inForm(form), auth, request.url) : refused
}

function received(given: Given, auth: TwilioAuth, url: string): Received {
  return { kind: 'items', items: itemsOf(given, auth, url).map(sound) }
}

/** What is longer than anything that the provider says is not what it says. */
function sound(item: Item): Item {
  const wrong = wrongItem(item)
  return wrong === undefined ? item : { problem: wrong }
}

const inForm =
  (form: URLSearchParams): Given =>
  (name) =>
    form.get(name) ?? ''

const inJson =
  (body: unknown): Given =>
  (name) => {
    const value = isRecord(body) && Object.hasOwn(body, name) ? body[name] : undefined
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }

function itemsOf(given: Given, auth: TwilioAuth, url: string): readonly Item[] {
  const sid = given('MessageSid') || given('SmsSid') || given('SmsMessageSid')
  if (sid === '') return [{ problem: 'the call has no `MessageSid`' }]
  const status = given('MessageStatus') || given('SmsStatus')
  if (status === '' || status === 'received' || status === 'receiving') return heardIn(sid, given, auth)
  return receiptIn(sid, status, given, pieceIn(url))
}

/** States that are no news to anybody are null: we queued it ourselves, and a part of a message is no message. */
const states: ReadonlyMap<string, 'sent' | 'delivered' | 'read' | 'failed' | null> = new Map([
  ['accepted', null],
  ['scheduled', null],
  ['queued', null],
  ['sending', null],
  ['partially_delivered', null],
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['undelivered', 'failed'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
] as const)

/** The same state of the same message is the same news, however often and under whatever call it comes. */
function receiptIn(sid: string, status: string, given: Given, pieceId?: string): readonly Item[] {
  const state = states.get(status)
  if (state === undefined) return [{ problem: `the status ${status.slice(0, 60)} is not known` }]
  if (state === null) return []
  const address = given('To')
  if (address === '') return [{ problem: 'a receipt names no phone' }]
  const { reason, detail } = whyIn(status, given)
  const why = state === 'failed' && { reason, ...(detail && { detail }) }
  const receipt = { providerId: sid, ...(pieceId && { pieceId }), state, ...why }
  return [{ id: `${sid} ${state}`, address, inbound: { kind: 'receipt', receipt } }]
}

function whyIn(status: string, given: Given): { readonly reason: string; readonly detail?: string } {
  const code = given('ErrorCode')
  if (status === 'canceled') return { reason: 'canceled' }
  if (!/^[0-9]{1,6}$/.test(code)) return { reason: 'sendFailed' }
  const { reason = 'sendFailed', means = `Twilio gives the error ${code}.` } = rowOf(code) ?? {}
  return { reason, detail: means }
}

function heardIn(sid: string, given: Given, auth: TwilioAuth): readonly Item[] {
  const address = given('From')
  if (address === '') return [{ problem: 'a message names no phone' }]
  const text = given('Body')
  const items: Item[] = [{ id: sid, address, inbound: { kind: 'content', content: contentIn(text, given, auth) } }]
  const consent = consentIn(given('OptOutType'), text)
  if (consent) items.push({ id: `${sid} ${consent}`, address, inbound: { kind: 'system', system: consent } })
  return items
}

/**
 * Twilio says which keywords it has acted upon, among them those that an account has added. What is a keyword everywhere
 * is heard from the text itself; the rest has to be told, so that both sides agree on who has opted out.
 */
function consentIn(type: string, text: string): 'optOut' | 'optIn' | undefined {
  if (type === '') return undefined
  const heard = keywordIn(text, 'sms', { isAnswered: false, isOptedOut: false })
  if (type.toUpperCase() === 'STOP') return heard === 'stop' ? undefined : 'optOut'
  if (type.toUpperCase() === 'START') return heard === 'start' ? undefined : 'optIn'
  return undefined
}

/** A message without words, and files that cannot be opened or are too many, are mentioned. */
function contentIn(text: string, given: Given, auth: TwilioAuth): ToldContent {
  const count = Math.floor(Number(given('NumMedia'))) || 0
  const media: (UserMedia | HeldMedia)[] = []
  for (let place = 0; place < Math.min(count, limits.mediaMost); place++) {
    media.push(...mediaAt(given(`MediaUrl${place}`), given(`MediaContentType${place}`), auth))
  }
  const isWhole = media.length >= count && (text !== '' || media.length > 0)
  const missing = isWhole ? '' : notUnderstood(count > 0 ? 'a file' : 'a message').content.text
  const words = [text, missing].filter(Boolean).join('\n')
  return { ...(words !== '' && { text: words }), ...(media.length > 0 && { media }) }
}

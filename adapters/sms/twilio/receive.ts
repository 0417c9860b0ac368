/** Receives Twilio's calls: messages of people and receipts of our messages. Each call is about one message. */
import type { IngressRequest, IngressResult, Item } from '../../../core/channel/adapter.js'
import type { UserMedia } from '../../../core/channel/inbound.js'
import type { ProviderMedia, ReportedContent } from '../../../core/channel/providermedia.js'
import { parseKeyword } from '../../../core/conversation/keywords.js'
import { isRecord } from '../../../core/json.js'
import { ingressBounds, twilio as limits } from '../../../core/limits/index.js'
import { readJson } from '../../kit/http.js'
import { notUnderstood, validItem } from '../../kit/inbound.js'
import { readForm } from '../../kit/urlencoded.js'
import { payloadIdIn, type TwilioAuth } from './descriptor.js'
import { mediaAt } from './media.js'
import { rowOf } from './refusals.js'
import { digestIn, hasSignature, isSigned, isSignedByDigest } from './signature.js'

/** The value of a parameter; empty when absent. */
type ReadParameter = (name: string) => string

const refused: IngressResult = { kind: 'refused' }

export function receive(request: IngressRequest, auth: TwilioAuth): IngressResult {
  if (request.method !== 'POST' || !hasSignature(request)) return refused
  const digest = digestIn(request.url)
  if (digest !== undefined) {
    if (!isSignedByDigest(request, digest, auth.authToken)) return refused
    return ingressResultOf(jsonReader(readJson(request.body)), auth, request.url)
  }
  // The signature covers the parameters, so a form is parsed within bounds before it is verified.
  const form = readForm(request.body, ingressBounds.twilioForm)
  return form && isSigned(request, form, auth.authToken)
    ? ingressResultOf(formReader(form), auth, request.url)
    : refused
}

function ingressResultOf(parameter: ReadParameter, auth: TwilioAuth, url: string): IngressResult {
  return { kind: 'items', items: itemsOf(parameter, auth, url).map(validItem) }
}

const formReader =
  (form: URLSearchParams): ReadParameter =>
  (name) =>
    form.get(name) ?? ''

const jsonReader =
  (body: unknown): ReadParameter =>
  (name) => {
    const value = isRecord(body) && Object.hasOwn(body, name) ? body[name] : undefined
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }

function itemsOf(parameter: ReadParameter, auth: TwilioAuth, url: string): readonly Item[] {
  const sid = parameter('MessageSid') || parameter('SmsSid') || parameter('SmsMessageSid')
  if (sid === '') return [{ problem: 'the call has no `MessageSid`' }]
  const status = parameter('MessageStatus') || parameter('SmsStatus')
  if (status === '' || status === 'received' || status === 'receiving') return messageItems(sid, parameter, auth)
  return receiptItems(sid, status, parameter, payloadIdIn(url))
}

/** Null for states that yield no item: Twilio queued the message, or delivered only a part of it. */
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

/** The item id is message and state, so a repeated report of a state is a duplicate. */
function receiptItems(sid: string, status: string, parameter: ReadParameter, pieceId?: string): readonly Item[] {
  const state = states.get(status)
  if (state === undefined) return [{ problem: `the status ${status.slice(0, 60)} is not known` }]
  if (state === null) return []
  const address = parameter('To')
  if (address === '') return [{ problem: 'a receipt names no phone' }]
  const { reason, detail } = failureIn(status, parameter)
  const failure = state === 'failed' && { reason, ...(detail && { detail }) }
  const receipt = { providerId: sid, ...(pieceId && { pieceId }), state, ...failure }
  return [{ id: `${sid} ${state}`, address, inbound: { kind: 'receipt', receipt } }]
}

function failureIn(status: string, parameter: ReadParameter): { readonly reason: string; readonly detail?: string } {
  const code = parameter('ErrorCode')
  if (status === 'canceled') return { reason: 'canceled' }
  if (!/^[0-9]{1,6}$/.test(code)) return { reason: 'sendFailed' }
  const { reason = 'sendFailed', means = `Twilio gives the error ${code}.` } = rowOf(code) ?? {}
  return { reason, detail: means }
}

function messageItems(sid: string, parameter: ReadParameter, auth: TwilioAuth): readonly Item[] {
  const address = parameter('From')
  if (address === '') return [{ problem: 'a message names no phone' }]
  const text = parameter('Body')
  const items: Item[] = [{ id: sid, address, inbound: { kind: 'content', content: contentIn(text, parameter, auth) } }]
  const consent = consentIn(parameter('OptOutType'), text)
  if (consent) items.push({ id: `${sid} ${consent}`, address, inbound: { kind: 'system', system: consent } })
  return items
}

/**
 * Twilio reports the keywords that it acted upon, including an account's own. Parley finds the universal keywords in
 * the text itself; the others become an explicit opt-out or opt-in, so that both sides agree on who has opted out.
 */
function consentIn(type: string, text: string): 'optOut' | 'optIn' | undefined {
  if (type === '') return undefined
  const keyword = parseKeyword(text, 'sms', { answersKeywords: false, isOptedOut: false })
  if (type.toUpperCase() === 'STOP') return keyword === 'stop' ? undefined : 'optOut'
  if (type.toUpperCase() === 'START') return keyword === 'start' ? undefined : 'optIn'
  return undefined
}

/** A message without content, and files that cannot be opened or exceed the limit, become a note. */
function contentIn(text: string, parameter: ReadParameter, auth: TwilioAuth): ReportedContent {
  const count = Math.floor(Number(parameter('NumMedia'))) || 0
  const media: (UserMedia | ProviderMedia)[] = []
  for (let index = 0; index < Math.min(count, limits.maxMedia); index++) {
    media.push(...mediaAt(parameter(`MediaUrl${index}`), parameter(`MediaContentType${index}`), auth))
  }
  const isWhole = media.length >= count && (text !== '' || media.length > 0)
  const notice = isWhole ? '' : notUnderstood(count > 0 ? 'a file' : 'a message').content.text
  const contentText = [text, notice].filter(Boolean).join('\n')
  return { ...(contentText !== '' && { text: contentText }), ...(media.length > 0 && { media }) }
}

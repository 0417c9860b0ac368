/**
 * Validates the shape and size of what an adapter returns. Each function returns a short error that repeats none of the
 * input, or undefined. The adapter suite validates before a node runs the adapter; the node validates every call, so
 * that one faulty adapter does not harm the others.
 */

import { isRecord } from '../json.js'
import { adapter as limits } from '../limits/index.js'
import { messageStates, systemKinds } from './inbound.js'

type ValidationError = string | undefined

const isTextUpTo = (value: unknown, max: number, min = 1): value is string =>
  typeof value === 'string' && value.length >= min && value.length <= max
const isAbsentOr = (value: unknown, fits: (value: unknown) => boolean) => value === undefined || fits(value)
const isFiniteNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value)
const isDetail = (value: unknown) => isTextUpTo(value, limits.detailChars, 0)

const retryWords: readonly unknown[] = ['later', 'otherChannel', 'never']

export function outcomeError(outcome: unknown): ValidationError {
  if (!isRecord(outcome)) return 'the outcome of a send is not an object'
  const { kind, providerId, reason, detail, retry, retryAfterMs, isUnknown, needsOperator, deviceCapabilities } =
    outcome
  if (kind === 'sent') return isTextUpTo(providerId, limits.idChars) ? undefined : 'what was sent has no `providerId`'
  if (kind !== 'refused') return 'the `kind` of an outcome is neither sent nor refused'
  if (!isTextUpTo(reason, limits.reasonChars) || !/^[A-Za-z][A-Za-z0-9_.-]*$/.test(reason))
    return 'the `reason` of a refusal is not one word'
  if (!retryWords.includes(retry)) return '`retry` of a refusal is not later, otherChannel or never'
  if (!isAbsentOr(detail, isDetail)) return `the \`detail\` of a refusal is no text of up to ${limits.detailChars}`
  if (!isAbsentOr(deviceCapabilities, isCapabilityList)) return capabilitiesError
  if (!isAbsentOr(retryAfterMs, isWait)) return '`retryAfterMs` is no number of milliseconds'
  if (!isAbsentOr(isUnknown, (value) => value === true)) return '`isUnknown` is neither true nor absent'
  return isAbsentOr(needsOperator, (value) => value === true) ? undefined : '`needsOperator` is neither true nor absent'
}

const isWait = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0

export function findOutcomeError(outcome: unknown): ValidationError {
  if (!isRecord(outcome)) return 'what was found is not an object'
  const { kind, providerId, detail } = outcome
  if (kind === 'absent') return undefined
  if (kind === 'found') return isTextUpTo(providerId, limits.idChars) ? undefined : 'what was found has no `providerId`'
  return kind === 'unknown' && isDetail(detail) ? undefined : 'the `kind` of what was found is not of the contract'
}

export function followOutcomeError(outcome: unknown): ValidationError {
  if (!isRecord(outcome)) return 'what was followed is not an object'
  const { kind, inbound, detail } = outcome
  if (kind === 'refused') return isDetail(detail) ? undefined : 'a refusal says nothing, or too much'
  return kind === 'inbound' ? itemError({ id: 'x', address: 'x', inbound }) : 'the `kind` of it is not of the contract'
}

export function receivedError(received: unknown): ValidationError {
  if (!isRecord(received)) return 'what was received is not an object'
  const { kind, status, type, body, items, problem, otherAccounts } = received
  if (kind === 'refused') return undefined
  if (kind === 'unreadable') return isDetail(problem) ? undefined : 'a problem is no short text'
  if (kind === 'answer') {
    const isStatus = Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 499
    if (!isStatus) return 'the `status` of an answer is not from 200 to 499'
    // A line break in a header would begin another header.
    if (!isTextUpTo(type, 100) || !/^[\x20-\x7e]+$/.test(type)) return 'the `type` of an answer is no content type'
    return isTextUpTo(body, limits.answerChars, 0) ? undefined : 'the `body` of an answer is no text'
  }
  if (kind !== 'items') return 'the `kind` of what was received is neither refused, answer nor items'
  if (!Array.isArray(items)) return '`items` is not a list'
  if (!isAbsentOr(otherAccounts, isAccountList)) return '`otherAccounts` is no list of accounts, or too long a one'
  return items.length <= limits.itemsPerCall ? undefined : `there are more than ${limits.itemsPerCall} items`
}

function isAccountList(accounts: unknown): boolean {
  const isList = (items: unknown) => Array.isArray(items) && items.length <= limits.itemsPerCall
  const isPart = (each: unknown) =>
    isRecord(each) && isTextUpTo(each.account, limits.addressChars) && isAbsentOr(each.items, isList)
  return Array.isArray(accounts) && accounts.length <= limits.itemsPerCall && accounts.every(isPart)
}

/** Checks items one by one, so that a bad item does not lose the others. */
export function itemError(item: unknown): ValidationError {
  if (!isRecord(item)) return 'an item is not an object'
  if ('problem' in item) return isDetail(item.problem) ? undefined : 'a problem is no short text'
  const { id, address, alias, inbound, deviceCapabilities } = item
  if (!isTextUpTo(id, limits.idChars)) return 'an item has no `id`, or too long a one'
  if (!isTextUpTo(address, limits.addressChars)) return 'an item has no `address`, or too long a one'
  if (!isAbsentOr(alias, (value) => isTextUpTo(value, limits.addressChars))) return 'an `alias` is no address'
  if (!isRecord(inbound)) return 'an item has no `inbound`'
  if (!isAbsentOr(deviceCapabilities, isCapabilityList)) return capabilitiesError
  const validate = Object.hasOwn(inboundKinds, String(inbound.kind)) && inboundKinds[inbound.kind as InboundKind]
  return validate ? validate(inbound) : 'the `kind` of an inbound is unknown'
}

const capabilitiesError = '`deviceCapabilities` is no list of words, or too long a one'

function isCapabilityList(list: unknown): boolean {
  const isWord = (each: unknown) => isTextUpTo(each, limits.deviceCapabilityChars)
  return Array.isArray(list) && list.length <= limits.deviceCapabilities && list.every(isWord)
}

type JsonObject = Readonly<Record<string, unknown>>
type InboundKind = 'content' | 'tap' | 'system' | 'receipt' | 'reference'

const inboundKinds: Readonly<Record<InboundKind, (inbound: JsonObject) => ValidationError>> = {
  content: ({ content }) => (isRecord(content) ? contentError(content) : '`content` is not an object'),
  tap: ({ messageId, tapIndex, label }) => {
    if (!isTextUpTo(messageId, limits.idChars)) return 'a tap names no message'
    if (!Number.isInteger(tapIndex) || (tapIndex as number) < 0) return 'a tap has no `tapIndex`'
    return isAbsentOr(label, (value) => isTextUpTo(value, limits.textChars, 0)) ? undefined : 'a label is no text'
  },
  system: ({ system }) =>
    system !== 'windowChanged' && systemKinds.some((kind) => kind === system) ? undefined : 'a `system` is unknown',
  reference: ({ reference }) => (isMediaRef(reference) ? undefined : 'a `reference` is no word, or too long a one'),
  receipt: ({ receipt }) => (isRecord(receipt) ? receiptError(receipt) : '`receipt` is not an object'),
}

function contentError({ text, media, place }: JsonObject): ValidationError {
  if (text === undefined && media === undefined && place === undefined) return 'a content says nothing'
  if (!isAbsentOr(text, (value) => isTextUpTo(value, limits.textChars, 0))) return 'a `text` is no text, or too long'
  if (!isAbsentOr(media, isMediaList)) return '`media` is no list of addresses'
  return isAbsentOr(place, isPlace) ? undefined : 'a `place` is not one'
}

function isMediaList(media: unknown): boolean {
  const isMedium = (each: unknown) =>
    isRecord(each) &&
    ('mediaRef' in each ? isMediaRef(each.mediaRef) && !('url' in each) : isTextUpTo(each.url, limits.textChars)) &&
    [each.type, each.name].every((value) => isAbsentOr(value, isDetail))
  return Array.isArray(media) && media.length <= limits.mediaPerItem && media.every(isMedium)
}

/** A media ref becomes part of one of Parley's URLs. */
function isMediaRef(mediaRef: unknown): boolean {
  return isTextUpTo(mediaRef, limits.mediaRefChars) && /^[\x21-\x7e]+$/.test(mediaRef)
}

/** A header is one line; a line break in it would begin another header. */
export function mediaAccessError(access: unknown): ValidationError {
  if (!isRecord(access)) return 'what opens media is not an object'
  const { kind, url, headers, detail, aesKey } = access
  if (kind === 'refused')
    return isTextUpTo(detail, limits.detailChars) ? undefined : 'a refusal says nothing, or too much'
  if (kind !== 'at') return 'the `kind` of what opens media is neither at nor refused'
  if (!isTextUpTo(url, limits.urlChars) || !/^https?:\/\/[^\s/]+/.test(url)) return 'the `url` is not one of the web'
  if (!isAbsentOr(aesKey, (value) => typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value)))
    return '`aesKey` is no key in hex'
  if (!isRecord(headers)) return '`headers` is not an object'
  const all = Object.entries(headers)
  const isHeader = ([name, value]: readonly [string, unknown]) =>
    /^[\w-]{1,100}$/.test(name) && isTextUpTo(value, limits.headerChars) && /^[\x20-\x7e]+$/.test(value)
  return all.length <= limits.mediaHeaders && all.every(isHeader)
    ? undefined
    : 'a header is none, or there are too many'
}

function isPlace(place: unknown): boolean {
  if (!isRecord(place)) return false
  const texts = [place.label, place.address]
  const numbers = [place.latitude, place.longitude]
  return (
    texts.every((value) => isAbsentOr(value, (each) => isTextUpTo(each, limits.textChars, 0))) &&
    numbers.every((value) => isAbsentOr(value, (each) => isFiniteNumber(each)))
  )
}

function receiptError({ providerId, pieceId, state, reason, detail, upTo }: JsonObject): ValidationError {
  if (!isTextUpTo(providerId, limits.idChars, upTo === undefined ? 1 : 0)) return 'a receipt names no message'
  if (!isAbsentOr(pieceId, (value) => isTextUpTo(value, limits.idChars))) return 'our own id in a receipt is no text'
  if (state === 'queued' || !messageStates.some((each) => each === state)) return 'the `state` of a receipt is unknown'
  if (!isAbsentOr(reason, isDetail) || !isAbsentOr(detail, isDetail)) return 'what a receipt says is no short text'
  return isAbsentOr(upTo, (value) => isFiniteNumber(value)) ? undefined : '`upTo` is no time'
}

/** A payload is plain data of a bounded size: it may be shown, counted and made again. */
export function payloadError(payload: unknown): ValidationError {
  const size = { chars: 0 }
  if (payload === undefined) return 'a payload is undefined'
  return dataError(payload, 0, size) ?? (size.chars > limits.payloadChars ? tooLarge : undefined)
}

const tooLarge = `a payload has more than ${limits.payloadChars} characters`

export function payloadsError(payloads: unknown): ValidationError {
  if (!Array.isArray(payloads)) return 'the payloads are not a list'
  if (payloads.length > limits.payloadsPerMessage) return `there are more than ${limits.payloadsPerMessage} payloads`
  for (const payload of payloads) {
    const error = payloadError(payload)
    if (error) return error
  }
  return undefined
}

function dataError(value: unknown, depth: number, size: { chars: number }): ValidationError {
  size.chars += typeof value === 'string' ? value.length : 1
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'a payload holds what is not a number'
  if (typeof value !== 'object') return `a payload holds a ${typeof value}`
  if (depth >= limits.payloadDepth) return 'a payload is nested too deep'
  const prototype: unknown = Object.getPrototypeOf(value)
  const isList = Array.isArray(value)
  if (!isList && prototype !== Object.prototype && prototype !== null) return 'a payload holds more than plain data'
  for (const name of Object.keys(value)) {
    const inner = (value as JsonObject)[name]
    // JSON leaves out a member that is undefined; an undefined list entry would become null.
    if (inner === undefined && !isList) continue
    const error = dataError(inner, depth + 1, size)
    if (error) return error
    if (size.chars > limits.payloadChars) return tooLarge
  }
  return undefined
}

export function probeError(probed: unknown, addresses: readonly string[]): ValidationError {
  if (!isRecord(probed)) return 'the answer of a probe is not an object'
  const requested = new Set(addresses)
  const isPart = (list: unknown) => Array.isArray(list) && list.every((each) => requested.has(each))
  return isPart(probed.reachable) && isPart(probed.unreachable)
    ? undefined
    : 'a probe answers for other addresses than those of the question'
}

/**
 * Normalizes addresses: every spelling of a number, with any form that a country or a provider uses, gives the same
 * result, so that one person never becomes two. Every new identity takes its address from here; identities that were
 * created under another form keep it.
 */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { ChannelName } from '../channelnames.js'

/** Space, dashes, dots and parentheses, and the invisible marks that address books put around a number. */
const separators = /[\s().\-\u00ad\u200b-\u200f\u2010-\u2015\u2060-\u2069\u202a-\u202e\u2212\ufeff]+/g
/** A country code and the digits after it; a trunk zero makes it only a little longer. */
const dialable = /^\+[1-9][0-9]{6,17}$/
const e164 = /^\+[1-9][0-9]{6,14}$/
const longestChars = 64

/**
 * Numbers that need no parsing: countries whose numbers have one form, and whose trunk prefix cannot be the first
 * digit.
 */
const canonicalForm =
  /^\+(?:1[2-9][0-9]{9}|7[3-79][0-9]{9}|(?:20|27|3[0-469]|4[013-9]|5[13678]|6[0-6]|8[1246]|9[0-58])[1-9][0-9]{7,10})$/

interface Variant {
  readonly countryCode: string
  /** Matches the digits after the country code. */
  readonly form: RegExp
  readonly replacement: string
}

/** Countries with several ways, current or former, to write the same mobile number. Fixed lines get no messages. */
const variants: readonly Variant[] = [
  // Brazil added a ninth digit to mobile numbers; many address books and providers still leave it out.
  { countryCode: '55', form: /^([1-9][0-9])([6-9][0-9]{7})$/, replacement: '$19$2' },
  // Mexico dropped the 1 of mobile numbers, and the prefixes that were dialled before them.
  { countryCode: '52', form: /^(?:1|01|044|045)([2-9][0-9]{9})$/, replacement: '$1' },
  // Argentina writes a 9 before mobile numbers called from abroad, and a 15 in them at home.
  { countryCode: '54', form: /^([1-3][0-9]{9})$/, replacement: '9$1' },
  { countryCode: '54', form: /^9([1-3][0-9]{11})$/, replacement: '$1' },
]

/** The number in E.164; undefined for text that is no phone number in international format. */
export function phoneOf(text: string): string | undefined {
  return canonicalForm.test(text) ? text : parsePhone(text)
}

/** Numbers of the North American plan have ten digits. */
const possible = /^\+1[2-9][0-9]{9}$/

/**
 * Whether a number in E.164 has a length that its country uses. Applied to numbers that are entered or addressed, and
 * not to a number that wrote in: that one exists, even if the tables disagree.
 */
export function isPossiblePhone(phone: string): boolean {
  return possible.test(phone) || (parsePhoneNumberFromString(phone, { extract: false })?.isPossible() ?? false)
}

/** The number in E.164 if it is possible. */
export function possiblePhoneOf(text: string): string | undefined {
  const phone = phoneOf(text)
  return phone !== undefined && isPossiblePhone(phone) ? phone : undefined
}

/** Like `phoneOf`, without the fast path. */
export function parsePhone(text: string): string | undefined {
  if (text.length > longestChars) return undefined
  let phone = text.replace(separators, '').replace(/^00/, '+')
  if (!dialable.test(phone)) return undefined
  // The result of a variant is parsed again: one prefix may follow another.
  for (let pass = 0; pass < 4; pass++) {
    const read = parsePhoneNumberFromString(phone, { extract: false })
    if (!read) return undefined
    const next = `+${read.countryCallingCode}${canonical(read.countryCallingCode, read.nationalNumber)}`
    if (next === phone) break
    phone = next
  }
  return e164.test(phone) ? phone : undefined
}

function canonical(countryCode: string, national: string): string {
  for (const variant of variants) {
    if (variant.countryCode !== countryCode || !variant.form.test(national)) continue
    return national.replace(variant.form, variant.replacement)
  }
  return national
}

/** Undefined when an address is invalid on that channel. */
type AddressReader = (text: string) => string | undefined

const trimmedAddress: AddressReader = (text) => text.trim() || undefined

/** Messengers that identify people by number write it without a plus, and some people by a name. */
const numberOrName: AddressReader = (text) =>
  phoneOf(/^[1-9][0-9]{6,14}$/.test(text) ? `+${text}` : text) ?? trimmedAddress(text)

const readers: Partial<Record<ChannelName, AddressReader>> = { rcs: phoneOf, sms: phoneOf, messengerA: numberOrName }

export function normalizeAddress(channel: ChannelName, text: string): string | undefined {
  return (readers[channel] ?? trimmedAddress)(text)
}

/** The number of an address on channels that identify people by number: there one person has one number. */
export function phoneOfAddress(channel: ChannelName, address: string): string | undefined {
  const read = readers[channel]?.(address)
  return read === undefined ? undefined : phoneOf(read)
}

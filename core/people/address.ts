/**
 * The one reader of addresses: however somebody's number is written, and whichever of its forms a country or a provider
 * uses, it comes out the same, so that one person is never two. Whoever makes an identity reads its address here first;
 * identities that were made under another form keep it.
 */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { ChannelName } from '../channelnames.js'

/** Space, dashes, dots and parentheses, and the marks that address books put around a number unseen. */
const separators = /[\s().\-\u00ad\u200b-\u200f\u2010-\u2015\u2060-\u2069\u202a-\u202e\u2212\ufeff]+/g
/** A country code and what follows it; a zero that is dialled within the country only makes it a little longer. */
const dialable = /^\+[1-9][0-9]{6,17}$/
const e164 = /^\+[1-9][0-9]{6,14}$/
const longestChars = 64

/**
 * Numbers that stay as they are, told without reading them: countries whose numbers have one form, and whose trunk
 * prefix cannot be the digit that stands first.
 */
const canonicalForm =
  /^\+(?:1[2-9][0-9]{9}|7[3-79][0-9]{9}|(?:20|27|3[0-469]|4[013-9]|5[13678]|6[0-6]|8[1246]|9[0-58])[1-9][0-9]{7,10})$/

interface Variant {
  readonly countryCode: string
  /** Over the digits after the country code. */
  readonly form: RegExp
  readonly replacement: string
}

/** Where a country has, or had, several ways to write the same mobile number. A fixed line is sent no messages. */
const variants: readonly Variant[] = [
  // Brazil gave its mobile numbers a ninth digit; many address books and providers still leave it out.
  { countryCode: '55', form: /^([1-9][0-9])([6-9][0-9]{7})$/, replacement: '$19$2' },
  // Mexico dropped the 1 of mobile numbers, and the prefixes that were dialled before them.
  { countryCode: '52', form: /^(?:1|01|044|045)([2-9][0-9]{9})$/, replacement: '$1' },
  // Argentina writes a 9 before mobile numbers called from abroad, and a 15 in them at home.
  { countryCode: '54', form: /^([1-3][0-9]{9})$/, replacement: '9$1' },
  { countryCode: '54', form: /^9([1-3][0-9]{11})$/, replacement: '$1' },
]

/** In E.164. Undefined for what is no phone number in international format. */
export function phoneOf(text: string): string | undefined {
  return canonicalForm.test(text) ? text : parsePhone(text)
}

/** Numbers of the North American plan have ten digits. */
const possible = /^\+1[2-9][0-9]{9}$/

/**
 * Whether a number in E.164 has as many digits as numbers of its country have. Asked of what is entered or addressed, and
 * not of a number that wrote in: that one exists, whatever the tables say.
 */
export function isPossiblePhone(phone: string): boolean {
  return possible.test(phone) || (parsePhoneNumberFromString(phone, { extract: false })?.isPossible() ?? false)
}

/** In E.164, of a number that may exist. */
export function possiblePhoneOf(text: string): string | undefined {
  const phone = phoneOf(text)
  return phone !== undefined && isPossiblePhone(phone) ? phone : undefined
}

/** The same without the short way. */
export function parsePhone(text: string): string | undefined {
  if (text.length > longestChars) return undefined
  let phone = text.replace(separators, '').replace(/^00/, '+')
  if (!dialable.test(phone)) return undefined
  // What a variant becomes is read again: a prefix may have stood behind another.
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

/** Undefined when a person cannot have that address on that channel. */
type AddressReader = (text: string) => string | undefined

const asGiven: AddressReader = (text) => text.trim() || undefined

/** Messengers that know people by their numbers leave the plus out, and have other names for some. */
const numberOrName: AddressReader = (text) =>
  phoneOf(/^[1-9][0-9]{6,14}$/.test(text) ? `+${text}` : text) ?? asGiven(text)

const readers: Partial<Record<ChannelName, AddressReader>> = { rcs: phoneOf, sms: phoneOf, messengerA: numberOrName }

export function normalizeAddress(channel: ChannelName, text: string): string | undefined {
  return (readers[channel] ?? asGiven)(text)
}

/** The number behind an address, on the channels that know people by their numbers: there one person has one number. */
export function phoneOfAddress(channel: ChannelName, address: string): string | undefined {
  const read = readers[channel]?.(address)
  return read === undefined ? undefined : phoneOf(read)
}

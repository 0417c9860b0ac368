/**
 * Grounding: every address of the web, mail address and phone number in a reply must stand in what the reply is made
 * of. A sentence with one that does not is removed.
 */
import type { Chip, ContentMessage, Part } from '../amf/index.js'

/** Values that lead a person to a page or to another person, normalised so that spellings of one value are equal. */
export type HardValues = Pick<ReadonlySet<string>, 'has'>

/** No pattern tries one place more often than its few bounded lengths. */
const urlPattern = /(?:https?:\/\/|www\.)[^\s<>"'()[\]{}|\\^`]{1,500}/gi
const phonePattern = /\+?\d[\d ().-]{5,22}\d/g
const mailName = /[A-Za-z0-9._%+-]+$/
const mailHost = /[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}/y
const mailNameChars = 64
const mayHaveValue = /:\/\/|www\.|@|\d[\d ().-]{5}/i
const minPhoneDigits = 7
const dateLike = /^\d{4}-\d\d-\d\d|^\d{1,2}[.:]\d\d|^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$/

export function addHardValues(values: Set<string>, text: string): void {
  if (!mayHaveValue.test(text)) return
  for (const { readings } of valuesIn(text)) for (const reading of readings) values.add(reading)
}

interface FoundValue {
  /** What it may be: numbers that stand side by side are read together and apart. */
  readonly readings: readonly string[]
  readonly text: string
}

function valuesIn(text: string): readonly FoundValue[] {
  const plain = text.replaceAll('\\', '')
  const withoutUrls = plain.replace(urlPattern, blank)
  const mails = mailsIn(withoutUrls)
  return [
    ...matches(plain, urlPattern, (url) => [normalizeUrl(url)]),
    ...mails,
    ...matches(withoutUrls, phonePattern, readPhones),
  ]
}

/** Keeps what an address contains from being read as something else. */
const blank = (found: string) => ' '.repeat(found.length)

function mailsIn(text: string): readonly FoundValue[] {
  const mails: FoundValue[] = []
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const name = mailName.exec(text.slice(Math.max(0, at - mailNameChars), at))?.[0]
    mailHost.lastIndex = at + 1
    const host = name === undefined ? undefined : mailHost.exec(text)?.[0]
    if (host !== undefined) mails.push({ readings: [`mail ${name}@${host}`.toLowerCase()], text: `${name}@${host}` })
  }
  return mails
}

function matches(text: string, pattern: RegExp, read: (value: string) => readonly string[]): FoundValue[] {
  return [...text.matchAll(pattern)].flatMap(([found]) => {
    const readings = read(found)
    return readings.length === 0 ? [] : [{ readings, text: found }]
  })
}

function normalizeUrl(url: string): string {
  return `url ${url
    .replace(/[.,;:!?*_~]+$/, '')
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '')
    .toLowerCase()}`
}

/** A date or a count may stand beside a phone number, with nothing but a space between them. */
function readPhones(found: string): readonly string[] {
  const whole = normalizePhone(found)
  if (whole === undefined) return []
  const readings = new Set([whole])
  const groups = found.split(' ')
  for (let from = 0; from < groups.length; from++) {
    for (let to = groups.length; to > from; to--) {
      const others = [...groups.slice(0, from), ...groups.slice(to)].filter((group) => !dateLike.test(group))
      const phone = normalizePhone(groups.slice(from, to).join(' '))
      if (phone !== undefined && others.join('').replace(/\D/g, '').length < minPhoneDigits) readings.add(phone)
    }
  }
  return [...readings]
}

function normalizePhone(phone: string): string | undefined {
  if (dateLike.test(phone)) return undefined
  const digits = phone.replace(/\D/g, '')
  return digits.length < minPhoneDigits ? undefined : `phone ${digits.slice(-minPhoneDigits)}`
}

export interface Grounded {
  readonly message: ContentMessage
  /** The values that stand nowhere, as they were written. */
  readonly removed: readonly string[]
}

/** A message that is left without any part is returned with none. */
export function groundMessage(message: ContentMessage, sources: readonly HardValues[]): Grounded {
  const removed: string[] = []
  const isKnown = (value: string) => sources.some((values) => values.has(value))
  const unknownIn = (text: string) =>
    mayHaveValue.test(text) ? valuesIn(text).filter(({ readings }) => !readings.some(isKnown)) : []
  const parts = message.parts.flatMap((part) => groundPart(part))
  const chips = message.chips?.filter(isKnownChip)
  if (removed.length === 0) return { message, removed }
  const { chips: _chips, ...rest } = message
  return { message: { ...rest, parts, ...(chips && chips.length > 0 && { chips }) }, removed }

  function groundPart(part: Part): readonly Part[] {
    if (part.type !== 'text' || typeof part.text !== 'string') return [part]
    const unknown = unknownIn(part.text)
    if (unknown.length === 0) return [part]
    removed.push(...unknown.map(({ text }) => text))
    const sentences = part.text.split(/(?<=[.!?…])[ \t]+|(?<=\n)/)
    const text = sentences
      .filter((sentence) => unknownIn(sentence).length === 0)
      .join(' ')
      .trim()
    return text === '' ? [] : [{ ...part, text }]
  }

  function isKnownChip({ url, phone }: Chip): boolean {
    const unknown = [url, phone].flatMap((value) => (value === undefined ? [] : unknownIn(value)))
    removed.push(...unknown.map(({ text }) => text))
    return unknown.length === 0
  }
}

/**
 * Redacts tokens, e-mail addresses and phone numbers in text by their form, at any place. Every pattern takes linear
 * time: no two parts of one can match the same character, or the part is bounded.
 */

export function redact(text: string): string {
  return hidePhones(hideEmails(hideSecrets(text)))
}

/**
 * Redacts one line of JSON: every string in it, names included, and every number that is long enough for a phone
 * number. The line stays JSON, and control and invisible characters are escaped.
 */
export function redactLine(line: string): string {
  const clean = secretHint.test(line) || emailHint.test(line) ? redact : hidePhones
  return line
    .replace(jsonLiterals, (literal) => (literal.startsWith('"') ? cleanString(literal, clean) : cleanNumber(literal)))
    .replace(invisible, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The JSON of a value with every text in it redacted, and with members hidden whose name is that of a secret. */
export function redactJson(value: unknown): string {
  return redactLine(JSON.stringify(value, (name, each) => (secretName.test(name) ? '[secret]' : each)) ?? '')
}

const secretName = /token|secret|passw(?:or)?d|api[_-]?key|authorization|signature/i

const jsonLiterals = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
/** C1 controls, line separators and writing-direction marks; JSON itself escapes the rest. */
const invisible = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

function cleanString(literal: string, clean: (text: string) => string): string {
  if (!literal.includes('\\')) return `"${clean(literal.slice(1, -1))}"`
  const text: string = JSON.parse(literal)
  const cleaned = clean(text)
  return cleaned === text ? literal : JSON.stringify(cleaned)
}

function cleanNumber(literal: string): string {
  const whole = /^-?(\d{7,})/.exec(literal)?.[1]
  return whole ? `"${maskDigits(whole)}"` : literal
}

/** Every secret below contains one of these; most lines contain none and skip the patterns. */
const secretHint =
  /svc-|eyJ|v[12]\.|:\/\/|bearer|basic|PRIVATE|xox|sk-|(?:token|secret|passw(?:or)?d|key|signature)(?:=|%3D|\\{0,64}["'])/i

const secrets: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}-----|$)/g, '[private key]'],
  [/:\/\/[^\s/?#"'<>\\]*@/g, '://[credentials]@'],
  [/(sk|at|ws)-svc-[\w-]+/g, '$1-svc-[token]'],
  [/(v[12])\.[\w.~-]{16,}/g, '$1.[token]'],
  [/eyJ[\w+/=-]{5,}(?:\.[\w+/=-]*){0,4}/g, '[token]'],
  [/(Bearer)(?:\s{1,8}|%20|\+)[\w.~+/=:-]{8,}/gi, '$1 [token]'],
  [/(Basic)(?:\s{1,8}|%20|\+)(?=[a-z]{0,40}[A-Z0-9+/=])[\w+/=-]{6,}/g, '$1 [token]'],
  [/(?<![A-Za-z0-9])(sk|xox[a-z])-[\w-]{16,}/g, '$1-[token]'],
  [
    /((?:token|secret|passw(?:or)?d|api[_-]?key|signature)(?:=|%3D|\\{0,32}["']\s{0,4}:\s{0,4}\\{0,32}["']?))[^\s"'&,;\\}]+/gi,
    '$1[token]',
  ],
]

function hideSecrets(text: string): string {
  if (!secretHint.test(text)) return text
  return secrets.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text)
}

const emailHint = /[@\uff20]|%40/
const domains = /(?:[@\uff20]|%40)(?:\[[^\]\s]{1,255}\]|[\p{L}\p{N}_][\p{L}\p{N}\p{M}_.-]{0,253})/giu
const localMaxChars = 128
/** Ends at the separators of a query, a path or a list, so that a URL around an address stays legible. */
const plainLocal = /[\w.+'%-]|\P{ASCII}/u
/** All that an address may hold before the @, for one that ends in a character where `plainLocal` stops. */
const anyLocal = /[^\s<>()[\],;:"\\@\p{Cc}]/u
const quotedLocal = /[^\r\n]/

function hideEmails(text: string): string {
  if (!emailHint.test(text)) return text
  let clean = ''
  let handledTo = 0
  for (const match of matchesOf(domains, text)) {
    if (/^(?:@|\uff20|%40)[\d.]+$/.test(match[0])) continue
    const start = localStart(text, match.index, handledTo)
    const hasNoLocalPart = start === match.index && (start > handledTo || handledTo === 0)
    if (hasNoLocalPart) continue
    clean += `${text.slice(handledTo, start)}[email]`
    handledTo = match.index + match[0].length
  }
  return clean + text.slice(handledTo)
}

function localStart(text: string, end: number, floor: number): number {
  const scanBack = (allowed: RegExp, from: number) => {
    let start = from
    while (start > floor && end - start < localMaxChars && allowed.test(text[start - 1]!)) start--
    return start
  }
  if (text[end - 1] === '"' && end - 1 > floor) {
    const opening = text.lastIndexOf('"', end - 2)
    return opening >= Math.max(floor, end - localMaxChars) ? opening : scanBack(quotedLocal, end)
  }
  const start = scanBack(plainLocal, end)
  return start < end ? start : scanBack(anyLocal, end)
}

/**
 * Values with many digits that are no phone numbers: UUIDs, Parley's ids, hashes, dates, times, IPv4 addresses and
 * versions.
 */
const exemptPatterns: readonly RegExp[] = [
  /(?<![A-Za-z0-9])[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}(?![A-Za-z0-9])/g,
  /(?<![A-Za-z0-9])[a-z]{2,4}_[0-9a-z]{26}(?![A-Za-z0-9])/g,
  /(?<![A-Za-z0-9])(?=\d{0,63}[a-f])(?:[\da-f]{64}|[\da-f]{40}|[\da-f]{32})(?![A-Za-z0-9])/g,
  /(?<![\d+]|\d[-./])(?:19|20)\d\d([-./])(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?![-./]?\d)/g,
  /(?<![\d:.])\d\d:\d\d(?::\d\d(?:[.,]\d{1,9}(?!\d))?)?(?:[+-]\d\d:?\d\d(?!\d))?/g,
  /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])/g,
  /(?<![\d.+])\d{1,6}(?:\.\d{1,6})*?\.\d(?:\.\d{1,6})*(?!\d)/g,
]

/**
 * Seven or more digits in any script, with the usual separators: one dot, or up to four spaces, dashes, brackets,
 * slashes, plus signs and invisible marks, plain or percent-encoded. A digit of an escape does not begin one.
 */
const phones =
  /(?<!%)(?<!%[\dA-Fa-f])(?:\+|%2[Bb])?\(?\p{Nd}(?:(?:\.|(?:[\p{Zs}\p{Pd}\p{Cf}()/+]|%2[089BDEFbdef]){1,4})?\p{Nd}){6,63}/gu
/** The values of most fields with digits: these stay without a closer check. */
const idOrMoment = /^(?:[a-z]{2,4}_[0-9a-z]{26}|20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/
const sevenDigits = /\p{Nd}(?:\P{Nd}{0,12}\p{Nd}){6}/u

function hidePhones(text: string): string {
  return sevenDigits.test(text) && !idOrMoment.test(text) ? maskAround(text, 0) : text
}

/** Masks phone numbers in the text around the matches of the exempt patterns from this one on. */
function maskAround(text: string, from: number): string {
  const exempt = exemptPatterns[from]
  if (!exempt) return text.replace(phones, maskPhone)
  let clean = ''
  let handledTo = 0
  for (const match of matchesOf(exempt, text)) {
    clean += maskAround(text.slice(handledTo, match.index), from + 1) + match[0]
    handledTo = match.index + match[0].length
  }
  return clean + maskAround(text.slice(handledTo), from + 1)
}

/** Like `matchAll`, which would copy and compile its pattern on every call. */
function matchesOf(pattern: RegExp, text: string): RegExpExecArray[] {
  const all: RegExpExecArray[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) all.push(match)
  return all
}

function maskPhone(phone: string): string {
  const isDecimal = /^\d{1,6}\.\d{1,6}$/.test(phone) && !/^\d{3}\.\d{4}$/.test(phone)
  if (isDecimal) return phone
  const plus = /^(?:\+|%2b)/i.test(phone)
  const digits = phone.replace(/%2[0-9a-f]/gi, '').replace(/\P{Nd}/gu, '')
  return `${plus ? '+' : ''}${maskDigits(digits)}`
}

/** `15551234567` becomes `1********67`: enough to tell two numbers apart, too little to call either. */
function maskDigits(digits: string): string {
  const chars = Array.from(digits)
  return `${chars[0]}${'*'.repeat(chars.length - 3)}${chars.slice(-2).join('')}`
}

/** Parses phone numbers as people write them into E.164. */

/** Digits with the separators that people use, and at most one plus in front. */
const phonePattern = /^\+?[0-9\s()./\u2010-\u2015-]+$/
const international = /^[1-9][0-9]{6,14}$/
const american = /^[2-9][0-9]{2}[2-9][0-9]{6}$/

/**
 * Undefined for a text that is no phone number. A number without a country code is read as one of the United States.
 */
export function parsePhone(text: string): string | undefined {
  const trimmed = text.trim().replace(/^tel:/i, '')
  if (!phonePattern.test(trimmed)) return undefined
  // A zero in brackets is dialled within the country only.
  const digits = trimmed.replace('(0)', '').replace(/[^0-9]/g, '')
  const abroad = trimmed.startsWith('+') ? digits : /^(?:00|011)([1-9].*)$/.exec(digits)?.[1]
  if (abroad !== undefined) return international.test(abroad) ? `+${abroad}` : undefined
  const national = digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits
  return american.test(national) ? `+1${national}` : undefined
}

/**
 * Two normal forms in which replies and labels are compared. `fold` ignores letter case and invisible characters.
 * `tokensOf` also ignores punctuation, width and skin tone; symbols and emoji stay, since "A+" is not "A-".
 */

const invisible = /[\u00ad\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|\ufe0e|\ufe0f/g
const skinTones = /[\u{1F3FB}-\u{1F3FF}]/gu
const emoji = /\p{RI}\p{RI}|\p{Extended_Pictographic}(?:\u200d\p{Extended_Pictographic})*/gu
const timeOfDay = /(?<![\p{L}\p{N}:.])(\d{1,2})(?:[:.](\d{2}))?\s?([ap])\.?\s?m\b\.?/gu
/** Full stops, commas and colons count within a number: 1.50 is not 150. */
const outsideNumbers = /(?<!\d)[.,:]|[.,:](?!\d)/g
/** A joiner between two words divides them; at the edge of a word it is part of the word. */
const joiners = /(?<=[\p{L}\p{N}])[-/_](?=[\p{L}\p{N}])/gu
const otherPunctuation = /(?![-/_#%&*@'.,:])\p{P}/gu

export function fold(text: string): string {
  return text.normalize('NFC').replace(invisible, '').replace(/\s+/g, ' ').trim().toLowerCase()
}

/** Each time of day is one token, whatever its spelling: `1 PM` and `1:00 p.m.` are `1:00pm`. */
export function tokensOf(text: string): readonly string[] {
  return text
    .normalize('NFKC')
    .replace(invisible, '')
    .replace(skinTones, '')
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(emoji, ' $& ')
    .replace(timeOfDay, (_, hour: string, minutes = '00', half: string) => ` ${Number(hour)}:${minutes}${half}m `)
    .replace(outsideNumbers, ' ')
    .replace(joiners, ' ')
    .replace(otherPunctuation, ' ')
    .split(/\s+/)
    .map((token) => token.replace(/^'+|'+$/g, ''))
    .filter((token) => token !== '' && !/^[-/_]+$/.test(token))
}

/** Whether the token contains letters or digits; other tokens are emoji and symbols alone. */
export function isWord(token: string): boolean {
  return /[\p{L}\p{N}]/u.test(token)
}

/** The number that the whole reply is; undefined for "01.01.2022" and "2 of them". */
export function parseOrdinal(reply: string): number | undefined {
  const digits = /^\s*#?([0-9]{1,3})\u20e3?[.)]?\s*$/.exec(reply.normalize('NFKC').replace(invisible, ''))?.[1]
  const ordinal = digits === undefined ? 0 : Number(digits)
  return ordinal > 0 ? ordinal : undefined
}

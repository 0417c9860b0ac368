/**
 * GSM-7, the cheap alphabet of SMS: its characters, look-alikes that fold into it, and the number of segments of a
 * text.
 */

const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const extended = '\f^{}\\[~]|€'

/** Septets of a character by its code; 0 if GSM-7 does not have it. */
const septets = new Uint8Array(0x20ad)
for (const character of basic) septets[character.charCodeAt(0)] = 1
for (const character of extended) septets[character.charCodeAt(0)] = 2

/** Only characters that a reader would take for one another, or that differ in spelling alone. */
const lookalikes = new Map<string, string>(
  Object.entries({
    "'": '‘’‚‛′`´ʹʼ＇',
    '"': '“”„‟″＂',
    '-': '‐‑‒–—―−•‣⁃·∙●▪－',
    ' ': '\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t',
    '': '\u200b\u2060\ufeff\u00ad',
    '\n': '\u2028\u2029',
    '...': '…',
    '<': '‹',
    '>': '›',
    '1/2': '½',
    '1/4': '¼',
    '3/4': '¾',
    '/': '⁄',
  }).flatMap(([to, from]) => [...from].map((character) => [character, to] as const)),
)
/** Full-width forms stand in the same order as ASCII, at this offset. */
const fullWidth = { first: 0xff01, last: 0xff5e, offset: 0xfee0 } as const

/** ASCII without tab and grave accent, which fold to other characters. */
const isPlain = /^[\n\x20-\x5f\x61-\x7e]*$/

/** The text with every look-alike in its plain form; other characters stay. */
export function foldLookalikes(text: string): string {
  if (isPlain.test(text)) return text
  let folded = ''
  for (const character of text.normalize('NFC')) {
    const narrow = toNarrow(character)
    folded += lookalikes.get(narrow) ?? narrow
  }
  // A folded character may combine with the mark after it.
  return folded === text ? text : folded.normalize('NFC')
}

function toNarrow(character: string): string {
  const code = character.charCodeAt(0)
  const isWide = code >= fullWidth.first && code <= fullWidth.last
  return isWide ? String.fromCharCode(code - fullWidth.offset) : character
}

export function isGsm7(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (!septets[text.charCodeAt(at)]) return false
  return true
}

export interface Segments {
  readonly encoding: 'gsm7' | 'ucs2'
  /** Septets, or UTF-16 code units. */
  readonly units: number
  readonly segments: number
}

const sizes = { gsm7: { single: 160, part: 153 }, ucs2: { single: 70, part: 67 } } as const

/**
 * The segments of a text. A character of two units is never split between segments, so a segment may stay one unit
 * short.
 */
export function segmentsOf(text: string): Segments {
  const encoding = isGsm7(text) ? 'gsm7' : 'ucs2'
  const { single, part } = sizes[encoding]
  let units = 0
  let parts = 1
  let inPart = 0
  for (const character of text) {
    const width = encoding === 'gsm7' ? (septets[character.charCodeAt(0)] ?? 0) : character.length
    units += width
    if (inPart + width > part) {
      parts += 1
      inPart = 0
    }
    inPart += width
  }
  return { encoding, units, segments: units <= single ? 1 : parts }
}

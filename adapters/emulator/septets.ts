/** Encoding of a text as SMS: its alphabet and its parts. */

const gsm =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const plain = new Set(gsm)
const escaped = new Set('\f^{}\\[~]|€')

/** Bits in one part of a message. */
const partBits = 140 * 8

export interface Sms {
  readonly alphabet: 'gsm7' | 'ucs2'
  /** Never splits an escape or a surrogate pair. */
  readonly parts: readonly string[]
}

export function splitSms(text: string, headerBytes = 6): Sms {
  const alphabet = isGsm(text) ? 'gsm7' : 'ucs2'
  const bits = alphabet === 'gsm7' ? 7 : 16
  const units = [...text].map((each) => [each, unitsOf(each, alphabet)] as const)
  const total = units.reduce((sum, [, count]) => sum + count, 0)
  if (total <= Math.floor(partBits / bits)) return { alphabet, parts: [text] }
  const capacity = Math.floor((partBits - headerBytes * 8) / bits)
  const parts: string[] = []
  let [part, used] = ['', 0]
  for (const [each, count] of units) {
    if (used + count > capacity) {
      parts.push(part)
      ;[part, used] = ['', 0]
    }
    part += each
    used += count
  }
  return { alphabet, parts: [...parts, part] }
}

function isGsm(text: string): boolean {
  return [...text].every((each) => plain.has(each) || escaped.has(each))
}

/** Whether the text fits into one part beside a header of that many bytes. */
export function fits(text: string, alphabet: Sms['alphabet'], headerBytes: number): boolean {
  const used = [...text].reduce((sum, each) => sum + unitsOf(each, alphabet), 0)
  return used <= Math.floor((partBits - headerBytes * 8) / (alphabet === 'gsm7' ? 7 : 16))
}

function unitsOf(character: string, alphabet: Sms['alphabet']): number {
  return alphabet === 'ucs2' ? character.length : escaped.has(character) ? 2 : 1
}

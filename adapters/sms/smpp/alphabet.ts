/** Text encodings of SMPP: unpacked GSM-7, UCS-2, and the other alphabets that phones may send. */
import { decodeGsm7 } from './codec.js'

const esc = 0x1b
const septetValues = Array.from({ length: 0x80 }, (_, value) => value)

/** Characters by septet, and by the septet after an escape. */
const basic = septetValues.map((value) => decodeGsm7([value]))
const extended = septetValues.map((value) => {
  const pair = decodeGsm7([esc, value])
  return pair.length === 1 ? pair : undefined
})

const septetsByCharacter = new Map<string, readonly number[]>([
  ...basic.map((character, value) => [character, [value]] as const),
  ...extended.flatMap((character, value) => (character ? [[character, [esc, value]] as const] : [])),
])
const questionMark = septetsByCharacter.get('?')!

/** The septets of a character; a question mark for characters outside GSM-7. */
function septetsOf(character: string): readonly number[] {
  return septetsByCharacter.get(character) ?? questionMark
}

export function gsm7Units(character: string): number {
  return septetsOf(character).length
}

export function gsm7Octets(text: string): Buffer {
  const octets: number[] = []
  for (const character of text) octets.push(...septetsOf(character))
  return Buffer.from(octets)
}

/** After an unknown escape the next septet is decoded by the basic table, as the standard requires. */
function fromGsm7(octets: Uint8Array): string {
  let text = ''
  for (let at = 0; at < octets.length; at += 1) {
    const value = octets[at]! & 0x7f
    if (value !== esc) text += basic[value]
    else {
      at += 1
      const next = octets[at]
      if (next !== undefined) text += extended[next & 0x7f] ?? basic[next & 0x7f]
    }
  }
  return text
}

export function ucs2Octets(text: string): Buffer {
  const octets = Buffer.from(text, 'utf16le')
  octets.swap16()
  return octets
}

function fromUcs2(octets: Uint8Array): string {
  const even = Buffer.from(octets.subarray(0, octets.length - (octets.length % 2)))
  return even.swap16().toString('utf16le')
}

/** The default alphabet has seven bits. Octets above 0x7f mean another default, most often one of these. */
function fromDefault(octets: Uint8Array): string {
  if (octets.every((octet) => octet < 0x80)) return fromGsm7(octets)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets)
  } catch {
    return Buffer.from(octets).toString('latin1')
  }
}

type Decoder = (octets: Uint8Array) => string
const decoderFor = (label: string) => (octets: Uint8Array) => new TextDecoder(label).decode(octets)

/** Decoders by `data_coding`, for values that SMPP defines itself. */
const decoders: Readonly<Record<number, Decoder>> = {
  0: fromDefault,
  1: (octets) => Buffer.from(octets).toString('latin1'),
  3: (octets) => Buffer.from(octets).toString('latin1'),
  6: decoderFor('iso-8859-5'),
  7: decoderFor('iso-8859-8'),
  8: fromUcs2,
}

/** Undefined for data that is no text. */
export function textIn(octets: Uint8Array, dataCoding: number): string | undefined {
  if (dataCoding < 0x10) return decoders[dataCoding]?.(octets)
  // All other values follow the GSM rules: bits 3 and 2 give the alphabet, in the groups that have them.
  const alphabet = dataCoding >= 0xf0 ? (dataCoding & 0x04) >> 2 : dataCoding < 0x40 ? (dataCoding & 0x0c) >> 2 : -1
  if (alphabet === 0) return fromDefault(octets)
  return alphabet === 2 ? fromUcs2(octets) : undefined
}

/** Splits a text into SMS parts: alphabet, number of parts, and the concatenation header. */
import { smsPart } from '../../../core/limits/index.js'
import { segmentsOf } from '../../../core/render/gsm7.js'
import { gsm7Octets, gsm7Units, ucs2Octets } from './alphabet.js'

export type Alphabet = 'gsm7' | 'ucs2'

/** One submit. All parts of a text have the same alphabet. */
export interface TextPart {
  readonly kind: 'text'
  readonly text: string
  readonly alphabet: Alphabet
  /** Absent for a text of one part. */
  readonly part?: Concatenated
}

/** The part's position in its text; numbers begin with 1. */
export interface Concatenated {
  readonly reference: number
  readonly total: number
  readonly number: number
}

const alphabets = {
  gsm7: { unitBits: 7, unitsOf: gsm7Units, dataCoding: 0, octets: gsm7Octets },
  ucs2: { unitBits: 16, unitsOf: (character: string) => character.length, dataCoding: 8, octets: ucs2Octets },
} as const
const partBits = (smsPart.octets - smsPart.headerOctets) * 8

export function partsOf(text: string, reference: number): readonly TextPart[] {
  const { encoding: alphabet, segments } = segmentsOf(text)
  if (segments === 1) return [{ kind: 'text', text, alphabet }]
  const texts = splitText(text, alphabet)
  const total = texts.length
  return texts.map((each, index) => {
    return { kind: 'text', text: each, alphabet, part: { reference, total, number: index + 1 } }
  })
}

/** Never splits a character of two units: phones show each part as it is until they have all. */
function splitText(text: string, alphabet: Alphabet): readonly string[] {
  const { unitBits, unitsOf } = alphabets[alphabet]
  const maxUnits = Math.floor(partBits / unitBits)
  const parts: string[] = []
  let [part, used] = ['', 0]
  for (const character of text) {
    const units = unitsOf(character)
    if (used + units > maxUnits) {
      parts.push(part)
      part = ''
      used = 0
    }
    part += character
    used += units
  }
  return [...parts, part]
}

const userDataHeader = 0x40
/** Header length, element id "concatenated, 8-bit reference", element length. */
const headerStart = [5, 0, 3] as const

/** The PDU fields of a part. */
export function submitFields({ text, alphabet, part }: TextPart): Readonly<Record<string, unknown>> {
  const { dataCoding, octets } = alphabets[alphabet]
  const body = octets(text)
  if (!part) return { esm_class: 0, data_coding: dataCoding, short_message: body }
  const header = Buffer.from([...headerStart, part.reference, part.total, part.number])
  return { esm_class: userDataHeader, data_coding: dataCoding, short_message: Buffer.concat([header, body]) }
}

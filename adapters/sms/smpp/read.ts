/** What a message center brings, read from the fields of one unit: a receipt, a text or a part of one, or nothing we know. */
import { personOf } from './address.js'
import { textIn } from './alphabet.js'
import type { Unit } from './library.js'
import type { Concatenated } from './parts.js'
import { type ReadReceipt, readReceipt } from './receipts.js'

export interface ReadText {
  readonly kind: 'text'
  /** The person. */
  readonly from: string
  /** Whom they wrote to. */
  readonly to: string
  readonly octets: Buffer
  readonly dataCoding: number
  readonly part?: Concatenated
}

/** Something that a person sent and that is no text. */
export interface ReadOther extends Omit<ReadText, 'kind' | 'part'> {
  readonly kind: 'other'
}

export type Read =
  | ({ readonly kind: 'receipt'; readonly from: string } & ReadReceipt)
  | ReadText
  | ReadOther
  /** What a phone or a message center says by itself and is no news. */
  | { readonly kind: 'unspoken' }
  | { readonly kind: 'problem'; readonly problem: string }

const userDataHeader = 0x40
const messageType = 0x3c
/** A receipt, and news on the way to one. */
const receiptTypes = [0x04, 0x20]
/** A text, and one by which its sender acknowledges another. */
const textTypes = [0x00, 0x10]
/** Acknowledgements by phones themselves, and the end of a dialogue. */
const unspokenTypes = [0x08, 0x18]

export function read(unit: Unit): Read {
  const esmClass = number(unit.esm_class)
  const from = personOf(text(unit.source_addr), number(unit.source_addr_ton))
  const carried = octets(unit.short_message)
  const whole = carried.length > 0 ? carried : octets(unit.message_payload)
  const type = esmClass & messageType
  if (receiptTypes.includes(type) || unit.receipted_message_id !== undefined) return receiptFrom(unit, from, whole)
  if (unspokenTypes.includes(type)) return { kind: 'unspoken' }
  if (from === '') return { kind: 'problem', problem: 'a message without a sender' }
  const about = { from, to: text(unit.destination_addr), dataCoding: number(unit.data_coding) }
  const headed = (esmClass & userDataHeader) !== 0 ? withoutHeader(whole) : { body: whole, part: fromFields(unit) }
  const isText = headed && textTypes.includes(type) && textIn(headed.body, about.dataCoding) !== undefined
  if (!isText) return { kind: 'other', ...about, octets: whole }
  const { body, part = fromFields(unit) } = headed
  return { kind: 'text', ...about, octets: body, ...(part && { part }) }
}

function receiptFrom(unit: Unit, from: string, body: Buffer): Read {
  const messageState = typeof unit.message_state === 'number' ? unit.message_state : undefined
  const found = readReceipt({
    receiptedId: text(unit.receipted_message_id).trim(),
    messageState,
    text: body.toString('latin1'),
  })
  if (!found) return { kind: 'problem', problem: 'a receipt that does not say of which message' }
  if (found.isUnspoken) return { kind: 'unspoken' }
  return { kind: 'receipt', from, ...found }
}

interface Headed {
  readonly body: Buffer
  readonly part?: Concatenated
}

/** Elements of the header by their number, of which two say which part this is. Ports mean that it is for no person. */
function withoutHeader(whole: Buffer): Headed | undefined {
  const end = 1 + (whole[0] ?? 0)
  if (whole.length < end) return undefined
  const body = whole.subarray(end)
  for (let at = 1; at + 1 < end; at += 2 + whole[at + 1]!) {
    const [element, length] = [whole[at]!, whole[at + 1]!]
    const data = whole.subarray(at + 2, Math.min(end, at + 2 + length))
    if (element === 0x04 || element === 0x05) return undefined
    if (element === 0x00 && data.length === 3) return { body, part: checked(data[0]!, data[1]!, data[2]!) }
    if (element === 0x08 && data.length === 4) return { body, part: checked(data.readUInt16BE(), data[2]!, data[3]!) }
  }
  return { body }
}

function fromFields(unit: Unit): Concatenated | undefined {
  const { sar_msg_ref_num: reference, sar_total_segments: total, sar_segment_seqnum: place } = unit
  if (typeof reference !== 'number' || typeof total !== 'number' || typeof place !== 'number') return undefined
  return checked(reference, total, place)
}

/** Numbers that cannot be are no numbers: then it is a text of its own. */
function checked(reference: number, total: number, place: number): Concatenated | undefined {
  return total > 1 && place >= 1 && place <= total ? { reference, total, number: place } : undefined
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const number = (value: unknown) => (typeof value === 'number' ? value : 0)
const octets = (value: unknown) => (Buffer.isBuffer(value) ? value : Buffer.alloc(0))

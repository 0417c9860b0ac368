/** What a message center brings, read from the fields of one unit: a receipt, a text or a part of one, or nothing we know. */
import { personOf } from './address.js'
import { textIn } from './alphabet.js'
import type { Pdu } from './codec.js'
import type { Concatenated } from './parts.js'
import { type ParsedReceipt, parseReceipt } from './receipts.js'

export interface ParsedText {
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
export interface ParsedOther extends Omit<ParsedText, 'kind' | 'part'> {
  readonly kind: 'other'
}

export type ParsedPdu =
  | ({ readonly kind: 'receipt'; readonly from: string } & ParsedReceipt)
  | ParsedText
  | ParsedOther
  /** What a phone or a message center says by itself and is no news. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'problem'; readonly problem: string }

const userDataHeader = 0x40
const messageType = 0x3c
/** A receipt, and news on the way to one. */
const receiptTypes = [0x04, 0x20]
/** A text, and one by which its sender acknowledges another. */
const textTypes = [0x00, 0x10]
/** Acknowledgements by phones themselves, and the end of a dialogue. */
const ignoredTypes = [0x08, 0x18]

export function parsePdu(pdu: Pdu): ParsedPdu {
  const esmClass = number(pdu.esm_class)
  const from = personOf(text(pdu.source_addr), number(pdu.source_addr_ton))
  const shortMessage = octets(pdu.short_message)
  const whole = shortMessage.length > 0 ? shortMessage : octets(pdu.message_payload)
  const type = esmClass & messageType
  if (receiptTypes.includes(type) || pdu.receipted_message_id !== undefined) return receiptFrom(pdu, from, whole)
  if (ignoredTypes.includes(type)) return { kind: 'ignored' }
  if (from === '') return { kind: 'problem', problem: 'a message without a sender' }
  const common = { from, to: text(pdu.destination_addr), dataCoding: number(pdu.data_coding) }
  const userData = (esmClass & userDataHeader) !== 0 ? stripHeader(whole) : { body: whole, part: sarPart(pdu) }
  const isText = userData && textTypes.includes(type) && textIn(userData.body, common.dataCoding) !== undefined
  if (!isText) return { kind: 'other', ...common, octets: whole }
  const { body, part = sarPart(pdu) } = userData
  return { kind: 'text', ...common, octets: body, ...(part && { part }) }
}

function receiptFrom(pdu: Pdu, from: string, body: Buffer): ParsedPdu {
  const messageState = typeof pdu.message_state === 'number' ? pdu.message_state : undefined
  const receipt = parseReceipt({
    receiptedId: text(pdu.receipted_message_id).trim(),
    messageState,
    text: body.toString('latin1'),
  })
  if (!receipt) return { kind: 'problem', problem: 'a receipt that does not say of which message' }
  if (receipt.isIgnored) return { kind: 'ignored' }
  return { kind: 'receipt', from, ...receipt }
}

interface UserData {
  readonly body: Buffer
  readonly part?: Concatenated
}

/** Elements of the header by their number, of which two say which part this is. Ports mean that it is for no person. */
function stripHeader(whole: Buffer): UserData | undefined {
  const end = 1 + (whole[0] ?? 0)
  if (whole.length < end) return undefined
  const body = whole.subarray(end)
  for (let at = 1; at + 1 < end; at += 2 + whole[at + 1]!) {
    const [element, length] = [whole[at]!, whole[at + 1]!]
    const data = whole.subarray(at + 2, Math.min(end, at + 2 + length))
    if (element === 0x04 || element === 0x05) return undefined
    if (element === 0x00 && data.length === 3) return { body, part: validPart(data[0]!, data[1]!, data[2]!) }
    if (element === 0x08 && data.length === 4) return { body, part: validPart(data.readUInt16BE(), data[2]!, data[3]!) }
  }
  return { body }
}

function sarPart(pdu: Pdu): Concatenated | undefined {
  const { sar_msg_ref_num: reference, sar_total_segments: total, sar_segment_seqnum: position } = pdu
  if (typeof reference !== 'number' || typeof total !== 'number' || typeof position !== 'number') return undefined
  return validPart(reference, total, position)
}

/** Numbers that cannot be are no numbers: then it is a text of its own. */
function validPart(reference: number, total: number, position: number): Concatenated | undefined {
  return total > 1 && position >= 1 && position <= total ? { reference, total, number: position } : undefined
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const number = (value: unknown) => (typeof value === 'number' ? value : 0)
const octets = (value: unknown) => (Buffer.isBuffer(value) ? value : Buffer.alloc(0))

/** Parses incoming PDUs into receipts, texts, parts of texts, and others. */
import { personOf } from './address.js'
import { textIn } from './alphabet.js'
import type { Pdu } from './codec.js'
import type { Concatenated } from './parts.js'
import { type ParsedReceipt, parseReceipt } from './receipts.js'

export interface ParsedText {
  readonly kind: 'text'
  /** The person. */
  readonly from: string
  /** The number that they wrote to. */
  readonly to: string
  readonly octets: Buffer
  readonly dataCoding: number
  readonly part?: Concatenated
}

/** A message of a person that is no text. */
export interface ParsedOther extends Omit<ParsedText, 'kind' | 'part'> {
  readonly kind: 'other'
}

export type ParsedPdu =
  | ({ readonly kind: 'receipt'; readonly from: string } & ParsedReceipt)
  | ParsedText
  | ParsedOther
  /** Sent by a phone or message center itself; yields no item. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'problem'; readonly problem: string }

const userDataHeader = 0x40
const messageType = 0x3c
/** Final receipts, and intermediate notifications. */
const receiptTypes = [0x04, 0x20]
/** Texts, and texts that acknowledge another. */
const textTypes = [0x00, 0x10]
/** Acknowledgements by phones, and the end of a dialogue. */
const ignoredTypes = [0x08, 0x18]

export function parsePdu(pdu: Pdu): ParsedPdu {
  const esmClass = number(pdu.esm_class)
  const from = personOf(text(pdu.source_addr), number(pdu.source_addr_ton))
  const shortMessage = octets(pdu.short_message)
  const messageOctets = shortMessage.length > 0 ? shortMessage : octets(pdu.message_payload)
  const type = esmClass & messageType
  if (receiptTypes.includes(type) || pdu.receipted_message_id !== undefined)
    return receiptFrom(pdu, from, messageOctets)
  if (ignoredTypes.includes(type)) return { kind: 'ignored' }
  if (from === '') return { kind: 'problem', problem: 'a message without a sender' }
  const common = { from, to: text(pdu.destination_addr), dataCoding: number(pdu.data_coding) }
  const userData =
    (esmClass & userDataHeader) !== 0 ? stripHeader(messageOctets) : { body: messageOctets, part: sarPart(pdu) }
  const isText = userData && textTypes.includes(type) && textIn(userData.body, common.dataCoding) !== undefined
  if (!isText) return { kind: 'other', ...common, octets: messageOctets }
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

/**
 * Removes the user data header; two of its elements give the part's position. Messages with ports are for applications,
 * not for people.
 */
function stripHeader(messageOctets: Buffer): UserData | undefined {
  const end = 1 + (messageOctets[0] ?? 0)
  if (messageOctets.length < end) return undefined
  const body = messageOctets.subarray(end)
  for (let at = 1; at + 1 < end; at += 2 + messageOctets[at + 1]!) {
    const [element, length] = [messageOctets[at]!, messageOctets[at + 1]!]
    const data = messageOctets.subarray(at + 2, Math.min(end, at + 2 + length))
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

/** Impossible positions are ignored: the PDU is then a text of its own. */
function validPart(reference: number, total: number, position: number): Concatenated | undefined {
  return total > 1 && position >= 1 && position <= total ? { reference, total, number: position } : undefined
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const number = (value: unknown) => (typeof value === 'number' ? value : 0)
const octets = (value: unknown) => (Buffer.isBuffer(value) ? value : Buffer.alloc(0))

/** Hands one part of a text to the line of its binding. */
import type { Sending, SendOutcome } from '../../../core/channel/adapter.js'
import { recipientOf, type SmppAddress, senderOf } from './address.js'
import type { SmppAuth } from './auth.js'
import type { Fields } from './library.js'
import type { SmppLine } from './line.js'
import { carrying, type TextPart } from './parts.js'
import { notNow } from './refusals.js'
import type { SmppWire } from './render.js'

const wantsReceipt = 1

export async function send(wire: SmppWire, sending: Sending<SmppAuth, SmppLine>): Promise<SendOutcome> {
  const { auth, address, id, signal, line, isWithheld } = sending
  if (!line) return notNow('There is no line to the message center.')
  const source = senderOf(auth.from)
  if (!source) {
    const detail = 'The sender of the channel is neither a number nor a name that phones show.'
    return { kind: 'refused', reason: 'sendFailed', detail, again: 'elsewhere', needsOperator: true }
  }
  const recipient = recipientOf(address)
  if (!recipient) return { kind: 'refused', reason: 'unknownRecipient', again: 'elsewhere' }
  return line.submit({ id, address, fields: fieldsOf(wire, source, recipient), signal, isWithheld })
}

function fieldsOf(part: TextPart, source: SmppAddress, recipient: SmppAddress): Fields {
  return {
    source_addr_ton: source.ton,
    source_addr_npi: source.npi,
    source_addr: source.address,
    dest_addr_ton: recipient.ton,
    dest_addr_npi: recipient.npi,
    destination_addr: recipient.address,
    registered_delivery: wantsReceipt,
    ...carrying(part),
  }
}

/** Sends one part of a text over the binding's session. */
import type { SendContext, SendOutcome } from '../../../core/channel/adapter.js'
import { recipientOf, type SmppAddress, senderOf } from './address.js'
import type { SmppAuth } from './auth.js'
import type { Fields } from './codec.js'
import { submitFields, type TextPart } from './parts.js'
import { retryLater } from './refusals.js'
import type { SmppPayload } from './render.js'
import type { SmppSession } from './session.js'

const receiptRequested = 1

export async function send(payload: SmppPayload, context: SendContext<SmppAuth, SmppSession>): Promise<SendOutcome> {
  const { auth, address, id, signal, connection: session, isCancelled } = context
  if (!session) return retryLater('There is no line to the message center.')
  const source = senderOf(auth.from)
  if (!source) {
    const detail = 'The sender of the channel is neither a number nor a name that phones show.'
    return { kind: 'refused', reason: 'sendFailed', detail, retry: 'otherChannel', needsOperator: true }
  }
  const recipient = recipientOf(address)
  if (!recipient) return { kind: 'refused', reason: 'unknownRecipient', retry: 'otherChannel' }
  return session.submit({ id, address, fields: fieldsOf(payload, source, recipient), signal, isCancelled })
}

function fieldsOf(part: TextPart, source: SmppAddress, recipient: SmppAddress): Fields {
  return {
    source_addr_ton: source.ton,
    source_addr_npi: source.npi,
    source_addr: source.address,
    dest_addr_ton: recipient.ton,
    dest_addr_npi: recipient.npi,
    destination_addr: recipient.address,
    registered_delivery: receiptRequested,
    ...submitFields(part),
  }
}

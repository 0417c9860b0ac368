/** Hands one message to the WhatsApp Cloud API. */
import type { Sending, SendOutcome } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { graphUrl, postGraph } from '../graph.js'
import { idIn } from '../hub.js'
import { refusals, type WhatsappAuth } from './descriptor.js'
import type { WhatsappWire } from './render.js'

export function send({ body }: WhatsappWire, sending: Sending<WhatsappAuth>): Promise<SendOutcome> {
  const { auth, id } = sending
  const url = graphUrl(auth, `${auth.phoneNumberId}/messages`)
  const named = (told: unknown) => ('message_id' in body ? doneAs(told, id) : sentAs(told))
  return postGraph(sending, { url, token: auth.accessToken, body: withOurId(body, id) }, refusals, named)
}

/** What is given along comes back in every receipt, whatever the message is called there. */
function withOurId(body: WhatsappWire['body'], id: string): WhatsappWire['body'] {
  return 'message_id' in body ? body : { ...body, biz_opaque_callback_data: id }
}

function sentAs(told: unknown): string | undefined {
  const [message] = isRecord(told) && Array.isArray(told.messages) ? told.messages : []
  return isRecord(message) ? idIn(message.id) : undefined
}

/** A mark or a sign of typing gets no name of its own. */
function doneAs(told: unknown, id: string): string | undefined {
  return isRecord(told) && told.success === true ? id : undefined
}

/** Hands one message to the WhatsApp Cloud API. */
import type { SendContext, SendOutcome } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { graphUrl, postGraph } from '../graph.js'
import { idIn } from '../hub.js'
import { refusals, type WhatsappAuth } from './descriptor.js'
import type { WhatsappPayload } from './render.js'

export function send({ body }: WhatsappPayload, context: SendContext<WhatsappAuth>): Promise<SendOutcome> {
  const { auth, id } = context
  const url = graphUrl(auth, `${auth.phoneNumberId}/messages`)
  const providerIdIn = (answer: unknown) => ('message_id' in body ? markedIdIn(answer, id) : sentIdIn(answer))
  return postGraph(context, { url, token: auth.accessToken, body: withOurId(body, id) }, refusals, providerIdIn)
}

/** What is given along comes back in every receipt, whatever the message is called there. */
function withOurId(body: WhatsappPayload['body'], id: string): WhatsappPayload['body'] {
  return 'message_id' in body ? body : { ...body, biz_opaque_callback_data: id }
}

function sentIdIn(answer: unknown): string | undefined {
  const [message] = isRecord(answer) && Array.isArray(answer.messages) ? answer.messages : []
  return isRecord(message) ? idIn(message.id) : undefined
}

/** A mark or a sign of typing gets no name of its own. */
function markedIdIn(answer: unknown, id: string): string | undefined {
  return isRecord(answer) && answer.success === true ? id : undefined
}

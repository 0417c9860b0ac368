/** Sends one message to the WhatsApp Cloud API. */
import type { SendContext, SendOutcome } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { graphUrl, postGraph } from '../graph.js'
import { idIn } from '../hub.js'
import { refusals, type WhatsappAuth } from './descriptor.js'
import type { WhatsappPayload } from './render.js'

export function send({ body }: WhatsappPayload, context: SendContext<WhatsappAuth>): Promise<SendOutcome> {
  const { auth, id } = context
  const url = graphUrl(auth, `${auth.phoneNumberId}/messages`)
  const providerIdIn = (answer: unknown) => ('message_id' in body ? signalIdIn(answer, id) : sentIdIn(answer))
  return postGraph(context, { url, token: auth.accessToken, body: withOurId(body, id) }, refusals, providerIdIn)
}

/** Every status returns the callback data, so receipts match by our id as well as by the provider's. */
function withOurId(body: WhatsappPayload['body'], id: string): WhatsappPayload['body'] {
  return 'message_id' in body ? body : { ...body, biz_opaque_callback_data: id }
}

function sentIdIn(answer: unknown): string | undefined {
  const [message] = isRecord(answer) && Array.isArray(answer.messages) ? answer.messages : []
  return isRecord(message) ? idIn(message.id) : undefined
}

/** Read marks and typing signals get no id from the provider. */
function signalIdIn(answer: unknown, id: string): string | undefined {
  return isRecord(answer) && answer.success === true ? id : undefined
}

/** Sends one message to Messenger or Instagram, as the page that the access token belongs to. */
import type { SendContext, SendOutcome } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { graphUrl, postGraph } from '../graph.js'
import { addressIn, idIn } from '../hub.js'
import { type PageAuth, refusals } from './descriptor.js'
import type { PagePayload } from './render.js'

export function sendPage({ body }: PagePayload, context: SendContext<PageAuth>): Promise<SendOutcome> {
  const { auth, id } = context
  // The token goes into a header and not into the URL, because URLs are written to logs.
  const request = { url: graphUrl(auth, 'me/messages'), token: auth.accessToken, body }
  return postGraph(context, request, refusals, (answer) => {
    if (!isRecord(answer)) return undefined
    // The answer to a typing signal has the recipient and no message id.
    return 'sender_action' in body ? addressIn(answer.recipient_id) && id : idIn(answer.message_id)
  })
}

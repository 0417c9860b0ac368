/** Hands one message to Messenger or Instagram, in the name of the page that the access token is of. */
import type { SendContext, SendOutcome } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { graphUrl, postGraph } from '../graph.js'
import { addressIn, idIn } from '../hub.js'
import { type PageAuth, refusals } from './descriptor.js'
import type { PagePayload } from './render.js'

export function sendPage({ body }: PagePayload, context: SendContext<PageAuth>): Promise<SendOutcome> {
  const { auth, id } = context
  // The token could stand in the address as well, where others write it down.
  const request = { url: graphUrl(auth, 'me/messages'), token: auth.accessToken, body }
  return postGraph(context, request, refusals, (answer) => {
    if (!isRecord(answer)) return undefined
    // A sign of typing is answered with whom it was for, and has no name.
    return 'sender_action' in body ? addressIn(answer.recipient_id) && id : idIn(answer.message_id)
  })
}

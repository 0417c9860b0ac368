/** Hands one message to Messenger or Instagram, in the name of the page that the access token is of. */
import type { Sending, SendOutcome } from '../../core/channel/adapter.js'
import { isRecord } from '../../core/json.js'
import { graphUrl, postGraph } from './graph.js'
import { addressIn, idIn } from './hub.js'
import { type PageAuth, refusals } from './pagedescriptor.js'
import type { PageWire } from './pagerender.js'

export function sendPage({ body }: PageWire, sending: Sending<PageAuth>): Promise<SendOutcome> {
  const { auth, id } = sending
  // The token could stand in the address as well, where others write it down.
  const request = { url: graphUrl(auth, 'me/messages'), token: auth.accessToken, body }
  return postGraph(sending, request, refusals, (told) => {
    if (!isRecord(told)) return undefined
    // A sign of typing is answered with whom it was for, and has no name.
    return 'sender_action' in body ? addressIn(told.recipient_id) && id : idIn(told.message_id)
  })
}

/** The Messenger adapter. */
import type { Adapter } from '../../../core/channel/adapter.js'
import { graphAuthError } from '../graph.js'
import { descriptorOf, type PageAuth } from '../page/descriptor.js'
import { receivePage } from '../page/receive.js'
import { type PagePayload, renderPage } from '../page/render.js'
import { sendPage } from '../page/send.js'

const descriptor = descriptorOf('messengerB', 'messenger')
const actions = { typing: 'typing_on', read: 'mark_seen' } as const

export const messengerAdapter: Adapter<PageAuth, PagePayload> = {
  descriptor,
  render: (blocks, context) => renderPage(blocks, context, descriptor.traits),
  send: sendPage,
  receive: (request, auth) => receivePage(request, auth, auth.pageId),
  signal: (signal, { address }) => ({ body: { recipient: { id: address }, sender_action: actions[signal] } }),
  validateAuth: (auth) => graphAuthError(auth, 'pageId', auth.pageId),
}

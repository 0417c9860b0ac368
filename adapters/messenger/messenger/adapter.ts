/** Messenger, put together. */
import type { Adapter } from '../../../core/channel/adapter.js'
import { wrongGraphAuth } from '../graph.js'
import { descriptorOf, type PageAuth } from '../pagedescriptor.js'
import { receivePage } from '../pagereceive.js'
import { type PageWire, renderPage } from '../pagerender.js'
import { sendPage } from '../pagesend.js'

const descriptor = descriptorOf('messengerB', 'messenger')
const actions = { typing: 'typing_on', read: 'mark_seen' } as const

export const messengerAdapter: Adapter<PageAuth, PageWire> = {
  descriptor,
  render: (blocks, about) => renderPage(blocks, about, descriptor.traits),
  send: sendPage,
  receive: (request, auth) => receivePage(request, auth, auth.pageId),
  signal: (signal, { address }) => ({ body: { recipient: { id: address }, sender_action: actions[signal] } }),
  wrongAuth: (auth) => wrongGraphAuth(auth, 'pageId', auth.pageId),
}

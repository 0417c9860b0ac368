/** Instagram, put together. It has no signals that are certain to work, so it has none here. */
import type { Adapter } from '../../../core/channel/adapter.js'
import { wrongGraphAuth } from '../graph.js'
import { descriptorOf, type PageAuth } from '../pagedescriptor.js'
import { receivePage } from '../pagereceive.js'
import { type PageWire, renderPage } from '../pagerender.js'
import { sendPage } from '../pagesend.js'

const descriptor = descriptorOf('socialC', 'instagram')

export const instagramAdapter: Adapter<PageAuth, PageWire> = {
  descriptor,
  render: (blocks, about) => renderPage(blocks, about, descriptor.traits),
  send: sendPage,
  // What is told is about the account, whose id nobody has asked for: the page is not named in it.
  receive: (request, auth) => receivePage(request, auth, () => true),
  wrongAuth: (auth) => wrongGraphAuth(auth, 'pageId', auth.pageId),
}

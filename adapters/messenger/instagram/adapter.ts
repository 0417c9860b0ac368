/** Instagram, put together. It has no signals that are certain to work, so it has none here. */
import type { Adapter, AuthProblem } from '../../../core/channel/adapter.js'
import { wrongGraphAuth } from '../graph.js'
import { descriptorOf, type PageAuth } from '../pagedescriptor.js'
import { receivePage } from '../pagereceive.js'
import { type PageWire, renderPage } from '../pagerender.js'
import { sendPage } from '../pagesend.js'

export interface InstagramAuth extends PageAuth {
  /** By which the account is named in what is told of it. Without it every account is taken that no other binding has. */
  readonly accountId?: string
}

const descriptor = descriptorOf('socialC', 'instagram')

function wrongAccount(auth: InstagramAuth): AuthProblem | undefined {
  return auth.accountId === undefined ? undefined : wrongGraphAuth(auth, 'accountId', auth.accountId)
}

export const instagramAdapter: Adapter<InstagramAuth, PageWire> = {
  descriptor,
  render: (blocks, about) => renderPage(blocks, about, descriptor.traits),
  send: sendPage,
  // What is told names the account and never the page.
  receive: (request, auth) => receivePage(request, auth, auth.accountId),
  wrongAuth: (auth) => wrongGraphAuth(auth, 'pageId', auth.pageId) ?? wrongAccount(auth),
}

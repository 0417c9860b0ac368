/** Instagram, put together. It has no signals that are certain to work, so it has none here. */
import type { Adapter, AuthProblem } from '../../../core/channel/adapter.js'
import { graphAuthError } from '../graph.js'
import { descriptorOf, type PageAuth } from '../page/descriptor.js'
import { receivePage } from '../page/receive.js'
import { type PagePayload, renderPage } from '../page/render.js'
import { sendPage } from '../page/send.js'

export interface InstagramAuth extends PageAuth {
  /** By which the account is named in what is told of it. Without it every account is taken that no other binding has. */
  readonly accountId?: string
}

const descriptor = descriptorOf('socialC', 'instagram')

function accountError(auth: InstagramAuth): AuthProblem | undefined {
  return auth.accountId === undefined ? undefined : graphAuthError(auth, 'accountId', auth.accountId)
}

export const instagramAdapter: Adapter<InstagramAuth, PagePayload> = {
  descriptor,
  render: (blocks, context) => renderPage(blocks, context, descriptor.traits),
  send: sendPage,
  // What is told names the account and never the page.
  receive: (request, auth) => receivePage(request, auth, auth.accountId),
  validateAuth: (auth) => graphAuthError(auth, 'pageId', auth.pageId) ?? accountError(auth),
}

/** The Instagram adapter. It has no signals, since none of Instagram's is confirmed to work. */
import type { Adapter, AuthProblem } from '../../../core/channel/adapter.js'
import { graphAuthError } from '../graph.js'
import { descriptorOf, type PageAuth } from '../page/descriptor.js'
import { receivePage } from '../page/receive.js'
import { type PagePayload, renderPage } from '../page/render.js'
import { sendPage } from '../page/send.js'

export interface InstagramAuth extends PageAuth {
  /** The account's id in incoming events. A binding without it takes all accounts that no other binding names. */
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
  // Events name the account and not the page.
  receive: (request, auth) => receivePage(request, auth, auth.accountId),
  validateAuth: (auth) => graphAuthError(auth, 'pageId', auth.pageId) ?? accountError(auth),
}

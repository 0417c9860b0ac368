/** The adapter of RCS Business Messaging, the carriers' RCS platform. */
import type { Adapter, RenderContext } from '../../../core/channel/adapter.js'
import { traitsForDevice } from './capabilities.js'
import { descriptor, type RbmAuth } from './descriptor.js'
import type { RbmPayload } from './payload.js'
import { probe, revoke } from './reachability.js'
import { isMessageId, receive } from './receive.js'
import { render } from './render.js'
import { send } from './send.js'
import { validateAuth } from './token.js'

export const rbmAdapter: Adapter<RbmAuth, RbmPayload> = {
  descriptor,
  render,
  send,
  receive,
  traitsForDevice,
  validateAuth,
  probe,
  revoke,
  signal: (signal, { lastInboundId = '' }: RenderContext) => {
    if (signal === 'typing') return { event: { eventType: 'IS_TYPING' } }
    return lastInboundId !== '' && isMessageId(lastInboundId)
      ? { event: { eventType: 'READ', messageId: lastInboundId } }
      : undefined
  },
}

/** RCS over the RCS Business Messaging of the carriers’ platform. */
import type { Adapter, Addressed } from '../../core/channel/adapter.js'
import { traitsWith } from './abilities.js'
import { descriptor, type RbmAuth } from './descriptor.js'
import { probe, revoke } from './reach.js'
import { isMessageId, receive } from './receive.js'
import { render } from './render.js'
import { send } from './send.js'
import { wrongAuth } from './token.js'
import type { RbmWire } from './wire.js'

export const rbmAdapter: Adapter<RbmAuth, RbmWire> = {
  descriptor,
  render,
  send,
  receive,
  traitsWith,
  wrongAuth,
  probe,
  revoke,
  signal: (signal, { lastHeardId = '' }: Addressed) => {
    if (signal === 'typing') return { event: { eventType: 'IS_TYPING' } }
    return lastHeardId !== '' && isMessageId(lastHeardId)
      ? { event: { eventType: 'READ', messageId: lastHeardId } }
      : undefined
  },
}

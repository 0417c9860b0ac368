/** The Apple Messages for Business adapter. */
import type { Adapter } from '../../../core/channel/adapter.js'
import { traitsForDevice } from './capabilities.js'
import { type AppleAuth, descriptor } from './descriptor.js'
import { follow, openMedia } from './files.js'
import { receive } from './receive.js'
import { type ApplePayload, render } from './render.js'
import { send } from './send.js'

export const appleAdapter: Adapter<AppleAuth, ApplePayload> = {
  descriptor,
  render,
  send,
  receive,
  openMedia,
  follow,
  traitsForDevice,
  signal: (signal, { address }) =>
    signal === 'typing' ? { message: { type: 'typing_start', destinationId: address, v: 1 } } : undefined,
  // Both ids are sent as raw header values.
  validateAuth({ businessId, mspId }) {
    const field = Object.entries({ businessId, mspId }).find(([, id]) => !/^[\x21-\x7e]+$/.test(id))?.[0]
    return field === undefined ? undefined : { field, message: 'must not hold spaces or letters beyond ASCII' }
  },
}

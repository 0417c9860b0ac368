/** The adapter of {{provider}} for {{channel}}. A node loads the packages in PARLEY_ADAPTERS. */
// @ts-check
import { descriptor } from './descriptor.js'
import { receive } from './receive.js'
import { render } from './render.js'
import { send } from './send.js'

/** @typedef {import('./descriptor.js').Auth} Auth */
/** @typedef {import('./render.js').Payload} Payload */

/** @type {import('parley/adapters/kit').Adapter<Auth, Payload>} */
const adapter = {
  descriptor,
  render,
  send,
  receive,
  signal: (signal) => (signal === 'typing' && !descriptor.traits.typing ? undefined : { type: 'signal', signal }),
}

export default adapter

/** The kit as partners import it: the contract, the suite, and what adapters share. */
export type * from '../../core/channel/adapter.js'
export { contractVersion } from '../../core/channel/adapter.js'
export type {
  Block,
  RenderedCard,
  RenderedChip,
  RenderedMedia,
} from '../../core/channel/blocks.js'
export type { HeldMedia, MediaOpening, ToldContent, ToldInbound } from '../../core/channel/held.js'
export type { Inbound, Receipt } from '../../core/channel/inbound.js'
export { type Postback, readPostback, writePostback } from '../../core/channel/postback.js'
export { traitsOf } from '../../core/channel/table.js'
export type { Traits } from '../../core/channel/traits.js'
export type { ChannelName } from '../../core/channelnames.js'
export { channelNames } from '../../core/channelnames.js'
export { isRecord } from '../../core/json.js'
export { assertAdapter, checkAdapter, type Finding, report } from './check.js'
export { notUnderstood } from './inbound.js'
export type * from './samples.js'
export { scrubbed, secretsIn } from './secrets.js'
export * from './wire.js'

/** The kit's public exports: the adapter contract, the suite, and shared helpers. */
export type * from '../../core/channel/adapter.js'
export { contractVersion } from '../../core/channel/adapter.js'
export type {
  Block,
  RenderedCard,
  RenderedChip,
  RenderedMedia,
} from '../../core/channel/blocks.js'
export { traitsOf } from '../../core/channel/channeltraits.js'
export { redactSecrets, secretsIn } from '../../core/channel/credentialsecrets.js'
export type { Inbound, Receipt } from '../../core/channel/inbound.js'
export { formatPostback, type Postback, parsePostback } from '../../core/channel/postback.js'
export type { MediaAccess, ProviderMedia, ReportedContent, ReportedInbound } from '../../core/channel/providermedia.js'
export type { Traits } from '../../core/channel/traits.js'
export type { ChannelName } from '../../core/channelnames.js'
export { channelNames } from '../../core/channelnames.js'
export { isRecord } from '../../core/json.js'
export * from './http.js'
export { notUnderstood } from './inbound.js'
export { assertAdapter, checkAdapter, type Finding, report } from './suite/check.js'
export type * from './suite/samples.js'

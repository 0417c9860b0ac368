/** What everything in the gateway works with. */

import type { AgentPlace } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channel/names.js'
import type { Traits } from '../../core/channel/traits.js'
import type { CampaignOfSend } from '../../core/conversation/state.js'
import type { Refusal } from '../../core/errors.js'
import type { Clock } from '../clock.js'
import type { Media } from '../media/contract.js'
import type { Shards } from '../shard/contract.js'
import type { Sealer } from '../store/sealer.js'
import type { Door } from '../webhook/door.js'
import type { AsidOf } from './asid.js'
import type { ConversationCommands } from './commands.js'
import type { Adapters, Directory } from './directory.js'
import type { BindingPlace, Lines } from './lines.js'
import type { GatewayMeters } from './meters.js'
import type { Providers } from './providers.js'
import type { ReceivedAddresses } from './received.js'
import type { RefusedCalls } from './refusedcalls.js'

/** Whether the message of a campaign's send may be handed over just now. */
export interface CampaignGate {
  mayLeave(agent: AgentPlace, send: SendOfCampaign): Promise<boolean | Refusal>
  /** The same without waiting, where this process serves the agent; undefined where it does not. */
  mayLeaveHere(agent: AgentPlace, send: SendOfCampaign): boolean | undefined
}

export interface SendOfCampaign extends CampaignOfSend {
  readonly sendId: string
}

export interface Places {
  readonly shards: Shards
  readonly commands: ConversationCommands
  readonly directory: Directory
  readonly adapters: Adapters
  readonly traitsOf: (channel: ChannelName) => Traits
  readonly asidOf: AsidOf
  readonly sealer: Pick<Sealer, 'open'>
  readonly media: Pick<Media, 'hosted'>
  /** Where agents open what people sent on a channel whose provider opens it to nobody else. */
  readonly received: ReceivedAddresses
  /** The way out to agents' webhooks. */
  readonly door: Door
  readonly providers: Providers
  readonly lines: Pick<Lines, 'of'>
  /** A binding over which nothing goes out until an operator has seen to it. */
  readonly needsOperator: (place: BindingPlace, detail: string, usedAuth?: Uint8Array) => void
  readonly campaigns: CampaignGate
  readonly refusedCalls: RefusedCalls
  readonly meters: GatewayMeters
  readonly clock: Clock
}

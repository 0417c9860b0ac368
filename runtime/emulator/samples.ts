/** What a sample agent is, and what its start needs of the node. */
import type { ProviderName } from '../../adapters/emulator/contract.js'
import type { AgentRouting } from '../../core/agent/routing.js'
import type { ChannelName } from '../../core/channelnames.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { AgentCommands } from '../../mgmt/agents/commands.js'
import type { ImportYaml } from '../../mgmt/agents/documentbodies.js'
import type { ChannelCommands } from '../../mgmt/channels/commands.js'
import type { GatewayCommands } from '../../mgmt/gatewayaccess/commands.js'
import type { Directory } from '../conversation/context.js'
import type { Providers } from '../delivery/providers.js'
import type { Sealer } from '../secrets/sealer.js'
import type { Shards } from '../shard/contract.js'

export interface SampleDeps {
  readonly shards: Shards
  readonly directory: Directory
  readonly providers: Pick<Providers, 'authOf' | 'contextFor'>
  readonly sealer: Sealer
  readonly management: {
    readonly agents: AgentCommands
    readonly importYaml: ImportYaml
    readonly channels: ChannelCommands
    readonly gatewayAccess: GatewayCommands
  }
  readonly randomBytes: (count: number) => Uint8Array
}

export interface SampleStart {
  readonly orgId: string
  /** The data folder was empty. */
  readonly isFirst: boolean
  /** For a server of the sample; any free one by default. */
  readonly port?: number
  readonly mgmtUrl: string
  readonly gatewayUrl: string
}

export interface SamplePhone {
  readonly channel: ChannelName
  readonly wire: ProviderName
  readonly account: string
  readonly address: string
}

export interface SampleProfile {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The phones of one person, one for each channel. */
  readonly phones: readonly SamplePhone[]
  /** Inputs of the web chat at the first start. */
  readonly chat: Readonly<Record<string, string>>
  /** What a person may write first. */
  readonly suggestions: readonly string[]
}

export interface Sample {
  readonly profile: SampleProfile
  /** Called at each start, before the channels are bound. */
  prepare(deps: SampleDeps, agent: AgentRouting, startOptions: SampleStart): Promise<void>
}

export function unwrap<R>(answer: R | Refusal): R {
  if (!isRefusal(answer)) return answer
  throw new Error(`The sample agent could not be made or mended: ${answer.detail ?? answer.refused}`)
}

/** What personas need of their surroundings; whoever puts a node together gives it. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { Refusal } from '../../core/errors.js'
import type { Person } from '../../core/people/person.js'
import type { Directive } from '../../core/personas/directive.js'
import type { HistorySeed } from '../../core/personas/preset.js'
import type { Turn } from '../../core/personas/turn.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'

/** People, in the agent's shard. */
export interface PeopleDoor {
  byId(reader: Reader, place: AgentPlace, personId: string): Person | undefined
  newId(told: Told): string
  keep(tx: Tx, place: AgentPlace, before: Person | undefined, after: Person, told: Told): void
  /** Takes somebody away with all that leads to them and is told of them. */
  drop(tx: Tx, place: AgentPlace, personId: string, told: Told): void
}

/** By whom a conversation of a rehearsal is held. */
export interface SandboxIdentity {
  readonly asid: string
  readonly agent: AgentPlace
  readonly channel: ChannelName
  readonly address: string
  readonly sandbox: true
}

/** What the shards of conversations are told: to begin one with a past, and to forget one. */
export interface SandboxCommands {
  readonly begin: Command<{ who: SandboxIdentity; seed: HistorySeed }, unknown>
  readonly forget: Command<{ asid: string }, unknown>
}

/** Conversations of rehearsals, wherever their shards are. */
export interface SandboxDoor {
  asidOf(place: AgentPlace, channel: ChannelName, address: string): string
  run(
    who: { place: AgentPlace; asid: string; channel: ChannelName; address: string },
    directive: Directive,
  ): Promise<{ turn: Turn; replies: readonly Turn[]; isPending: boolean } | Refusal>
  turns(asid: string, after: number, limit: number): Promise<{ turns: readonly Turn[]; isMore: boolean } | Refusal>
}

/** What campaigns need of their surroundings; whoever puts a node together gives it. */

import type { AgentDocument, Section } from '../../core/agent/index.js'
import type { AgentIncarnation } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import type { Pace, Window } from '../../core/campaign/pace.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { AttemptFound, AttemptReport } from '../../core/outreach/attempt.js'
import type { Hours } from '../../core/outreach/hours.js'
import type { Send, SendReason } from '../../core/outreach/send.js'
import type { Sending } from '../../core/outreach/settings.js'
import type { CompiledFilter } from '../../core/people/filter.js'
import type { Person } from '../../core/people/person.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'

/** The sections of an agent's document that campaigns are judged and screened by. */
export const sectionsOfCampaigns = [
  'outreach',
  'messageTemplates',
  'peopleFields',
  'segments',
  'things',
  'collections',
  'media',
  'identity',
] as const satisfies readonly Section[]

export interface KnownAgent {
  readonly document: AgentDocument
  readonly agent: { readonly name: string; readonly description?: string; readonly serial: number }
}

/** The agent, in its shard; undefined for one that is not there. */
export interface AgentDoor {
  serialOf(reader: Reader, place: AgentPlace): number | undefined
  read(reader: Reader, place: AgentPlace): KnownAgent | undefined
  /** Bindings that carry messages just now. */
  pacesOf(reader: Reader, place: AgentPlace): readonly Pace[]
  /** Channels that have a binding, whatever its state. */
  boundTo(reader: Reader, place: AgentPlace): readonly ChannelName[]
}

/** People, in the agent's shard. */
export interface PeopleDoor {
  /** Somebody who was merged away is found as who took over. */
  byId(reader: Reader, place: AgentPlace, personId: string): Person | undefined
  /** Those whom the filter lets through: newest first, a bounded part of them at a time. */
  look(
    reader: Reader,
    place: AgentPlace,
    filter: CompiledFilter,
    after: string | undefined,
    limit: number,
  ): { readonly people: readonly Person[]; readonly next?: string }
}

/** Personas, in the agent's shard. */
export interface PersonaDoor {
  personOf(reader: Reader, place: AgentPlace, personaId: string): Person | undefined
}

/** A send that a campaign makes. */
export interface Launched {
  readonly campaignId: string
  readonly outreachId: string
  readonly personId: string
  readonly asid: string
  readonly channel: ChannelName
  readonly address: string
  readonly sendWindow?: Hours
  readonly sandbox?: true
  /** Something forbids it by now: it is on record, and is not attempted. */
  readonly suppressed?: SendReason
}

/** Sends, in the agent's shard and in the commits of a campaign's own steps. */
export interface SendDoor {
  /** Makes sends that are on their way, in their order, and answers their ids. */
  launch(tx: Tx, place: AgentIncarnation, wanted: readonly Launched[], told: Told): readonly string[]
  report(tx: Tx, place: AgentIncarnation, reports: readonly AttemptReport[], told: Told): void
  /** One that rests goes back into the queue. */
  resume(tx: Tx, place: AgentIncarnation, sendId: string, told: Told): void
  /** One that waits; any other runs on. */
  cancel(tx: Tx, place: AgentIncarnation, sendId: string, detail: string, told: Told): void
  /** Whether nothing has come up, since the turn of a send came, that keeps its message from the provider. */
  mayBeHandedOver(reader: Reader, place: AgentIncarnation, sendId: string, at: number): boolean
  sendAt(reader: Reader, place: AgentIncarnation, sendId: string): Send | undefined
  sendingOf(reader: Reader, place: AgentIncarnation): Sending
  isMarketingUnderWay(reader: Reader, place: AgentIncarnation, person: Person): boolean
}

/**
 * Makes one attempt at a send, which may be made again after a crash: its conversation takes it once. Undefined when it is
 * not under way any more, or taken; a throw when nobody can say what became of it.
 */
export type Attempting = (
  reader: Reader,
  which: AgentIncarnation & { readonly sendId: string; readonly attempt: number },
) => Promise<AttemptFound | undefined>

export interface Doors {
  readonly agents: AgentDoor
  readonly people: PeopleDoor
  readonly personas: PersonaDoor
  readonly sends: SendDoor
  /** The command by which the org's webhooks are told. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly timeScale: number
  /** How much of a campaign may be on its way just now. */
  readonly window: () => Window
}

/** What outreach needs of its surroundings; whoever puts a node together gives it. */
import type { AgentDocument, Section } from '../../core/agent/index.js'
import type { AgentPlace } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { Refusal } from '../../core/errors.js'
import type { OpeningFor, OpeningResult, Probed, Standing } from '../../core/outreach/contact.js'
import type { Outgoing } from '../../core/people/numbers.js'
import type { Person, PersonIdentity } from '../../core/people/person.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'

/** People, in the agent's shard. */
export interface PeopleDoor {
  byId(reader: Reader, place: AgentPlace, personId: string): Person | undefined
  /** Whoever holds that identity, sandbox or not. */
  byAsid(reader: Reader, place: AgentPlace, asid: string): Person | undefined
  /** Who is known by the number of an identity that no person holds. */
  byNumber(
    reader: Reader,
    place: AgentPlace,
    identity: { readonly channel: ChannelName; readonly address: string },
  ): Person | undefined
  /** A new id for somebody made at that time. */
  newId(told: Told): string
  /** Writes the person and whatever leads to them; `before` is what they were, absent for somebody new. */
  keep(tx: Tx, place: AgentPlace, before: Person | undefined, after: Person, told: Told): void
  /**
   * The same of somebody whose phone changes with a send: the identity is the one at the phone, and the one that the send
   * goes to stays until it has left.
   */
  keepReachable(
    tx: Tx,
    place: AgentPlace,
    before: Person | undefined,
    after: Person,
    reached: { readonly identity?: PersonIdentity | undefined; readonly send: Outgoing },
    told: Told,
  ): Person
  /** A line in their journal, by the house in the agent's name. */
  note(tx: Tx, place: AgentPlace, personId: string, text: string, told: Told): void
}

/** Personas, in the agent's shard: somebody to rehearse with, a sandbox person with one identity. */
export interface PersonaDoor {
  personOf(reader: Reader, place: AgentPlace, personaId: string): Person | undefined
}

/** Whoever names an outreach and would be left naming nothing. */
export interface OutreachReferrer {
  readonly kind: 'campaign' | 'automatedOutreach'
  readonly id: string
  readonly name: string
  readonly status?: string
}

/** The sections of an agent's document that sends are judged and written by. */
export const sectionsOfSends = [
  'outreach',
  'messageTemplates',
  'peopleFields',
  'things',
  'collections',
  'media',
  'identity',
] as const satisfies readonly Section[]

export interface AgentOfSends {
  readonly serial: number
  readonly name: string
  readonly description?: string
}

/** The agent's document as it is, in the agent's shard; undefined for an agent that is not there. */
export interface DocumentDoor {
  read(
    reader: Reader,
    place: AgentPlace,
  ): { readonly document: AgentDocument; readonly agent: AgentOfSends } | undefined
}

/** Conversations, wherever their shards are. */
export interface ConversationDoor {
  asidOf(place: AgentPlace, channel: ChannelName, address: string): string
  /** As the conversation has it this moment; somebody never heard of stands as nobody did. */
  standing(asid: string): Promise<Standing | Refusal>
  /** Whether the address can be reached on that channel; where the provider cannot tell, nobody is kept from trying. */
  probe(place: AgentPlace, channel: ChannelName, address: string): Promise<Probed>
  /**
   * Hands the opening to its conversation. The same send and attempt again changes nothing and answers the same; a later
   * attempt takes the place of one that failed, under the same message id, so that a provider that knows ids sees one
   * message. What becomes of it comes back as news (`SendNews`). A refusal: nobody can be asked just now.
   */
  open(opening: OpeningFor): Promise<OpeningResult | Refusal>
}

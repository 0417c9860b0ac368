/** What outreach links need of their surroundings; whoever puts a node together gives it. */
import type { AgentDocument } from '../../core/agent/index.js'
import type { AgentPlace } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { Refusal } from '../../core/errors.js'
import type { OpeningFor, OpeningResult } from '../../core/outreach/contact.js'
import type { Person } from '../../core/people/person.js'
import type { Reader } from '../../runtime/store/contract.js'

/** The agent and its surroundings, read in its shard. */
export interface AgentDoors {
  readonly documents: {
    /** With its playbooks and all that a template may name; undefined for an agent that is not there. */
    read(
      reader: Reader,
      place: AgentPlace,
    ): { readonly document: AgentDocument; readonly agent: { readonly name: string } } | undefined
  }
  readonly bindings: {
    at(reader: Reader, place: AgentPlace, bindingId: string): { channel: ChannelName; status: string } | undefined
  }
  readonly personas: {
    personOf(reader: Reader, place: AgentPlace, personaId: string): Person | undefined
    speakerOf(
      reader: Reader,
      place: AgentPlace,
      personaId: string,
    ): { readonly asid: string; readonly channel: ChannelName; readonly address: string } | Refusal
  }
}

/** Conversations, wherever their shards are. The same opening again changes nothing. */
export interface ConversationDoor {
  asidOf(place: AgentPlace, channel: ChannelName, address: string): string
  open(opening: OpeningFor): Promise<OpeningResult | Refusal>
}

/** The commands and queries of personas. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channelnames.js'
import { invalid, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { persona as limits } from '../../core/limits.js'
import type { Person } from '../../core/people/person.js'
import { type PersonaPreset, personOf } from '../../core/personas/preset.js'
import type { Command, Query, Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { findAgent } from '../agents/store.js'
import type { People } from '../people/people.js'
import type { SandboxCommands } from './conversations.js'
import type { PersonaView } from './schema.js'
import { type OnePersona, type Persona, personaAsRead, personaAt, personasOf, personaTable } from './store.js'

export interface PersonasDeps {
  readonly people: Pick<People, 'byId' | 'newId' | 'keep' | 'drop'>
  readonly sandbox: SandboxCommands
}

/** An identity that only this persona has: nobody could have made its address up. */
export interface FreshIdentity {
  readonly asid: string
  readonly address: string
}

export interface NewPersona extends OnePersona {
  readonly name: string
  readonly channel: Persona['channel']
  readonly preset: PersonaPreset
  readonly identity: FreshIdentity
}

/** Whom a rehearsal speaks as. */
export interface Speaker {
  readonly asid: string
  readonly channel: ChannelName
  readonly address: string
}

const notFound = refuse('resource.not_found')
const noPersona = refuse('agent.persona.not_found')
const noIdentity = refuse('agent.persona.unavailable')

export function createPersonas({ people, sandbox }: PersonasDeps) {
  /** The person as first made and a conversation that nothing was said in, but for what the persona was made with. */
  function begun(tx: Tx, place: AgentPlace, persona: Persona, address: string, told: Told): Person | Refusal {
    const { asid, channel, personId, createdAt } = persona
    const made = personOf(persona.preset, { id: personId, identity: { asid, channel, address }, at: createdAt })
    if (isRefusal(made)) return made
    people.keep(tx, place, undefined, made, told)
    const seed = persona.preset.historySeed ?? []
    const who = { asid, agent: place, channel, address, sandbox: true } as const
    if (seed.length > 0) tx.tell(asid, sandbox.begin, { who, seed })
    tx.put(personaTable, [place.orgId, place.agentId, persona.id], persona)
    return made
  }

  function ended(tx: Tx, place: AgentPlace, { id, asid }: Persona): void {
    tx.remove(personaTable, [place.orgId, place.agentId, id])
    tx.tell(asid, sandbox.forget, { asid })
  }

  const missing = (reader: Reader, place: AgentPlace): Refusal => (hasAgent(reader, place) ? noPersona : notFound)

  const create: Command<NewPersona, PersonaView> = {
    name: 'personas.create',
    decide(tx, { personaId, name, channel, preset, identity, orgId, agentId }, told) {
      const place = { orgId, agentId }
      if (!hasAgent(tx, place)) return notFound
      if (personasOf(tx, place).length >= limits.perAgent) {
        return invalid('name', `an agent has at most ${limits.perAgent} personas`)
      }
      const { asid, address } = identity
      const persona = { id: personaId, name, channel, preset, personId: people.newId(told), asid, createdAt: told.at }
      const person = begun(tx, place, persona, address, told)
      return isRefusal(person) ? person : personaAsRead(persona, person)
    },
  }

  const reset: Command<OnePersona & { readonly identity: FreshIdentity }, PersonaView> = {
    name: 'personas.reset',
    decide(tx, { personaId, identity, orgId, agentId }, told) {
      const place = { orgId, agentId }
      const before = personaAt(tx, { ...place, personaId })
      if (!before) return missing(tx, place)
      people.drop(tx, place, before.personId, told)
      tx.tell(before.asid, sandbox.forget, { asid: before.asid })
      const persona = { ...before, asid: identity.asid, resetAt: told.at }
      const person = begun(tx, place, persona, identity.address, told)
      return isRefusal(person) ? person : personaAsRead(persona, person)
    },
  }

  const remove: Command<OnePersona, true> = {
    name: 'personas.remove',
    decide(tx, { personaId, orgId, agentId }, told) {
      const place = { orgId, agentId }
      const persona = personaAt(tx, { ...place, personaId })
      if (!persona) return missing(tx, place)
      people.drop(tx, place, persona.personId, told)
      ended(tx, place, persona)
      return true
    },
  }

  const viewed = (reader: Reader, place: AgentPlace, persona: Persona) =>
    personaAsRead(persona, people.byId(reader, place, persona.personId))

  const list: Query<AgentPlace, readonly PersonaView[]> = {
    name: 'personas.list',
    read: (reader, { orgId, agentId }) => {
      const place = { orgId, agentId }
      return hasAgent(reader, place) ? personasOf(reader, place).map((each) => viewed(reader, place, each)) : notFound
    },
  }

  const read: Query<OnePersona, PersonaView> = {
    name: 'personas.read',
    read(reader, { personaId, orgId, agentId }) {
      const place = { orgId, agentId }
      const persona = personaAt(reader, { ...place, personaId })
      return persona ? viewed(reader, place, persona) : missing(reader, place)
    },
  }

  const speaker: Query<OnePersona, Speaker> = {
    name: 'personas.speaker',
    read: (reader, { personaId, orgId, agentId }) => speakerOf(reader, { orgId, agentId }, personaId),
  }

  const exists: Query<AgentPlace, true> = {
    name: 'personas.agent',
    read: (reader, { orgId, agentId }) => hasAgent(reader, { orgId, agentId }) || notFound,
  }

  /** The sandbox person of a persona, for whoever writes to one. */
  function personOfPersona(reader: Reader, place: AgentPlace, personaId: string): Person | undefined {
    const persona = personaAt(reader, { ...place, personaId })
    return persona && people.byId(reader, place, persona.personId)
  }

  function speakerOf(reader: Reader, place: AgentPlace, personaId: string): Speaker | Refusal {
    if (!personaAt(reader, { ...place, personaId })) return missing(reader, place)
    const [identity] = personOfPersona(reader, place, personaId)?.identities ?? []
    if (!identity) return noIdentity
    const { asid, channel, address } = identity
    return { asid, channel, address }
  }

  /** Called in the commit that deletes an agent; the people of its personas go with its other people. */
  function removed(tx: Tx, { orgId, agentId }: AgentPlace): void {
    const place = { orgId, agentId }
    for (const persona of personasOf(tx, place)) ended(tx, place, persona)
  }

  return {
    commands: { create, reset, remove },
    queries: { list, read, speaker, exists },
    removed,
    personOf: personOfPersona,
    speakerOf,
  }
}
export type Personas = ReturnType<typeof createPersonas>

function hasAgent(reader: Reader, place: AgentPlace): boolean {
  return findAgent(reader, place) !== undefined
}

/** Commands and queries of personas. */
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import { invalid, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { persona as limits } from '../../core/limits/index.js'
import type { Person } from '../../core/people/person.js'
import { type PersonaPreset, personOf } from '../../core/sandbox/preset.js'
import type { Command, CommandMeta, Query, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { findAgent } from '../agents/store.js'
import type { People } from '../people/people.js'
import type { SandboxCommands } from './conversations.js'
import type { PersonaView } from './schema.js'
import { type Persona, type PersonaRef, personaAsRead, personaAt, personasOf, personaTable } from './store.js'

export interface PersonasDeps {
  readonly people: Pick<People, 'byId' | 'newId' | 'save' | 'remove'>
  readonly sandbox: SandboxCommands
}

/** The identity of one persona; its address is random, so callers cannot guess it. */
export interface NewIdentity {
  readonly asid: string
  readonly address: string
}

export interface NewPersona extends PersonaRef {
  readonly name: string
  readonly channel: Persona['channel']
  readonly preset: PersonaPreset
  readonly identity: NewIdentity
}

/** The identity under which a sandbox conversation runs. */
export interface PersonaIdentity {
  readonly asid: string
  readonly channel: ChannelName
  readonly address: string
}

const notFound = refuse('resource.not_found')
const noPersona = refuse('agent.persona.not_found')
const noIdentity = refuse('agent.persona.unavailable')

export function createPersonas({ people, sandbox }: PersonasDeps) {
  /** Creates the persona's person and conversation from the preset, without any message beyond its history seed. */
  function startConversation(
    tx: Tx,
    agent: AgentRef,
    persona: Persona,
    address: string,
    meta: CommandMeta,
  ): Person | Refusal {
    const { asid, channel, personId, createdAt } = persona
    const created = personOf(persona.preset, { id: personId, identity: { asid, channel, address }, at: createdAt })
    if (isRefusal(created)) return created
    people.save(tx, agent, undefined, created, meta)
    const seed = persona.preset.historySeed ?? []
    const sandboxIdentity = { asid, agent, channel, address, sandbox: true } as const
    if (seed.length > 0) tx.send(asid, sandbox.begin, { identity: sandboxIdentity, seed })
    tx.put(personaTable, [agent.orgId, agent.agentId, persona.id], persona)
    return created
  }

  function endConversation(tx: Tx, agent: AgentRef, { id, asid }: Persona): void {
    tx.remove(personaTable, [agent.orgId, agent.agentId, id])
    tx.send(asid, sandbox.remove, { asid })
  }

  const missingRefusal = (reader: Reader, agent: AgentRef): Refusal => (hasAgent(reader, agent) ? noPersona : notFound)

  const create: Command<NewPersona, PersonaView> = {
    name: 'personas.create',
    decide(tx, { personaId, name, channel, preset, identity, orgId, agentId }, meta) {
      const agent = { orgId, agentId }
      if (!hasAgent(tx, agent)) return notFound
      if (personasOf(tx, agent).length >= limits.perAgent) {
        return invalid('name', `an agent has at most ${limits.perAgent} personas`)
      }
      const { asid, address } = identity
      const persona = { id: personaId, name, channel, preset, personId: people.newId(meta), asid, createdAt: meta.at }
      const person = startConversation(tx, agent, persona, address, meta)
      return isRefusal(person) ? person : personaAsRead(persona, person)
    },
  }

  const reset: Command<PersonaRef & { readonly identity: NewIdentity }, PersonaView> = {
    name: 'personas.reset',
    decide(tx, { personaId, identity, orgId, agentId }, meta) {
      const agent = { orgId, agentId }
      const before = personaAt(tx, { ...agent, personaId })
      if (!before) return missingRefusal(tx, agent)
      people.remove(tx, agent, before.personId, meta)
      tx.send(before.asid, sandbox.remove, { asid: before.asid })
      const persona = { ...before, asid: identity.asid, resetAt: meta.at }
      const person = startConversation(tx, agent, persona, identity.address, meta)
      return isRefusal(person) ? person : personaAsRead(persona, person)
    },
  }

  const remove: Command<PersonaRef, true> = {
    name: 'personas.remove',
    decide(tx, { personaId, orgId, agentId }, meta) {
      const agent = { orgId, agentId }
      const persona = personaAt(tx, { ...agent, personaId })
      if (!persona) return missingRefusal(tx, agent)
      people.remove(tx, agent, persona.personId, meta)
      endConversation(tx, agent, persona)
      return true
    },
  }

  const viewOf = (reader: Reader, agent: AgentRef, persona: Persona) =>
    personaAsRead(persona, people.byId(reader, agent, persona.personId))

  const list: Query<AgentRef, readonly PersonaView[]> = {
    name: 'personas.list',
    read: (reader, { orgId, agentId }) => {
      const agent = { orgId, agentId }
      return hasAgent(reader, agent) ? personasOf(reader, agent).map((each) => viewOf(reader, agent, each)) : notFound
    },
  }

  const read: Query<PersonaRef, PersonaView> = {
    name: 'personas.read',
    read(reader, { personaId, orgId, agentId }) {
      const agent = { orgId, agentId }
      const persona = personaAt(reader, { ...agent, personaId })
      return persona ? viewOf(reader, agent, persona) : missingRefusal(reader, agent)
    },
  }

  const personaIdentity: Query<PersonaRef, PersonaIdentity> = {
    name: 'personas.speaker',
    read: (reader, { personaId, orgId, agentId }) => identityOf(reader, { orgId, agentId }, personaId),
  }

  /** The sandbox person of a persona, for sends to one. */
  function personOfPersona(reader: Reader, agent: AgentRef, personaId: string): Person | undefined {
    const persona = personaAt(reader, { ...agent, personaId })
    return persona && people.byId(reader, agent, persona.personId)
  }

  function identityOf(reader: Reader, agent: AgentRef, personaId: string): PersonaIdentity | Refusal {
    if (!personaAt(reader, { ...agent, personaId })) return missingRefusal(reader, agent)
    const [identity] = personOfPersona(reader, agent, personaId)?.identities ?? []
    if (!identity) return noIdentity
    const { asid, channel, address } = identity
    return { asid, channel, address }
  }

  /** Called in the commit that deletes an agent; the people of its personas are purged with its other people. */
  function onAgentRemoved(tx: Tx, { orgId, agentId }: AgentRef): void {
    const agent = { orgId, agentId }
    for (const persona of personasOf(tx, agent)) endConversation(tx, agent, persona)
  }

  return {
    commands: { create, reset, remove },
    queries: { list, read, personaIdentity },
    onAgentRemoved,
    personOf: personOfPersona,
    identityOf,
  }
}
export type Personas = ReturnType<typeof createPersonas>

function hasAgent(reader: Reader, agent: AgentRef): boolean {
  return findAgent(reader, agent) !== undefined
}

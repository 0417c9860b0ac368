/** The persona table in the agent's shard, and its queries. */
import type { AgentRef } from '../../core/agentref.js'
import type { Person } from '../../core/people/person.js'
import { fieldsOf, type PersonaPreset } from '../../core/sandbox/preset.js'
import { type Reader, table } from '../../runtime/store/contract.js'
import type { PersonaView, personaChannels } from './schema.js'

export interface Persona {
  readonly id: string
  readonly name: string
  readonly channel: (typeof personaChannels)[number]
  /** The person's fields after the creation and after each reset. */
  readonly preset: PersonaPreset
  readonly personId: string
  /** The asid of their conversation until the next reset. */
  readonly asid: string
  readonly createdAt: number
  readonly resetAt?: number
}

/** A persona of an agent. */
export interface PersonaRef extends AgentRef {
  readonly personaId: string
}

export const personaTable = table<[orgId: string, agentId: string, personaId: string], Persona>('personas')

export function personaAt(reader: Reader, { orgId, agentId, personaId }: PersonaRef): Persona | undefined {
  return reader.get(personaTable, [orgId, agentId, personaId])
}

/** An agent's personas, oldest first. */
export function personasOf(reader: Reader, { orgId, agentId }: AgentRef): Persona[] {
  const personas = Array.from(reader.range(personaTable, { prefix: [orgId, agentId] }), ({ value }) => value)
  return personas.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
}

const iso = (at: number) => new Date(at).toISOString()

/** The persona with the current fields of its person: sends write profiles and inputs to it as to any person. */
export function personaAsRead(persona: Persona, person: Person | undefined): PersonaView {
  const { id, name, channel, preset, personId, createdAt, resetAt } = persona
  const asid = person?.identities[0]?.asid
  return {
    id,
    name,
    channel,
    ...(asid !== undefined && { userId: asid }),
    personId,
    fields: person ? fieldsOf(person) : preset.fields,
    consent: { status: person?.consent.status ?? 'unknown' },
    ...(preset.historySeed && { historySeed: preset.historySeed }),
    createdAt: iso(createdAt),
    ...(resetAt !== undefined && { resetAt: iso(resetAt) }),
  }
}

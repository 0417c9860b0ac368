/** Where personas are kept, beside their agent in its shard, and how they are read. */
import type { AgentRef } from '../../core/agentref.js'
import type { Person } from '../../core/people/person.js'
import { fieldsOf, type PersonaPreset } from '../../core/sandbox/preset.js'
import { type Reader, table } from '../../runtime/store/contract.js'
import type { PersonaView, personaChannels } from './schema.js'

export interface Persona {
  readonly id: string
  readonly name: string
  readonly channel: (typeof personaChannels)[number]
  /** Who they are whenever they begin anew. */
  readonly preset: PersonaPreset
  readonly personId: string
  /** Under which their conversation is held until the next reset. */
  readonly asid: string
  readonly createdAt: number
  readonly resetAt?: number
}

/** Which persona of which agent. */
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

/** With what their person has become meanwhile: profiles and inputs of sends are written to them as to anybody. */
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

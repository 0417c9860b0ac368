/** What a call needs to know of its agent, from the agent's shard: where it goes, and its secrets, still sealed. */
import { type AgentDocument, findItem, type Item } from '../../core/agent/index.js'
import type { AgentRef } from '../../core/agentref.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import type { Person } from '../../core/people/person.js'
import { toolProblem } from '../../core/tools/availability.js'
import { catalogToolPrefix, integrationPrefix } from '../../core/tools/builtin.js'
import type { Sealer } from '../../runtime/secrets/sealer.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { AgentDocuments } from '../agents/documentoperations.js'
import { type SecretSection, sealedId, secretKind, secretsOf } from '../agents/secrets.js'
import { getCredential } from '../connections/store.js'
import type { People } from '../people/index.js'

export type CallSetup = (
  | { readonly kind: 'integration'; readonly integration: Item<'integrations'> }
  /** `hasSignIn`: the agent has signed in for the tool itself. */
  | { readonly kind: 'tool'; readonly binding: Item<'toolBindings'>; readonly hasSignIn: boolean }
  | { readonly kind: 'notify'; readonly notifications: AgentDocument['notifications']; readonly personName?: string }
) & { readonly agentName: string; readonly sealed: SealedSecrets }

/** The stored secrets of one item of the document, by name. */
export interface SealedSecrets {
  readonly section: SecretSection
  readonly item: string
  readonly byName: Readonly<Record<string, Uint8Array>>
}

export interface SetupRequest extends AgentRef {
  /** Of the tool that is called. */
  readonly name: string
  readonly asid?: string
}

const sections = ['integrations', 'toolBindings', 'notifications'] as const

/** Answers `tool.not_found` with a sentence for a tool that the agent does not have, or that cannot be called. */
export function createSetupQuery(documents: Pick<AgentDocuments, 'load'>, people: Pick<People, 'byAsid'>) {
  const setup: Query<SetupRequest, CallSetup> = {
    name: 'tools.setup',
    read(reader, { orgId, agentId, name, asid }) {
      const agent = { orgId, agentId }
      const loaded = documents.load(reader, agent, sections)
      if (!loaded) return refuse('resource.not_found', { detail: 'There is no such agent.' })
      const { document } = loaded
      const agentName = loaded.agent.name
      if (name.startsWith(integrationPrefix)) {
        const id = name.slice(integrationPrefix.length)
        const integration = findItem(document, 'integrations', id)
        if (!integration) return noTool(`There is no integration ${id}.`)
        return { kind: 'integration', integration, agentName, sealed: readSealed(reader, agent, 'integrations', id) }
      }
      if (name.startsWith(catalogToolPrefix)) {
        const toolId = name.slice(catalogToolPrefix.length)
        const sealed = readSealed(reader, agent, 'toolBindings', toolId)
        const signIn = getCredential(reader, { ...agent, id: toolId })?.status
        const secrets = new Set(Object.keys(sealed.byName))
        const problem = toolProblem(document, toolId, { secrets, ...(signIn && { signIn }) })
        if (problem !== undefined) return noTool(problem)
        const binding = findItem(document, 'toolBindings', toolId)!
        return { kind: 'tool', binding, hasSignIn: signIn !== undefined, agentName, sealed }
      }
      if (name !== 'notify.team') return noTool(`There is no tool ${name}.`)
      const sealed = readSealed(reader, agent, 'notifications', '')
      const person = nameOf(asid === undefined ? undefined : people.byAsid(reader, agent, asid))
      const { notifications } = document
      return { kind: 'notify', notifications, agentName, sealed, ...(person !== '' && { personName: person }) }
    },
  }
  return setup
}

function noTool(detail: string): Refusal {
  return refuse('tool.not_found', { detail })
}

function readSealed(reader: Reader, agent: AgentRef, section: SecretSection, item: string): SealedSecrets {
  const stored = secretsOf(reader, agent, section, item)
  const byName = Object.fromEntries(Array.from(stored, ([name, { sealed }]) => [name, sealed]))
  return { section, item, byName }
}

function nameOf(person: Person | undefined): string {
  if (!person) return ''
  const { fullName, firstName, lastName } = person
  return fullName ?? [firstName, lastName].filter(Boolean).join(' ')
}

export type OpenSecrets = Readonly<Record<string, string>>

/** `unreadable`: they were sealed under a root key that this node does not have. */
export async function openSecrets(
  sealer: Pick<Sealer, 'open'>,
  agent: AgentRef,
  { section, item, byName }: SealedSecrets,
): Promise<OpenSecrets | Refusal | 'unreadable'> {
  const opened: Record<string, string> = {}
  for (const [name, sealed] of Object.entries(byName)) {
    const id = sealedId(agent, section, item, name)
    const plain = await sealer.open(agent.orgId, secretKind, id, sealed).catch(() => undefined)
    if (plain === undefined) return 'unreadable'
    if (isRefusal(plain)) return plain
    opened[name] = plain
  }
  return opened
}

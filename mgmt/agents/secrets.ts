/**
 * Write-only secrets of an agent: keys of notifications, headers of integrations, write-only fields of tools. Each is
 * sealed before the command runs, stored beside the document, and removed with the item that it belongs to.
 */
import type { AgentDocument, SecretChanges } from '../../core/agent/index.js'
import { idOf } from '../../core/agent/index.js'
import type { AgentRef } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { agentDocument as limits } from '../../core/limits/index.js'
import type { Sealer } from '../../runtime/secrets/sealer.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { type Reader, table } from '../../runtime/store/contract.js'

const secretSections = ['notifications', 'integrations', 'toolBindings'] as const
export type SecretSection = (typeof secretSections)[number]

export function hasSecrets(section: string): section is SecretSection {
  return (secretSections as readonly string[]).includes(section)
}

export interface SealedSecret {
  readonly sealed: Uint8Array
  /** The last characters, to recognise the secret by; absent for a secret that is too short to show any. */
  readonly last4?: string
}

/**
 * Changes of an item's secrets; null removes one. The item of notifications, of which there is one, is the empty text.
 */
export interface SealedChanges {
  readonly section: SecretSection
  readonly item: string
  readonly changes: Readonly<Record<string, SealedSecret | null>>
}

export interface SecretState {
  readonly set: boolean
  readonly last4?: string
}

type SecretKey = [orgId: string, agentId: string, section: string, item: string, name: string]
export const secretTable = table<SecretKey, SealedSecret>('agents.secrets')

/** The kind under which they are sealed. */
export const secretKind = 'agent'

export function sealedId({ agentId }: AgentRef, section: SecretSection, item: string, name: string): string {
  return [agentId, section, item, name].join('/')
}

export interface UnsealedSecrets {
  readonly section: SecretSection
  readonly item: string
  readonly secrets: SecretChanges
}

export async function sealSecrets(
  sealer: Pick<Sealer, 'seal'>,
  agent: AgentRef,
  { section, item, secrets }: UnsealedSecrets,
): Promise<SealedChanges | Refusal> {
  const changes: Record<string, SealedSecret | null> = {}
  for (const [name, plain] of Object.entries(secrets)) {
    if (plain === undefined) continue
    if (plain === null) {
      changes[name] = null
      continue
    }
    const sealed = await sealer.seal(agent.orgId, secretKind, sealedId(agent, section, item, name), plain)
    if (isRefusal(sealed)) return sealed
    changes[name] = { sealed, ...last4Of(plain) }
  }
  return { section, item, changes }
}

/** The part of a secret that reads may show. */
export function last4Of(plain: string): Pick<SealedSecret, 'last4'> {
  return plain.length >= limits.last4FromChars ? { last4: plain.slice(-4) } : {}
}

/** The stored secrets of one item, by name. */
export function secretsOf(
  reader: Reader,
  { orgId, agentId }: AgentRef,
  section: SecretSection,
  item: string,
): Map<string, SealedSecret> {
  const rows = reader.range(secretTable, { prefix: [orgId, agentId, section, item] })
  return new Map(Array.from(rows, ({ key: [, , , , name], value }) => [name, value]))
}

export function stateOf(secret: SealedSecret | undefined): SecretState {
  if (!secret) return { set: false }
  return { set: true, ...(secret.last4 !== undefined && { last4: secret.last4 }) }
}

/** Answers whether any secret changed. */
export function saveSecrets(tx: Tx, { orgId, agentId }: AgentRef, { section, item, changes }: SealedChanges): boolean {
  let isChanged = false
  for (const [name, secret] of Object.entries(changes)) {
    const key: SecretKey = [orgId, agentId, section, item, name]
    if (!secret && !tx.get(secretTable, key)) continue
    if (secret) tx.put(secretTable, key, secret)
    else tx.remove(secretTable, key)
    isChanged = true
  }
  return isChanged
}

/** Removes the secrets of integrations and tool bindings that a change of the document removed, by any route. */
export function removeOrphans(tx: Tx, agent: AgentRef, before: AgentDocument, after: AgentDocument): void {
  for (const section of ['integrations', 'toolBindings'] as const) {
    if (before[section] === after[section]) continue
    const remaining = new Set(after[section].map(idOf))
    for (const item of before[section].map(idOf)) if (!remaining.has(item)) removeSecrets(tx, agent, section, item)
  }
}

/** All secrets of an agent, of one section, or of one item. */
export function removeSecrets(tx: Tx, { orgId, agentId }: AgentRef, ...below: string[]): void {
  const rows = [...tx.range(secretTable, { prefix: [orgId, agentId, ...below] })]
  for (const { key } of rows) tx.remove(secretTable, key)
}

/**
 * Tool bindings: a config that is validated by the form of its tool, with write-only fields removed before it is
 * stored.
 */
import { listCatalog } from '../catalogs/index.js'
import { connectionField, signInOf } from '../catalogs/tooloauth.js'
import { type ConnectionState, isUsable } from '../connections/status.js'
import { invalid, type Refusal, refuse } from '../errors.js'
import { isRecord } from '../json.js'
import { agentLimits as limits } from '../limits/index.js'
import type { SecretChanges } from './capabilities.js'
import { type AgentDocument, findItem, type Item, withItem, withoutItem } from './document.js'
import { invalidFields, type Outcome } from './outcome.js'
import { faultsOf } from './schemacheck.js'

type Config = Readonly<Record<string, unknown>>

interface Form {
  readonly properties: Readonly<Record<string, { readonly writeOnly?: boolean }>>
  readonly required?: readonly string[]
}

export interface BindingWrite {
  readonly document: AgentDocument
  /** To be sealed beside the binding: text stores, null clears. */
  readonly secrets: SecretChanges
}

const forms = new Map<string, Form>(
  listCatalog('tools').map(({ id, configSchema }) => [id, (configSchema as Form | undefined) ?? { properties: {} }]),
)

/** The forms without required fields: a binding may be set up in several writes. */
const lenientForms = new Map(
  [...forms].map(([id, form]) => [id, { ...form, required: [], additionalProperties: false }]),
)

function formOf(toolId: string): Form | undefined {
  return forms.get(toolId)
}

export function isSecretField(toolId: string, field: string): boolean {
  return formOf(toolId)?.properties[field]?.writeOnly === true
}

/** PUT replaces the config, PATCH merges into it; null removes a field. Required fields may come in a later write. */
export function putBinding(
  document: AgentDocument,
  toolId: string,
  config: unknown,
  mode: 'replace' | 'merge',
): BindingWrite | Refusal {
  const form = formOf(toolId)
  if (!form) return refuse('tool.not_found', { detail: `The catalog has no tool ${toolId}.` })
  if (!isRecord(config)) return invalid('config', 'must be an object')
  const stored = findItem(document, 'toolBindings', toolId)
  if (mode === 'merge' && !stored)
    return refuse('tool.not_found', { detail: `The agent is not set up with ${toolId}.` })
  const entries = Object.entries(config as Config)
  const plain = Object.fromEntries(entries.filter(([, value]) => value !== null))
  const faults = faultsOf(lenientForms.get(toolId)!, plain, 'config')
  for (const [name] of entries)
    if (!Object.hasOwn(form.properties, name)) faults.push({ field: `config.${name}`, message: 'is not a known field' })
  if (faults.length > 0) return invalidFields(faults.filter(isFirst))
  const merged = mode === 'merge' ? { ...stored?.config, ...(config as Config) } : (config as Config)
  const publicConfig = Object.entries(merged).filter(
    ([name, value]) => value !== null && !form.properties[name]?.writeOnly,
  )
  if (JSON.stringify(merged).length > limits.toolBindings.configBytes) {
    return invalid('config', `must take at most ${limits.toolBindings.configBytes} bytes`)
  }
  const secrets = entries.filter(([name]) => form.properties[name]?.writeOnly) as [string, string | null][]
  const binding = { toolId, enabled: stored?.enabled ?? true, config: Object.fromEntries(publicConfig) }
  return { document: withItem(document, 'toolBindings', binding), secrets: Object.fromEntries(secrets) }
}

function isFirst({ field }: { field: string }, index: number, all: readonly { field: string }[]): boolean {
  return all.findIndex((each) => each.field === field) === index
}

export function setBindingEnabled(document: AgentDocument, toolId: string, enabled: boolean): Outcome {
  const stored = findItem(document, 'toolBindings', toolId)
  return stored ? withItem(document, 'toolBindings', { ...stored, enabled }) : refuse('tool.not_found')
}

export function removeBinding(document: AgentDocument, toolId: string): Outcome {
  return findItem(document, 'toolBindings', toolId)
    ? withoutItem(document, 'toolBindings', toolId)
    : refuse('tool.not_found')
}

export interface ConfigStatus {
  readonly complete: boolean
  readonly missing: readonly string[]
  /** The connection that the config names, when it is not connected. */
  readonly connection?: { readonly id: string; readonly status: ConnectionState }
}

/** A required write-only field counts as given once it is stored, or once a connection of the org replaces it. */
export function configStatus({ toolId, config }: Item<'toolBindings'>, stored: ReadonlySet<string>): ConfigStatus {
  const required = formOf(toolId)?.required ?? []
  const filledNames = new Set([...stored, ...(config[connectionField] ? (signInOf(toolId)?.replaces ?? []) : [])])
  const missing = required.filter((name) => config[name] === undefined && !filledNames.has(name))
  return { complete: missing.length === 0, missing }
}

/** The connection of the org that a config names; undefined when it names none or the tool takes none. */
export function connectionOf(toolId: string, config: Config): string | undefined {
  const id = config[connectionField]
  return signInOf(toolId) && typeof id === 'string' && id !== '' ? id : undefined
}

/** A config is incomplete while its connection is missing, or while only a person can renew it. */
export function withConnection(status: ConfigStatus, id: string, state: ConnectionState): ConfigStatus {
  if (state === 'connected') return status
  const connection = { id, status: state }
  if (state !== 'not-connected' && isUsable(state)) return { ...status, connection }
  return { complete: false, missing: [...status.missing, connectionField], connection }
}

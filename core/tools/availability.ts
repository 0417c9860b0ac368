/** Whether a tool of the catalog can be called for an agent: bound, enabled, and its config complete. */
import { type AgentDocument, configStatus, connectionOf, findItem } from '../agent/index.js'
import { findInCatalog } from '../catalogs/index.js'
import { signInOf } from '../catalogs/tooloauth.js'
import { type ConnectionState, isUsable } from '../connections/status.js'

/** What is on record for a tool beside the document. */
export interface ToolRecords {
  /** Names of the write-only fields that are stored. */
  readonly secrets: ReadonlySet<string>
  /** The agent's own sign-in for the tool. */
  readonly signIn?: ConnectionState
}

/** A sentence that says what is missing. The connection that a config names is checked by `connectionProblem`. */
export function toolProblem(document: AgentDocument, toolId: string, records: ToolRecords): string | undefined {
  const problem = bindingProblem(document, toolId)
  const binding = findItem(document, 'toolBindings', toolId)
  if (problem !== undefined || !binding) return problem
  const { missing } = configStatus(binding, records.secrets)
  const { signIn } = records
  const isSignedIn = signIn !== undefined && signIn !== 'not-connected' && isUsable(signIn)
  const replaced = isSignedIn ? (signInOf(toolId)?.replaces ?? []) : []
  const open = missing.filter((name) => !replaced.includes(name))
  if (open.length === 0) return undefined
  const needsSignIn = signIn !== undefined && !isSignedIn
  return needsSignIn ? connectionProblem(toolId, signIn) : `The config of ${nameOf(toolId)} lacks ${open.join(', ')}.`
}

/** What the document alone says. */
export function bindingProblem(document: AgentDocument, toolId: string): string | undefined {
  if (!findInCatalog('tools', toolId)) return `The catalog has no tool ${toolId}.`
  const binding = findItem(document, 'toolBindings', toolId)
  if (!binding) return `${nameOf(toolId)} is not set up for the agent.`
  return binding.enabled === false ? `${nameOf(toolId)} is switched off for the agent.` : undefined
}

/** The state is `not-connected` for a connection that the org does not have. */
export function connectionProblem(toolId: string, state: ConnectionState): string | undefined {
  if (state !== 'not-connected' && isUsable(state)) return undefined
  return `The account that ${nameOf(toolId)} uses has to be connected again.`
}

/** The connection of the org that a binding uses; undefined for one with keys of its own. */
export function boundConnection(document: AgentDocument, toolId: string): string | undefined {
  const config = findItem(document, 'toolBindings', toolId)?.config
  return config && connectionOf(toolId, config)
}

/** What is missing before the team can be notified as the config says; undefined without a config too. */
export function notifyProblem(document: AgentDocument, secrets: ReadonlySet<string>): string | undefined {
  const { operator, email } = document.notifications ?? {}
  if (!operator) return undefined
  const secret = operator.provider === 'slack' ? 'slackWebhookUrl' : 'emailApiKey'
  const missing = operator.provider === 'email' && !email ? 'email' : secrets.has(secret) ? undefined : secret
  return missing === undefined ? undefined : `The notifications config of the agent lacks ${missing}.`
}

function nameOf(toolId: string): string {
  return findInCatalog('tools', toolId)?.name ?? toolId
}

/** Tools of the catalog: a call to a backend of the business, to its webhook, or a mail through its mail server. */

import { connectionOf } from '../../core/agent/index.js'
import type { AgentRef } from '../../core/agentref.js'
import { findInCatalog } from '../../core/catalogs/index.js'
import { backendOf, toolNameOf, webhookTool } from '../../core/catalogs/toolbackends.js'
import { connectionField } from '../../core/catalogs/tooloauth.js'
import type { OutsideOutcome } from '../../core/turn/port.js'
import { callHttpTool, type HttpTool, type HttpToolDeps, type OneCall } from './httptool.js'
import { withoutQuery } from './integrations.js'
import { captured, failed } from './outcomes.js'
import type { OutsideRequest } from './port.js'
import type { CallSetup, OpenSecrets } from './setup.js'

export type ToolSetup = Extract<CallSetup, { kind: 'tool' }>

export function callCatalogTool(
  deps: HttpToolDeps,
  setup: ToolSetup,
  secrets: OpenSecrets,
  one: OneCall,
): Promise<OutsideOutcome> {
  const tool = httpToolOf(setup, secrets, one)
  return typeof tool === 'string' ? Promise.resolve(failed(tool)) : callHttpTool(deps, tool, one)
}

/** What the tool sends in the sandbox, without its secrets. */
export function captureCatalogTool(setup: ToolSetup, one: OneCall, at: number): OutsideOutcome {
  const tool = httpToolOf(setup, {}, one)
  if (typeof tool === 'string') return failed(tool)
  const { method, url, body } = tool
  return captured('tool', `Calls ${nameOf(setup)}.`, { method, url: withoutQuery(url), body }, at)
}

/** A sentence where the config lacks the address. */
function httpToolOf(setup: ToolSetup, secrets: OpenSecrets, { context, call }: OneCall): HttpTool | string {
  const { toolId, config } = setup.binding
  const common = { subject: nameOf(setup), id: toolId, isIdempotent: false }
  if (toolId === webhookTool) {
    const { url, method = 'POST' } = config
    if (typeof url !== 'string') return `The config of ${common.subject} lacks url.`
    const { authHeader: authorization, signingSecret } = secrets
    const sent = { body: call.arguments, authorization, signingSecret }
    return { ...common, ...sent, url, method: method as OutsideRequest['method'] }
  }
  const backend = backendOf(toolId)
  const address = backend && config[backend.address]
  if (!backend || typeof address !== 'string') return `The config of ${common.subject} lacks an address.`
  const token = secrets[backend.token]
  return {
    ...common,
    url: below(address, toolNameOf(toolId)),
    method: 'POST',
    body: { arguments: call.arguments, config: sentConfig(setup) },
    authorization: token === undefined ? undefined : `Bearer ${token}`,
    signIn: token === undefined || usesConnection(setup) ? signInOf(setup, context.agent) : undefined,
    hiddenFields: config.hiddenFields as readonly string[] | undefined,
  }
}

function usesConnection({ binding: { toolId, config } }: ToolSetup): boolean {
  return connectionOf(toolId, config) !== undefined
}

/** A connection of the org, if the config names one, else the agent's own sign-in. */
function signInOf({ binding: { toolId, config }, hasSignIn }: ToolSetup, { orgId, agentId }: AgentRef) {
  const connectionId = connectionOf(toolId, config)
  if (connectionId !== undefined) return { orgId, id: connectionId }
  return hasSignIn ? { orgId, agentId, id: toolId } : undefined
}

/** The stored config has no write-only field. */
function sentConfig({ binding: { toolId, config } }: ToolSetup): Readonly<Record<string, unknown>> {
  const { address, own = [] } = backendOf(toolId)!
  const kept = new Set([address, connectionField, ...own])
  return Object.fromEntries(Object.entries(config).filter(([name]) => !kept.has(name)))
}

function below(address: string, name: string): string {
  const [, path = address, query = ''] = /^([^?#]*)(\?[^#]*)?/.exec(address) ?? []
  return `${path.replace(/\/+$/, '')}/${name}${query}`
}

export function nameOf({ binding: { toolId } }: ToolSetup): string {
  return findInCatalog('tools', toolId)?.name ?? toolId
}

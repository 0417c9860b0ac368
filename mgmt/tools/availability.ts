/** Which tools of an agent cannot be called, and why: from the agent's shard, and from the org's for connections. */
import { type AgentDocument, idOf } from '../../core/agent/index.js'
import type { AgentRef } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { boundConnection, connectionProblem, notifyProblem, toolProblem } from '../../core/tools/availability.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { SecretSection } from '../agents/secrets.js'
import { secretsOf } from '../agents/secrets.js'
import type { Connections } from '../connections/index.js'
import { getCredential } from '../connections/store.js'

/** Plain data, so that a query of the agent's shard may answer it. */
export interface ToolAvailability {
  /** By catalog tool id, and by `notify.team`. */
  readonly reasons: Readonly<Record<string, string>>
  /** The connection of the org that each other tool uses, by catalog tool id. */
  readonly connections: Readonly<Record<string, string>>
}

/** Reads the agent's shard. Covers the tools that are bound, and those that playbooks name. */
export function unavailableTools(reader: Reader, agent: AgentRef, document: AgentDocument): ToolAvailability {
  const secrets = (section: SecretSection, item: string) => new Set(secretsOf(reader, agent, section, item).keys())
  const named = document.playbooks.flatMap(({ toolRefs = [] }) => toolRefs)
  const reasons: Record<string, string> = {}
  const connections: Record<string, string> = {}
  for (const toolId of new Set([...document.toolBindings.map(idOf), ...named])) {
    const signIn = getCredential(reader, { ...agent, id: toolId })?.status
    const records = { secrets: secrets('toolBindings', toolId), ...(signIn !== undefined && { signIn }) }
    const problem = toolProblem(document, toolId, records)
    const connectionId = boundConnection(document, toolId)
    if (problem !== undefined) reasons[toolId] = problem
    else if (connectionId !== undefined) connections[toolId] = connectionId
  }
  const problem = notifyProblem(document, secrets('notifications', ''))
  return { reasons: { ...reasons, ...(problem !== undefined && { 'notify.team': problem }) }, connections }
}

/** The reasons, with those of connections that are missing or not connected. Queries the org's shard if one is used. */
export async function withConnections(
  shards: Pick<Shards, 'query'>,
  { queries }: Pick<Connections, 'queries'>,
  orgId: string,
  { reasons, connections }: ToolAvailability,
): Promise<Readonly<Record<string, string>> | Refusal> {
  const ids = [...new Set(Object.values(connections))]
  if (ids.length === 0) return reasons
  const statuses = await shards.query(orgId, queries.statuses, { orgId, ids })
  if (isRefusal(statuses)) return statuses
  const states = new Map(statuses.map(({ id, status }) => [id, status]))
  const lost = Object.entries(connections).flatMap(([toolId, id]) => {
    const problem = connectionProblem(toolId, states.get(id) ?? 'not-connected')
    return problem === undefined ? [] : [[toolId, problem] as const]
  })
  return { ...reasons, ...Object.fromEntries(lost) }
}

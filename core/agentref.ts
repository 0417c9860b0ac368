/**
 * Agent refs and agent keys. Agent ids are unique within their org only, so the owner key of an agent's data holds both
 * ids; a slug has no slash, so no two agents share a key and no key is that of an org.
 */

export interface AgentRef {
  readonly orgId: string
  readonly agentId: string
}

export function formatAgentKey({ orgId, agentId }: AgentRef): string {
  return `${orgId}/${agentId}`
}

/** The public name of an agent's chat, in the addresses of its page and its widget. */
export function chatNameOf({ orgId, agentId }: AgentRef): string {
  return `${orgId}.${agentId}`
}

export function parseAgentKey(key: string): AgentRef {
  const separatorAt = key.indexOf('/')
  if (separatorAt < 1 || separatorAt === key.length - 1) throw new Error('this is not the key of an agent')
  return { orgId: key.slice(0, separatorAt), agentId: key.slice(separatorAt + 1) }
}

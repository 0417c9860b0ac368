/**
 * The owner key of everything that belongs to one agent. Agent ids are unique within their org only, so the key holds
 * both; a slug has no slash, so no two agents share a key and no key is that of an org.
 */

export interface AgentPlace {
  readonly orgId: string
  readonly agentId: string
}

export function agentKeyOf({ orgId, agentId }: AgentPlace): string {
  return `${orgId}/${agentId}`
}

/** The public name of an agent's chat, in the addresses of its page and its widget. */
export function chatNameOf({ orgId, agentId }: AgentPlace): string {
  return `${orgId}.${agentId}`
}

export function placeOfAgentKey(key: string): AgentPlace {
  const slash = key.indexOf('/')
  if (slash < 1 || slash === key.length - 1) throw new Error('this is not the key of an agent')
  return { orgId: key.slice(0, slash), agentId: key.slice(slash + 1) }
}

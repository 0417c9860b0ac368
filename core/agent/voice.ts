/** The voice of a managed agent: whether its document has anything that answers people. */
import type { AgentDocument, Item } from './document.js'

/** Facts that are disabled or not confirmed are never read to people. */
export function isAnswering({ enabled, confirmed }: Pick<Item<'facts'>, 'enabled' | 'confirmed'>): boolean {
  return enabled !== false && confirmed !== false
}

export function hasVoice({ playbooks, facts }: Pick<AgentDocument, 'playbooks' | 'facts'>): boolean {
  return playbooks.length > 0 || facts.some(isAnswering)
}

export const noVoice = 'Without a webhook nobody answers: the agent has no playbook and no enabled fact.'

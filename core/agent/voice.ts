/** The voice of a managed agent: whether its document has anything that answers people. */
import type { AgentDocument, Item } from './document.js'

/** Facts that are disabled or not confirmed are never read to people. */
export function isAnswering({ enabled, confirmed }: Pick<Item<'facts'>, 'enabled' | 'confirmed'>): boolean {
  return enabled !== false && confirmed !== false
}

/** An outreach comes with a playbook. As long as it is empty, the agent only sends. */
export function isWritten({ outreachId, body, flow }: Item<'playbooks'>): boolean {
  return outreachId === undefined || body.trim() !== '' || flow !== undefined
}

export function hasVoice({ playbooks, facts }: Pick<AgentDocument, 'playbooks' | 'facts'>): boolean {
  return playbooks.some(isWritten) || facts.some(isAnswering)
}

export const noVoice = 'Without a webhook the agent does not answer: it has no written playbook and no enabled fact.'

/** The document of an agent with a playbook and tools, written by its test. */
import { type AgentDocument, emptyDocument, type Item } from '../../../core/agent/index.js'

export function playbook(more: Partial<Item<'playbooks'>> = {}): Item<'playbooks'> {
  return { id: 'desk', name: 'Desk', body: '', uses: [], isDefault: true, ...more }
}

export function binding(toolId: string, config: Item<'toolBindings'>['config'] = {}, enabled = true) {
  return { toolId, config, enabled }
}

export function integration(id: string, parameters: Record<string, unknown> = {}, url = 'https://crm.example/in') {
  return { id, name: id, description: 'Keeps guests.', parameters, endpoint: { url, method: 'POST' as const } }
}

export function documentWith(more: Partial<AgentDocument>): AgentDocument {
  return { ...emptyDocument, playbooks: [playbook()], ...more }
}

/** Whether an agent's stored document has anything that answers people, without decoding all of it. */
import { isAnswering, isWritten } from '../../core/agent/voice.js'
import type { AgentRef } from '../../core/agentref.js'
import type { Reader } from '../../runtime/store/contract.js'
import { hasItem } from './sections.js'

export function readsVoice(reader: Reader, agent: AgentRef): boolean {
  return hasItem(reader, agent, 'playbooks', isWritten) || hasItem(reader, agent, 'facts', isAnswering)
}

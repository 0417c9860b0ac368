/** Lists of traffic over conversations, whichever process owns their shards. */
import type { AgentRef } from '../../core/agentref.js'
import type { Refusal } from '../../core/errors.js'
import type { RecordPage, RecordQuery, TrafficQuery } from '../../core/traffic/query.js'
import type {
  AgentLogEntry,
  AttemptEntry,
  ConversationSummary,
  MessageEntry,
  UserSummary,
} from '../../core/traffic/view.js'

/**
 * Lists over all conversations of an agent, newest first. Pages neither miss nor repeat a record that existed at the
 * first page, even if others write meanwhile.
 */
export interface TrafficLists {
  messages(agent: AgentRef, query: RecordQuery): Promise<RecordPage<MessageEntry> | Refusal>
  logs(agent: AgentRef, query: RecordQuery): Promise<RecordPage<AgentLogEntry> | Refusal>
  attempts(agent: AgentRef, query: RecordQuery): Promise<RecordPage<AttemptEntry> | Refusal>
  conversations(agent: AgentRef, query: TrafficQuery): Promise<readonly ConversationSummary[] | Refusal>
  users(agent: AgentRef, query: TrafficQuery): Promise<readonly UserSummary[] | Refusal>
}

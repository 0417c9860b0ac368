/** What traffic needs of conversations, wherever their shards are. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { Refusal } from '../../core/errors.js'
import type {
  AgentLogEntry,
  AttemptEntry,
  ConversationSummary,
  MessageEntry,
  UserSummary,
} from '../../core/traffic/view.js'
import type { RecordPage, Wanted, WantedRecords } from '../../core/traffic/wanted.js'

/**
 * Lists over all conversations of an agent, newest first. Whatever is written while a caller reads page by page, the pages
 * neither miss nor repeat what was there before.
 */
export interface TrafficLists {
  messages(place: AgentPlace, wanted: WantedRecords): Promise<RecordPage<MessageEntry> | Refusal>
  logs(place: AgentPlace, wanted: WantedRecords): Promise<RecordPage<AgentLogEntry> | Refusal>
  attempts(place: AgentPlace, wanted: WantedRecords): Promise<RecordPage<AttemptEntry> | Refusal>
  conversations(place: AgentPlace, wanted: Wanted): Promise<readonly ConversationSummary[] | Refusal>
  users(place: AgentPlace, wanted: Wanted): Promise<readonly UserSummary[] | Refusal>
}

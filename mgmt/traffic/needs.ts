/** What reads of traffic need of their surroundings; whoever puts a node together gives it. */
import type { AgentPlace } from '../../core/agentkey.js'
import { type Refusal, refuse } from '../../core/errors.js'
import type {
  AgentLogEntry,
  AttemptEntry,
  ConversationSummary,
  MessageEntry,
  UserSummary,
} from '../../core/traffic/view.js'
import type { RecordPage, Wanted, WantedRecords } from '../../core/traffic/wanted.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'

/** Lists over all conversations of an agent, newest first. However much is written meanwhile, pages neither miss nor repeat what was there. */
export interface TrafficDoor {
  messages(place: AgentPlace, wanted: WantedRecords): Promise<RecordPage<MessageEntry> | Refusal>
  logs(place: AgentPlace, wanted: WantedRecords): Promise<RecordPage<AgentLogEntry> | Refusal>
  attempts(place: AgentPlace, wanted: WantedRecords): Promise<RecordPage<AttemptEntry> | Refusal>
  conversations(place: AgentPlace, wanted: Wanted): Promise<readonly ConversationSummary[] | Refusal>
  users(place: AgentPlace, wanted: Wanted): Promise<readonly UserSummary[] | Refusal>
}

/** Since when there is an agent of that name: an earlier one of the same name had traffic of its own. */
export type AgentSince = Query<AgentPlace, number>

export function agentSince(
  agentOf: (reader: Reader, place: AgentPlace) => { readonly createdAt: number } | undefined,
): AgentSince {
  return {
    name: 'traffic.agent',
    read: (reader, place) => agentOf(reader, place)?.createdAt ?? refuse('resource.not_found'),
  }
}

/** Lists of turn records over conversations, whichever process owns their shards. */
import type { AgentRef } from '../../core/agentref.js'
import type { Refusal } from '../../core/errors.js'
import type { RecordPage } from '../../core/traffic/query.js'
import type { TurnQuery } from '../../core/turn/query.js'
import type { TurnIdParts } from '../../core/turn/turnid.js'
import type { TurnEntry, TurnListEntry } from '../../core/turn/view.js'

export interface TurnLists {
  /**
   * Newest first. Pages neither miss nor repeat a record that existed at the first page, even if others are written
   * meanwhile; the work of one call is bounded, so a page may be short before the end of the list.
   */
  list(agent: AgentRef, query: TurnQuery): Promise<RecordPage<TurnListEntry> | Refusal>
  /** `resource.not_found` for a turn that the agent does not have. */
  find(agent: AgentRef, id: TurnIdParts): Promise<TurnEntry | Refusal>
}

/** Tables of managed turns. Their shard is that of the asid. */
import type { RecordRef } from '../../core/conversation/history.js'
import type { TurnRecord } from '../../core/turn/record.js'
import type { RecordKey } from '../conversation/tables.js'
import { table } from '../store/contract.js'

/** A record as it is stored: it links to the person's turn before it. */
export interface StoredTurn extends TurnRecord {
  readonly previous?: RecordRef
  /** Written again for an outcome that came after the end. */
  readonly hasLateOutcome?: true
}

/**
 * Records of turns, which are listed by agent and time over all shards. The key has the parts of the turn's id: its
 * start and its number. Records of the sandbox have a table of their own, so live lists never meet them.
 */
export const turnTable = table<RecordKey, StoredTurn>('turn')
export const testTurnTable = table<RecordKey, StoredTurn>('turn.test')

/** The journal of a conversation: what each of its commits did, in order, as the judge of a run reads it. */
import type { Conversation, ConversationEvent, OpenTurnRef } from '../../../core/conversation/state.js'
import { eventTable, messageTable } from '../../../runtime/conversation/tables.js'
import type { MessageListener } from '../../../runtime/conversation/transaction.js'
import type { Tx } from '../../../runtime/shard/contract.js'
import { table } from '../../../runtime/store/contract.js'

export type JournalEntry =
  /** An event was queued. */
  | { readonly kind: 'event'; readonly eventId: string; readonly type: ConversationEvent['event']['type'] }
  /** A message of the agent was accepted. */
  | { readonly kind: 'reply'; readonly messageId: string }
  | { readonly kind: 'optedOut' | 'optedIn' }
  /** The open turn is another one, or at another step; absent: none is open. */
  | { readonly kind: 'turn'; readonly turn?: OpenTurnRef }

export const journalTable = table<[asid: string, number: number], JournalEntry>('sim.journal')
const journalLength = table<[asid: string], number>('sim.journalLength')

export const journalListener: MessageListener = {
  begin(tx, before) {
    const replies: string[] = []
    return {
      beforeSave({ id, from }) {
        if (from === 'reply' && !tx.get(messageTable, [before.asid, id])) replies.push(id)
      },
      onRecord() {},
      flush(after) {
        append(tx, before.asid, [...changes(tx, before, after), ...replies.map(replyEntry)])
      },
    }
  },
}

const replyEntry = (messageId: string): JournalEntry => ({ kind: 'reply', messageId })

function* changes(tx: Tx, before: Conversation, after: Conversation): Generator<JournalEntry> {
  for (let number = before.nextEvent; number < after.nextEvent; number++) {
    const { eventId, event } = tx.get(eventTable, [before.asid, number])!
    yield { kind: 'event', eventId, type: event.type }
  }
  const wasOptedOut = before.optedOutAt !== undefined
  const isOptedOut = after.optedOutAt !== undefined
  if (wasOptedOut !== isOptedOut) yield { kind: isOptedOut ? 'optedOut' : 'optedIn' }
  const { turn } = after
  if (turn?.id !== before.turn?.id || turn?.step !== before.turn?.step) yield { kind: 'turn', ...(turn && { turn }) }
}

function append(tx: Tx, asid: string, entries: readonly JournalEntry[]): void {
  const length = tx.get(journalLength, [asid]) ?? 0
  for (const [nth, entry] of entries.entries()) tx.put(journalTable, [asid, length + nth], entry)
  tx.put(journalLength, [asid], length + entries.length)
}

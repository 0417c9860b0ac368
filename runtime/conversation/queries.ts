/** Queries about a conversation. */
import type { Conversation } from '../../core/conversation/state.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Query, Shards } from '../shard/contract.js'
import { conversationTable } from './tables.js'

/** The conversation of an asid as last committed; null when there is none. */
export const readConversation: Query<{ readonly asid: string }, Conversation | null> = {
  name: 'conversation.read',
  read: (reader, { asid }) => reader.get(conversationTable, [asid]) ?? null,
}

/** The same, following the redirect to the person's canonical conversation. */
export async function findConversation(
  shards: Pick<Shards, 'query'>,
  asid: string,
): Promise<Conversation | null | Refusal> {
  const conversation = await shards.query(asid, readConversation, { asid })
  if (!conversation || isRefusal(conversation) || !conversation.canonical) return conversation
  return shards.query(conversation.canonical.asid, readConversation, { asid: conversation.canonical.asid })
}

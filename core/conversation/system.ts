/**
 * Messages of Parley itself (confirmations, help texts, disclaimers), and the traffic record of any outbound content.
 */
import { isSignal } from '../amf/index.js'
import type { AgentFacts } from './context.js'
import type { Conversation, OutboundMessageRecord } from './state.js'
import { type ConversationTx, saveMessage } from './transaction.js'

export function recordContent(tx: ConversationTx, { id, message, sessionId }: OutboundMessageRecord): void {
  if (isSignal(message)) return
  const text = message.parts.flatMap((part) =>
    part.type === 'text' && typeof part.text === 'string' ? [part.text] : [],
  )
  tx.record({
    kind: 'traffic',
    entry: {
      origin: 'agent',
      type: 'content',
      sessionId,
      messageId: id,
      ...(text.length > 0 && { text: text.join('\n') }),
    },
  })
}

/** Saves a confirmation, a help text or a disclaimer; the caller enqueues it. */
export function saveSystemMessage(
  tx: ConversationTx,
  { channel, session }: Conversation,
  { provider }: AgentFacts,
  text: string,
  disclaimerFor?: string,
): OutboundMessageRecord {
  const outgoing: OutboundMessageRecord = {
    id: tx.command.mint('msg'),
    message: { spec: 'amf/1', parts: [{ type: 'text', text }] },
    at: tx.command.at,
    sessionId: session?.id ?? '',
    from: 'system',
    states: {},
    attempt: { channel, provider },
    ...(disclaimerFor !== undefined && { disclaimerFor }),
  }
  saveMessage(tx, outgoing)
  recordContent(tx, outgoing)
  return outgoing
}

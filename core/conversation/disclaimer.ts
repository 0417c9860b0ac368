/**
 * The disclaimer of a messaging relationship: one message of Parley that goes before the first message of the agent.
 * The queue inserts it at the moment that message would go out, so every way of sending passes it. The two share their
 * fate: if the disclaimer fails, its message fails too.
 */
import { isSignal } from '../amf/index.js'
import type { AgentContext } from './context.js'
import { defaultTexts } from './keywords.js'
import type { Conversation, OutboundMessageRecord } from './state.js'

/** The text of the disclaimer that must go before this message; undefined if none is required. */
export function requiredDisclaimer(
  { disclaimedAt }: Conversation,
  { message, from }: Pick<OutboundMessageRecord, 'message' | 'from'>,
  { binding, brand }: AgentContext,
): string | undefined {
  if (!binding?.compliance || disclaimedAt !== undefined || from === 'system' || isSignal(message)) return undefined
  return binding.compliance.disclaimer ?? defaultTexts.disclaimer(brand)
}

/**
 * Whether an opt-out ends the message. Confirmations and help go to people who opted out; a disclaimer only goes before
 * a message.
 */
export function isSilencedByOptOut({
  from,
  disclaimerFor,
}: Pick<OutboundMessageRecord, 'from' | 'disclaimerFor'>): boolean {
  return from !== 'system' || disclaimerFor !== undefined
}

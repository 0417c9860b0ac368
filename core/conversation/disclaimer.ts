/**
 * The disclaimer of a messaging relationship: one message of the house that goes before the first message of the agent. It
 * is put before a message at the moment that message would go out, so no way of sending leads past it, and the two share
 * their fate: a message whose disclaimer fails, fails with it.
 */
import { isSignal } from '../amf/index.js'
import type { AgentContext } from './context.js'
import { defaultTexts } from './keywords.js'
import type { Conversation, OutboundMessageRecord } from './state.js'

/** The text of the disclaimer that has to go before this message; undefined where none has to. */
export function requiredDisclaimer(
  { disclaimedAt }: Conversation,
  { message, from }: Pick<OutboundMessageRecord, 'message' | 'from'>,
  { binding, brand }: AgentContext,
): string | undefined {
  if (!binding?.compliance || disclaimedAt !== undefined || from === 'system' || isSignal(message)) return undefined
  return binding.compliance.disclaimer ?? defaultTexts.disclaimer(brand)
}

/** Whether an opt-out ends it. Confirmations and help go to people who opted out; a disclaimer only ever goes before a message. */
export function isSilencedByOptOut({
  from,
  disclaimerFor,
}: Pick<OutboundMessageRecord, 'from' | 'disclaimerFor'>): boolean {
  return from !== 'system' || disclaimerFor !== undefined
}

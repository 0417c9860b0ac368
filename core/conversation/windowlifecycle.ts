/** Changes of the messaging window, each reported to the agent. */
import { type AgentFacts, factsOf } from './context.js'
import { enqueueEvent, systemEvent } from './events.js'
import { isWindowOpen, windowClosesAt } from './messagingwindow.js'
import type { Conversation } from './state.js'
import { type ConversationTx, log } from './transaction.js'

/** Opens the window, or keeps it open for longer: the person has just written. */
export function openWindow(tx: ConversationTx, conversation: Conversation, agent: AgentFacts): Conversation {
  if (agent.windowHours === null) return conversation
  tx.emit({ kind: 'setTimer', timer: 'window', at: windowClosesAt(tx, conversation, agent), facts: factsOf(agent) })
  if (conversation.windowIsOpen) return conversation
  log(tx, 'window.opened')
  return enqueueEvent(tx, { ...conversation, windowIsOpen: true }, agent, systemEvent('windowChanged'))
}

/** Closes the window if it has expired. */
export function closeIfExpired(tx: ConversationTx, conversation: Conversation, agent: AgentFacts): Conversation {
  if (!conversation.windowIsOpen || isWindowOpen(tx, conversation, agent)) return conversation
  const updated = { ...conversation, windowIsOpen: false }
  log(tx, 'window.closed')
  return enqueueEvent(tx, updated, agent, systemEvent('windowChanged'))
}

/** Observes the commands of a node's conversations, between the node and its shards. */
import type { OutboundRequest, SendResult } from '../../../core/conversation/outbound.js'
import type { DeliveryOutcome } from '../../../core/conversation/outcome.js'
import { isRefusal } from '../../../core/errors.js'
import { conversationCommands } from '../../../runtime/conversation/commands.js'
import type { ConversationCommands } from '../../../runtime/conversation/contract.js'
import type { NodeContext } from '../../../runtime/node/compose.js'

type Inputs = { [Name in keyof ConversationCommands]: Parameters<ConversationCommands[Name]['decide']>[1] }

export interface Watcher {
  /** Called when a provider's inbound items are durable. */
  onInbound?(asid: string, itemIds: readonly string[]): void
  /** Called when messages for a person are decided and the accepted ones are durable. */
  onSend?(asid: string, onSend: readonly OutboundRequest[], answers: readonly SendResult[]): void
  /** Called when the provider has accepted or refused a message, before that outcome is durable. */
  onDelivery?(messageId: string, outcome: DeliveryOutcome): void
}

const { receiveInbound, reply, sendMessages, sendOutcome } = conversationCommands({ timeScale: 1 })

const watched = new Set([receiveInbound.name, reply.name, sendMessages.name])

export function watchConversations({ onInbound, onSend, onDelivery }: Watcher): NonNullable<NodeContext['wrapShards']> {
  function report(owner: string, command: string, input: unknown, answer: unknown): void {
    if (command === sendMessages.name) {
      onSend?.(owner, (input as Inputs['sendMessages']).requests, answer as readonly SendResult[])
      return
    }
    if (command === reply.name) {
      const requests = (input as Inputs['reply']).messages.map(({ request }) => request)
      onSend?.(owner, requests, answer as readonly SendResult[])
      return
    }
    const { items } = input as Inputs['receiveInbound']
    onInbound?.(
      owner,
      items.map(({ id }) => id),
    )
  }
  return (shards) => ({
    ...shards,
    execute(owner, command, input, options) {
      if (command.name === sendOutcome.name) {
        const { messageId, outcome } = input as Inputs['sendOutcome']
        if (outcome.kind === 'sent' || outcome.kind === 'refused') onDelivery?.(messageId, outcome)
      }
      const pending = shards.execute(owner, command, input, options)
      if (!watched.has(command.name)) return pending
      return pending.then((answer) => {
        if (!isRefusal(answer)) report(owner, command.name, input, answer)
        return answer
      })
    },
  })
}

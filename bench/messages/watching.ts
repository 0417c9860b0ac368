/** Watches what a node's conversations are asked, from between the node and its shards. */
import type { Accepted, Offered } from '../../core/conversation/accept.js'
import type { Outcome } from '../../core/conversation/sending.js'
import { isRefusal } from '../../core/errors.js'
import { type ConversationCommands, conversationCommands } from '../../runtime/gateway/commands.js'
import type { Surroundings } from '../../runtime/node.js'

type Inputs = { [Name in keyof ConversationCommands]: Parameters<ConversationCommands[Name]['decide']>[1] }

export interface Watcher {
  /** What a provider told of a person is on record. */
  heard?(asid: string, itemIds: readonly string[]): void
  /** Messages for a person were judged, and those that were taken are on record. */
  offered?(asid: string, offered: readonly Offered[], answers: readonly Accepted[]): void
  /** The provider has taken a message, or not: told before that is on record. */
  handedOver?(messageId: string, outcome: Outcome): void
}

const { hear, offer, dispatched } = conversationCommands({ timeScale: 1 })

export function watching({ heard, offered, handedOver }: Watcher): NonNullable<Surroundings['between']> {
  return (shards) => ({
    ...shards,
    async ask(owner, command, input, options) {
      if (command.name === dispatched.name) {
        const { messageId, outcome } = input as Inputs['dispatched']
        handedOver?.(messageId, outcome)
      }
      const answer = await shards.ask(owner, command, input, options)
      if (isRefusal(answer)) return answer
      if (command.name === hear.name) {
        const { items } = input as Inputs['hear']
        heard?.(
          owner,
          items.map(({ id }) => id),
        )
      }
      if (command.name === offer.name)
        offered?.(owner, (input as Inputs['offer']).offered, answer as readonly Accepted[])
      return answer
    },
  })
}

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
  function told(owner: string, command: string, input: unknown, answer: unknown): void {
    if (command === offer.name) {
      offered?.(owner, (input as Inputs['offer']).offered, answer as readonly Accepted[])
      return
    }
    const { items } = input as Inputs['hear']
    heard?.(
      owner,
      items.map(({ id }) => id),
    )
  }
  return (shards) => ({
    ...shards,
    ask(owner, command, input, options) {
      if (command.name === dispatched.name) {
        const { messageId, outcome } = input as Inputs['dispatched']
        if (outcome.kind === 'sent' || outcome.kind === 'refused') handedOver?.(messageId, outcome)
      }
      const asked = shards.ask(owner, command, input, options)
      if (command.name !== hear.name && command.name !== offer.name) return asked
      return asked.then((answer) => {
        if (!isRefusal(answer)) told(owner, command.name, input, answer)
        return answer
      })
    },
  })
}

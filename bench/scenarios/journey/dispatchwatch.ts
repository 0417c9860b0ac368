/** Records which sends a node accepts and which openers the provider has, between the node and its shards. */
import type { NodeContext } from '../../../runtime/node/compose.js'
import { watchConversations } from '../messages/conversationwatch.js'

export interface Dispatch {
  readonly wrapShards: NonNullable<NodeContext['wrapShards']>
  readonly counts: { accepted: number; handedOver: number; refused: number }
}

export function watchDispatch(): Dispatch {
  const counts = { accepted: 0, handedOver: 0, refused: 0 }
  const conversations = watchConversations({
    onDelivery(_messageId, { kind }) {
      if (kind === 'sent') counts.handedOver++
      else counts.refused++
    },
  })
  return {
    counts,
    wrapShards: (shards) => {
      const watched = conversations(shards)
      return {
        ...watched,
        async execute(owner, command, input, options) {
          const answer = await watched.execute(owner, command, input, options)
          if (command.name === 'outreach.accept' && (answer as { status?: string }).status === 'queued')
            counts.accepted++
          return answer
        },
      }
    },
  }
}

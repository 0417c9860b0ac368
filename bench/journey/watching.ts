/** Watches which sends a node takes and which of their openings the provider has, from between the node and its shards. */
import type { Surroundings } from '../../runtime/node.js'
import { watching } from '../messages/watching.js'

export interface Dispatch {
  readonly between: NonNullable<Surroundings['between']>
  readonly counts: { accepted: number; handedOver: number; refused: number }
}

export function watchDispatch(): Dispatch {
  const counts = { accepted: 0, handedOver: 0, refused: 0 }
  const conversations = watching({
    handedOver(_messageId, { kind }) {
      if (kind === 'sent') counts.handedOver++
      else counts.refused++
    },
  })
  return {
    counts,
    between: (shards) => {
      const watched = conversations(shards)
      return {
        ...watched,
        async ask(owner, command, input, options) {
          const answer = await watched.ask(owner, command, input, options)
          if (command.name === 'outreach.accept' && (answer as { status?: string }).status === 'queued')
            counts.accepted++
          return answer
        },
      }
    },
  }
}

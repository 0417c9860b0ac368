/**
 * The trips of texts: from a text that is durable to its answer at the provider. They are seen in the commands of a
 * node's conversations, between the node and its shards.
 */
import type { DeliveryOutcome } from '../../../core/conversation/outcome.js'
import { isRefusal } from '../../../core/errors.js'
import { conversationCommands } from '../../../runtime/conversation/commands.js'
import type { NodeContext } from '../../../runtime/node/compose.js'
import type { Sample } from '../../harness/sample.js'
import { sleep } from '../messages/phones.js'

/** How long the last answers of a window may take. */
const answerMs = 10_000

const { receiveInbound, sendOutcome } = conversationCommands({ timeScale: 1 })

export interface Trips {
  readonly wrapShards: NonNullable<NodeContext['wrapShards']>
  /** Resolves when every text has its answer; those that have none after a while are failures. */
  check(): Promise<Sample>
}

/**
 * A provider's call is answered once the answer to its text is at the provider, so as many people are in conversation
 * as the load has connections. `onTrip` gets the time of each trip.
 */
export function watchTrips(onTrip: (ms: number) => void): Trips {
  const waiting = new Map<string, () => void>()

  async function follow<Answer>(asid: string, commit: Promise<Answer>): Promise<Answer> {
    const delivered = new Promise<void>((resolve) => waiting.set(asid, resolve))
    const received = await commit
    if (isRefusal(received)) waiting.delete(asid)
    else {
      const receivedAt = performance.now()
      await delivered
      onTrip(performance.now() - receivedAt)
    }
    return received
  }

  function deliver(asid: string): void {
    waiting.get(asid)?.()
    waiting.delete(asid)
  }

  return {
    wrapShards: (shards) => ({
      ...shards,
      execute(owner, command, input, options) {
        if (command.name === sendOutcome.name) {
          const { outcome } = input as { readonly outcome: DeliveryOutcome }
          if (outcome.kind === 'sent') deliver(owner)
        }
        const pending = shards.execute(owner, command, input, options)
        return command.name === receiveInbound.name ? follow(owner, pending) : pending
      },
    }),
    async check() {
      const start = performance.now()
      while (waiting.size > 0 && performance.now() - start < answerMs) await sleep(1)
      const failures = waiting.size > 0 ? { 'never answered': waiting.size } : undefined
      waiting.clear()
      return { operations: 0, seconds: 0, failures: { ...failures }, bytes: 0, latencyMs: [], cpuMicros: 0 }
    },
  }
}

/** The provider of the campaign scenario: accepts everything at once and checks the order of arrival. */

import { conversationCommands } from '../../../runtime/conversation/commands.js'
import type { NodeContext } from '../../../runtime/node/compose.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import { shards as shardCount } from '../store/settings.js'

type Dispatched = Parameters<ReturnType<typeof conversationCommands>['sendOutcome']['decide']>[1]

const { openConversation, sendOutcome } = conversationCommands({ timeScale: 1 })

export interface Provider {
  readonly wrapShards: NonNullable<NodeContext['wrapShards']>
  /** Messages that arrive from now on are compared with this order of rows. */
  expect(rows: ReadonlyMap<string, number>): void
  /** Called for every message received, with the time since its conversation was opened. */
  onReceived?: (micros: number) => void
  readonly counts: { got: number; refused: number; outOfOrder: number }
}

/** Order holds within one shard; conversations of different shards do not wait for each other. */
export function createProvider(): Provider {
  const counts = { got: 0, refused: 0, outOfOrder: 0 }
  const openedAt = new Map<string, number>()
  let rows: ReadonlyMap<string, number> = new Map()
  let latest: number[] = []

  function got({ asid, outcome }: Dispatched): void {
    if (outcome.kind !== 'sent') {
      counts.refused++
      return
    }
    counts.got++
    const row = rows.get(asid) ?? 0
    const shard = shardOf(asid, shardCount)
    if (row < (latest[shard] ?? 0)) counts.outOfOrder++
    else latest[shard] = row
    provider.onReceived?.((performance.now() - (openedAt.get(asid) ?? 0)) * 1000)
    openedAt.delete(asid)
  }

  const provider: Provider = {
    counts,
    expect(expected) {
      rows = expected
      latest = []
    },
    wrapShards: (shards) => ({
      ...shards,
      execute(owner, command, input, options) {
        if (command.name === sendOutcome.name) got(input as Dispatched)
        if (command.name === openConversation.name) openedAt.set(owner, performance.now())
        return shards.execute(owner, command, input, options)
      },
    }),
  }
  return provider
}

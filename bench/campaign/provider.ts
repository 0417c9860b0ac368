/** The provider of the campaign scenario: takes as much as comes, and has what it got looked at in its order. */

import { conversationCommands } from '../../runtime/conversation/commands.js'
import type { Surroundings } from '../../runtime/node.js'
import { shardOf } from '../../runtime/shard/place.js'
import { shards as shardCount } from './setting.js'

type Dispatched = Parameters<ReturnType<typeof conversationCommands>['sendOutcome']['decide']>[1]

const { openConversation, sendOutcome } = conversationCommands({ timeScale: 1 })

export interface Provider {
  readonly between: NonNullable<Surroundings['between']>
  /** What is got from now on is compared with this order of rows. */
  expect(rows: ReadonlyMap<string, number>): void
  /** Told of everything that was got, with how long it was on its way. */
  onGot?: (micros: number) => void
  readonly counts: { got: number; refused: number; outOfOrder: number }
}

/** Order is that of one shard: conversations of different shards wait for nobody. */
export function openProvider(): Provider {
  const counts = { got: 0, refused: 0, outOfOrder: 0 }
  const opened = new Map<string, number>()
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
    provider.onGot?.((performance.now() - (opened.get(asid) ?? 0)) * 1000)
    opened.delete(asid)
  }

  const provider: Provider = {
    counts,
    expect(wanted) {
      rows = wanted
      latest = []
    },
    between: (shards) => ({
      ...shards,
      ask(owner, command, input, options) {
        if (command.name === sendOutcome.name) got(input as Dispatched)
        if (command.name === openConversation.name) opened.set(owner, performance.now())
        return shards.ask(owner, command, input, options)
      },
    }),
  }
  return provider
}

/** A command that counts, over a shard of its own: each answer says how many came before. */
import type { Command } from '../../../runtime/shard/contract.js'
import { table } from '../../../runtime/store/contract.js'

export const counts = table<[owner: string], number>('test.counts')

export const count: Command<null, number> = {
  name: 'test.count',
  decide(tx) {
    const next = (tx.get(counts, ['a']) ?? 0) + 1
    tx.put(counts, ['a'], next)
    return next
  },
}

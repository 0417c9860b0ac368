/** Shards that count the rows that queries read. */
import type { Query, Shards } from '../../../runtime/shard/contract.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import type { Reader } from '../../../runtime/store/contract.js'
import type { WorldNode } from '../../harness/world.js'

export function createCountedShards({ node: { engine, store }, shardCount }: WorldNode) {
  let readCount = 0
  const withCounter = (reader: Reader): Reader => ({
    get(...args) {
      readCount++
      return reader.get(...args)
    },
    *range(...args) {
      for (const row of reader.range(...args)) {
        readCount++
        yield row
      }
    },
  })
  const countRows = (shard: number, query: Query<never, unknown>, input: unknown) =>
    query.read(withCounter(store!.space(shard)), input as never)
  /** Reads what each query reads once more from the store, to count the rows. */
  const shards: Shards = {
    ...engine,
    query(owner, query, input) {
      countRows(shardOf(owner, shardCount), query, input)
      return engine.query(owner, query, input)
    },
    queryAll(query, input) {
      for (let shard = 0; shard < shardCount; shard++) countRows(shard, query, input)
      return engine.queryAll(query, input)
    },
  }
  return {
    shards,
    /** How many rows the queries of that call read. */
    async cost(runQuery: () => Promise<unknown>): Promise<number> {
      const before = readCount
      await runQuery()
      return readCount - before
    },
  }
}

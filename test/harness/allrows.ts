/** All rows of one table in a store, of every shard and owner. */
import type { Key, Row, Space, Store, Table } from '../../runtime/store/contract.js'
import { keyParts, tableOfKey } from '../../runtime/store/key.js'

export function allRows<K extends Key, V>(
  store: Pick<Store, 'space'>,
  shards: number,
  table: Table<K, V>,
): Row<K, V>[] {
  const spaces = Array.from({ length: shards }, (_, shard) => store.space(shard))
  return spaces.flatMap((space) => (table.isByOwner ? rowsOfAllOwners(space, table) : [...space.range(table)]))
}

function rowsOfAllOwners<K extends Key, V>(space: Space, table: Table<K, V>): Row<K, V>[] {
  const keys = space.rows(undefined, Number.POSITIVE_INFINITY).map(({ key }) => Buffer.from(key))
  return keys
    .filter((key) => tableOfKey(key) === table.name)
    .map((bytes) => keyParts(bytes) as unknown as K)
    .map((key) => ({ key, value: space.get(table, key)! }))
}

/** Table columns of shards and nodes. */
import type { ShardList, ShardRow } from '../node/system.js'
import { type Cell, type Column, formatTable } from './columns.js'
import type { Paint } from './terminal.js'

type NodeRow = ShardList['nodes'][number]

const shardColumns: readonly Column<ShardRow>[] = [
  { head: 'SHARD', isNumber: true, cell: ({ shard }) => shard },
  { head: 'OWNER', cell: ({ owner }) => (owner === undefined ? { text: '(none)', tone: 'alarm' } : owner) },
  { head: 'EPOCH', isNumber: true, cell: ({ epoch }) => epoch },
  { head: 'LAST COMMIT', isNumber: true, cell: ({ last }) => last },
  { head: 'PINNED', cell: pinnedCell },
  { head: 'COPIES', cell: copiesCell },
]

/** Columns of the node table. */
export const nodeColumns: readonly Column<NodeRow>[] = [
  { head: 'NODE', cell: ({ id }) => id },
  { head: 'ADDRESS', cell: ({ address, host }) => address ?? host ?? '' },
  { head: 'STATE', cell: stateCell },
  { head: 'ROLES', cell: ({ roles }) => roles.join(' ') },
]

/** The node table, then the shard table. */
export function shardLines({ data, nodes }: ShardList, paint: Paint): string[] {
  return [...nodeTable(data, nodes, paint), '', ...shardTable(data, paint)]
}

export function shardTable(rows: readonly ShardRow[], paint: Paint): string[] {
  return formatTable(shardColumns, rows, paint)
}

function nodeTable(data: readonly ShardRow[], nodes: readonly NodeRow[], paint: Paint): string[] {
  const owned = countByName(data.flatMap(({ owner }) => owner ?? []))
  const copied = countByName(data.flatMap(({ owner, copies }) => Object.keys(copies).filter((node) => node !== owner)))
  const [node, host, ...rest] = nodeColumns
  const shares: readonly Column<NodeRow>[] = [
    { head: 'OWNS', isNumber: true, cell: ({ id }) => owned.get(id) ?? 0 },
    { head: 'COPIES', isNumber: true, cell: ({ id }) => copied.get(id) ?? 0 },
  ]
  return formatTable([node!, host!, ...shares, ...rest], nodes, paint)
}

function countByName(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function stateCell({ leaving, keepsShards, roles }: NodeRow): Cell {
  if (leaving) return { text: 'leaving', tone: 'warning' }
  if (roles.includes('shards') && !keepsShards) return { text: 'cannot write', tone: 'alarm' }
  return { text: 'up' }
}

function pinnedCell({ owner, pinned = '' }: ShardRow): Cell {
  return { text: pinned, tone: pinned !== '' && pinned !== owner ? 'warning' : undefined }
}

function copiesCell({ owner, last, copies }: ShardRow): Cell {
  const others = Object.entries(copies).filter(([node]) => node !== owner)
  const isBehind = others.some(([, number]) => number < last)
  const text = others.map(([node, number]) => (number < last ? `${node} (${last - number} behind)` : node)).join(', ')
  return { text, tone: isBehind ? 'warning' : undefined }
}

/** Records that a node writes for some work, by table and size: the limits of the bench write as many. */
import { type GatewayOptions, openGateway } from '../../bench/scenarios/messages/gateway.js'
import { greetAll, sleep } from '../../bench/scenarios/messages/phones.js'
import type { RecordWrite } from '../../bench/scenarios/messages/records.js'
import type { RecordKey } from '../../bench/scenarios/store/keys.js'
import { shards } from '../../bench/scenarios/store/settings.js'
import {
  conversationTable,
  eventTable,
  type LogRecord,
  logTable,
  messageTable,
  providerIdTable,
  seenTable,
  trafficTable,
} from '../../runtime/conversation/tables.js'
import { shardOf } from '../../runtime/shard/placement.js'
import type { Table } from '../../runtime/store/contract.js'
import { encodeWrites } from '../../runtime/store/space.js'
import { playTable } from '../../runtime/turn/state.js'
import { type StoredTurn, turnTable } from '../../runtime/turn/tables.js'

const tables = [
  ...[conversationTable, messageTable, providerIdTable, seenTable, trafficTable],
  ...[eventTable, logTable, playTable, turnTable],
] as unknown as Table<never, unknown>[]

export type Shape = readonly [table: string, keyBytes: number, valueBytes: number]

function shapeOf(of: Table<never, unknown>, key: RecordKey, value: unknown): Shape {
  const [row] = encodeWrites([{ table: of, key, value: withoutTimes(of.name, value) } as never])
  return [of.name, row!.key.length, row!.value!.length]
}

/** How long something took on this machine changes the size of its record by some bytes. */
function withoutTimes(name: string, value: unknown): unknown {
  if (name === turnTable.name) return { ...(value as StoredTurn), took: {} }
  const { data } = value as LogRecord
  return name === logTable.name && data ? { ...(value as LogRecord), data: { ...data, ms: 0 } } : value
}

/** The records that remain after these writes, of the tables of conversations. */
export function shapesOf(writes: readonly RecordWrite[]): Shape[] {
  const remaining = new Map(writes.map((write) => [JSON.stringify(write[0]), write]))
  const shapes = [...remaining.values()].flatMap(([key, value]): Shape[] => {
    if (value === undefined) return []
    const [owner, name, ...rest] = key[0] === '~' ? key.slice(1) : [undefined, ...key]
    if (name === 'shard.outbox') return []
    const of = tables.find((each) => each.name === name)
    if (!of) throw new Error(`a node has no table ${name}`)
    return [shapeOf(of, (owner === undefined ? rest : [owner, ...rest]) as RecordKey, value)]
  })
  return shapes.sort()
}

type Gateway = Awaited<ReturnType<typeof openGateway>>
type Work = (gateway: Gateway, asid: string, isDelivered: () => boolean) => Promise<void>

/** Runs a node with one known person, and gives the shapes of its records that this work wrote or changed. */
export async function shapesWrittenBy(work: Work, options: GatewayOptions = {}) {
  let asid = ''
  let isDelivered = false
  const gateway = await openGateway({
    ...options,
    wrapShards: (inner) => ({
      ...inner,
      async execute(owner, command, input, options) {
        if (command.name === 'conversation.receiveInbound') asid = owner
        const answer = await inner.execute(owner, command, input, options)
        if (command.name === 'conversation.sendOutcome') isDelivered = true
        return answer
      },
    }),
  })
  await greetAll(gateway.phones, 1)
  // A managed agent answers the greeting.
  while (options.document && !isDelivered) await sleep(5)
  const before = rowsOf(gateway, asid)
  isDelivered = false
  await work(gateway, asid, () => isDelivered)
  const after = rowsOf(gateway, asid)
  await gateway.stop()
  // A turn writes its play also when it is as before.
  const changed = [...after].filter(
    ([name, { of, value }]) =>
      of.name === playTable.name || JSON.stringify(before.get(name)?.value) !== JSON.stringify(value),
  )
  return { asid, shapes: changed.map(([, { of, key, value }]) => shapeOf(of, key, value)).sort() }
}

function rowsOf({ store }: Gateway, asid: string) {
  const space = store.space(shardOf(asid, shards))
  const rows = new Map<string, { of: Table<never, unknown>; key: RecordKey; value: unknown }>()
  for (const of of tables) {
    for (const { key, value } of space.range(of, { prefix: (of.isByOwner ? [asid] : []) as never })) {
      rows.set(JSON.stringify([of.name, key]), { of, key: key as unknown as RecordKey, value })
    }
  }
  return rows
}

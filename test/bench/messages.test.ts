/** The limits of the messages and ingress scenarios write the records of the sizes that a node writes. */
import { dirname } from 'node:path'
import t from 'tap'
import { messageText as inboundText } from '../../bench/scenarios/ingress/fixtures.js'
import { recordsOf } from '../../bench/scenarios/ingress/records.js'
import { messageText } from '../../bench/scenarios/messages/fixtures.js'
import { createSendLoad, openGateway } from '../../bench/scenarios/messages/gateway.js'
import { addressOf, greetAll, sendTexts, sleep } from '../../bench/scenarios/messages/phones.js'
import { commitsOf } from '../../bench/scenarios/messages/records.js'
import type { RecordKey } from '../../bench/scenarios/store/keys.js'
import { shards } from '../../bench/scenarios/store/settings.js'
import {
  conversationTable,
  messageTable,
  providerIdTable,
  seenTable,
  trafficTable,
} from '../../runtime/conversation/tables.js'
import { shardOf } from '../../runtime/shard/placement.js'
import type { Table } from '../../runtime/store/contract.js'
import { openStore } from '../../runtime/store/lmdb.js'
import { encodeWrites } from '../../runtime/store/space.js'

const tables = [conversationTable, messageTable, providerIdTable, seenTable, trafficTable] as unknown as Table<
  never,
  unknown
>[]

type Shape = readonly [table: string, keyBytes: number, valueBytes: number]

function shapeOf(of: Table<never, unknown>, key: RecordKey, value: unknown): Shape {
  const [row] = encodeWrites([{ table: of, key, value } as never])
  return [of.name, row!.key.length, row!.value!.length]
}

/** The limit's records that remain after its commits, of the tables of conversations. */
function shapesOf(writes: readonly (readonly [key: RecordKey, value?: object])[]): Shape[] {
  const remaining = new Map(writes.map((write) => [JSON.stringify(write[0]), write]))
  const shapes = [...remaining.values()].flatMap(([key, value]): Shape[] => {
    if (value === undefined) return []
    const [owner, name, ...rest] = key[0] === '~' ? key.slice(1) : [undefined, ...key]
    const of = tables.find((each) => each.name === name)
    if (!of) throw new Error(`a node has no table ${name}`)
    return [shapeOf(of, (owner === undefined ? rest : [owner, ...rest]) as RecordKey, value)]
  })
  return shapes.sort()
}

/** Runs a node with one known person, and gives the shapes of its records that this work wrote or changed. */
async function shapesWrittenBy(
  work: (gateway: Awaited<ReturnType<typeof openGateway>>, asid: string, delivered: () => boolean) => Promise<void>,
): Promise<{ readonly asid: string; readonly shapes: Shape[] }> {
  let asid = ''
  let isDelivered = false
  const gateway = await openGateway({
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
  await work(gateway, asid, () => isDelivered)
  await gateway.stop()
  const store = await openStore({ dir: dirname(gateway.dataFile), shards, durability: 'synced' })
  const space = store.space(shardOf(asid, shards))
  const shapes: Shape[] = []
  for (const of of tables) {
    for (const { key, value } of space.range(of, { prefix: (of.isByOwner ? [asid] : []) as never })) {
      const parts = key as unknown as RecordKey
      const isGreeting = parts.at(-1) === `first-${addressOf(0)}` || (of.name === 'traffic' && parts.at(-1) === 1)
      if (!isGreeting) shapes.push(shapeOf(of, parts, value))
    }
  }
  await store.close()
  return { asid, shapes: shapes.sort() }
}

t.beforeEach((t) => {
  process.env.BENCH_SCRATCH = t.testdir()
})

t.test('The limit of messages keeps as many records of the same sizes as a node does for a message', async (t) => {
  const { asid, shapes } = await shapesWrittenBy(async (gateway, asid, isDelivered) => {
    const { request } = createSendLoad(gateway, [asid], messageText)
    const { headers, body } = request!
    const answer = await fetch(`${gateway.url}${request!.path}`, { method: 'POST', headers, body: body! })
    t.equal(answer.status, 200)
    while (!isDelivered()) await sleep(5)
  })
  const { accepted, handedOver } = commitsOf(1, Date.now(), asid)
  t.same(shapes, shapesOf([...accepted, ...handedOver]))
  t.equal(shapes.length, 5)
})

t.test('The limit of ingress writes as many records of the same sizes as a node does for a text', async (t) => {
  const { asid, shapes } = await shapesWrittenBy(async ({ phones }) => {
    const id = `SM${'1'.padStart(32, '0')}`
    await sendTexts(phones, [{ id, from: addressOf(0), text: inboundText }])
  })
  t.same(shapes, shapesOf(recordsOf(1, Date.now(), asid)))
  t.equal(shapes.length, 3)
})

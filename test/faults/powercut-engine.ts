/** The embedded engine under power cuts: commands that count, remember their answers and emit one effect each. */
import { systemClock } from '../../runtime/clock.js'
import type { Log } from '../../runtime/observe/log.js'
import type { Command, EffectHandler, Engine, Query } from '../../runtime/shard/contract.js'
import { openEmbedded } from '../../runtime/shard/embedded.js'
import { type Store, table } from '../../runtime/store/contract.js'
import { openStore } from '../../runtime/store/lmdb.js'
import { type Ack, ackedBy, type Subject, writers } from './powercut-work.js'

const shards = 3
/** Long enough for any machine: an effect not performed by then counts as lost. */
const pendingMs = 60_000

interface Noted {
  readonly writer: number
  readonly n: number
}

const counter = table<[owner: string], number>('counter')
const history = table<[owner: string, n: number], string>('history')
const ownerOf = (writer: number) => `writer-${writer}`
const commandIdOf = (writer: number, n: number) => `${ownerOf(writer)}-${n}`

const count: Command<{ writer: number }, number> = {
  name: 'count',
  decide(tx, { writer }, meta) {
    const owner = ownerOf(writer)
    const n = (tx.get(counter, [owner]) ?? 0) + 1
    tx.put(counter, [owner], n)
    tx.put(history, [owner, n], meta.commandId)
    tx.emit({ kind: 'note', payload: { writer, n } satisfies Noted })
    return n
  },
}

const counted: Query<{ owner: string }, { n: number; ids: string[] }> = {
  name: 'counted',
  read: (reader, { owner }) => ({
    n: reader.get(counter, [owner]) ?? 0,
    ids: Array.from(reader.range(history, { prefix: [owner] }), (row) => row.value),
  }),
}

async function openEngine(dir: string, noted: (note: Noted) => void): Promise<{ engine: Engine; store: Store }> {
  const store = await openStore({ dir, shards })
  const note: EffectHandler = async (payload: never) => noted(payload)
  const engine = openEmbedded({
    store,
    shards,
    clock: systemClock,
    log: silent,
    newCommandId: () => {
      throw new Error('every command here has an id of its own')
    },
    handlers: { commands: [count], queries: [counted], effectHandlers: () => ({ note }) },
  })
  return { engine, store }
}

const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
}

const read = async (engine: Engine, writer: number) =>
  (await engine.query(ownerOf(writer), counted, { owner: ownerOf(writer) })) as { n: number; ids: string[] }

export const embeddedEngine: Subject = {
  async work(dir, acknowledge, commands) {
    const { engine, store } = await openEngine(dir, (note) => acknowledge({ did: 'performed', ...note }))
    await engine.start()
    const writing = Array.from({ length: writers }, async (_, writer) => {
      const { n: before } = await read(engine, writer)
      acknowledge({ did: 'opened', writer, n: before })
      for (let n = before + 1; n <= before + commands; n++) {
        const answer = await engine.execute(ownerOf(writer), count, { writer }, { id: commandIdOf(writer, n) })
        if (answer !== n) throw new Error(`command ${n} of writer ${writer} was answered ${JSON.stringify(answer)}`)
        acknowledge({ did: 'committed', writer, n })
      }
    })
    await Promise.all(writing)
    return async () => {
      await engine.stop()
      await store.close()
    }
  },

  async check(dir, acks) {
    const performed = new Set<string>()
    const seen = ({ writer, n }: Noted) => performed.add(commandIdOf(writer, n))
    for (const ack of acks) if (ack.did === 'performed') seen(ack)
    const { engine, store } = await openEngine(dir, seen)
    try {
      return await problemOfEngine(engine, acks, performed)
    } finally {
      await engine.stop()
      await store.close()
    }
  },
}

async function problemOfEngine(engine: Engine, acks: readonly Ack[], performed: ReadonlySet<string>) {
  await engine.start()
  for (const [writer, { last: acked, lost }] of ackedBy(acks).entries()) {
    if (lost > 0) return `writer ${writer} had lost ${lost} commands already when the data was opened again`
    const { n, ids } = await read(engine, writer)
    if (n < acked || n > acked + 1) return `writer ${writer} is at ${n}, and ${acked} commands were acknowledged`
    const expected = Array.from({ length: n }, (_, at) => commandIdOf(writer, at + 1))
    if (String(ids) !== String(expected)) return `writer ${writer} is at ${n}, but its history is ${ids}`
    if (acked > 0) {
      const repeated = await engine.execute(ownerOf(writer), count, { writer }, { id: commandIdOf(writer, acked) })
      if (repeated !== acked)
        return `command ${acked} of writer ${writer}, asked again, was answered ${JSON.stringify(repeated)}`
      if ((await read(engine, writer)).n !== n)
        return `command ${acked} of writer ${writer}, asked again, counted again`
    }
    const giveUpAt = Date.now() + pendingMs
    for (const id of expected) {
      while (!performed.has(id)) {
        if (Date.now() > giveUpAt) return `the effect of ${id} was committed and never performed`
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
  }
  return undefined
}

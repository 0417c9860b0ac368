/**
 * The data of nodes under fault: books. An entry is written with a counter, an effect to the test's receiver, a timer
 * that marks the entry later, and a command to the book's mirror in another shard, so every loss or repetition is
 * visible.
 */
import Type, { type Static } from 'typebox'
import { isRefusal } from '../../core/errors.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Command, EffectHandler, Engine, Handlers, Query, Shards, Tx } from '../../runtime/shard/contract.js'
import { shardOf } from '../../runtime/shard/placement.js'
import { table } from '../../runtime/store/contract.js'

const closed = { additionalProperties: false } as const

export const Entry = Type.Object(
  {
    value: Type.String(),
    /** The attempt of its writer that was decided. */
    attempt: Type.Integer(),
    /** How often its timer has fired. */
    marks: Type.Integer(),
  },
  closed,
)
export type Entry = Static<typeof Entry>

const Book = Type.Object({ count: Type.Integer(), entries: Type.Array(Entry) }, closed)
export type Book = Static<typeof Book>

const BookView = Type.Object({ count: Type.Integer(), entry: Type.Optional(Entry) }, closed)
export type BookView = Static<typeof BookView>

const Written = Type.Object({ place: Type.Integer(), attempt: Type.Integer() }, closed)
export type Written = Static<typeof Written>

const NodeStatus = Type.Object(
  {
    node: Type.String(),
    shards: Type.Array(Type.Object({ shard: Type.Integer(), part: Type.String(), epoch: Type.Integer() }, closed)),
  },
  closed,
)
export type NodeStatus = Static<typeof NodeStatus>

/** The request that the test's receiver gets for each entry. */
export interface EffectPayload {
  readonly id: string
  readonly book: string
  readonly index: number
  readonly value: string
  readonly node: string
  /** The epoch of the shard that the posting node knew when the effect began. */
  readonly shard: number
  readonly part: string
  readonly epoch: number
}

export function mirrorOf(book: string): string {
  return `mirror-${book}`
}

const countTable = table<[book: string], number>('faults.count')
const entryTable = table<[book: string, place: number], Entry>('faults.entry')

const markAfterMs = 700
const effectKind = 'faults.post'

function write(tx: Tx, book: string, entry: Entry): number {
  const index = (tx.get(countTable, [book]) ?? 0) + 1
  tx.put(countTable, [book], index)
  tx.put(entryTable, [book, index], entry)
  return index
}

interface EntryInput {
  readonly book: string
  readonly value: string
  readonly attempt: number
}

const add: Command<EntryInput, Written> = {
  name: 'faults.add',
  decide(tx, { book, value, attempt }, meta) {
    const index = write(tx, book, { value, attempt, marks: 0 })
    tx.emit({ kind: effectKind, payload: { book, index, value } })
    tx.send(mirrorOf(book), mirrorEntry, { book: mirrorOf(book), value })
    const timer = { name: `mark ${index}`, command: mark.name, input: { book, index } }
    tx.schedule({ ...timer, dueAt: meta.at + markAfterMs })
    return { place: index, attempt }
  },
}

const mirrorEntry: Command<{ readonly book: string; readonly value: string }, null> = {
  name: 'faults.hear',
  decide(tx, { book, value }) {
    write(tx, book, { value, attempt: 1, marks: 0 })
    return null
  },
}

const mark: Command<{ readonly book: string; readonly index: number }, null> = {
  name: 'faults.mark',
  decide(tx, { book, index }) {
    const entry = tx.get(entryTable, [book, index])!
    tx.put(entryTable, [book, index], { ...entry, marks: entry.marks + 1 })
    return null
  },
}

const readBook: Query<{ readonly book: string; readonly index: number }, BookView> = {
  name: 'faults.look',
  read(reader, { book, index }) {
    return { count: reader.get(countTable, [book]) ?? 0, entry: reader.get(entryTable, [book, index]) }
  },
}

export const all: Query<{ readonly book: string }, Book> = {
  name: 'faults.all',
  read(reader, { book }) {
    const entries = [...reader.range(entryTable, { prefix: [book] })].map(({ value }) => value)
    return { count: reader.get(countTable, [book]) ?? 0, entries }
  },
}

export interface BookDeps {
  /** The base URL of the test for this node. */
  readonly name: string
  readonly receiver: string
  readonly shards: number
  readonly engine: () => Pick<Engine, 'inspect'> & Shards
  /** Delays effect handlers until this resolves; they then go on even if the shard has moved. */
  readonly delay?: () => Promise<void>
}

export function bookHandlers({ name, receiver, shards, engine, delay }: BookDeps): Handlers {
  const post: EffectHandler = async (
    payload: Pick<EffectPayload, 'book' | 'index' | 'value'>,
    { id, owner, signal },
  ) => {
    const shard = shardOf(owner, shards)
    const { role: part = 'none', epoch = 0 } =
      engine()
        .inspect()
        .shards.find((each) => each.shard === shard) ?? {}
    const body = JSON.stringify({ ...payload, id, node: name, shard, part, epoch } satisfies EffectPayload)
    await delay?.()
    const answer = await fetch(receiver, { method: 'POST', body, signal: delay ? undefined : signal })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`the receiver answered ${answer.status}`)
  }
  return {
    commands: [add, mirrorEntry, mark],
    queries: [readBook, all],
    effectHandlers: () => ({ [effectKind]: post }),
  }
}

const common = { plane: 'mgmt', tag: 'Faults', access: { who: 'any', scopes: [] } } as const

export function bookRoutes({ name, engine }: Pick<BookDeps, 'name' | 'engine'>): Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/books/{book}',
      summary: 'Writes an entry, once however often it is asked under one id',
      body: Type.Object(
        { value: Type.String(), attempt: Type.Integer(), id: Type.Optional(Type.String({ minLength: 1 })) },
        closed,
      ),
      reply: { 200: Written },
      async handler({ params: { book }, body: { value, attempt, id } }) {
        const written = await engine().execute(book, add, { book, value, attempt }, { id })
        return isRefusal(written) ? written : json(200, written)
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/books/{book}',
      summary: 'The whole book',
      reply: { 200: Book },
      async handler({ params: { book } }) {
        const contents = await engine().query(book, all, { book })
        return isRefusal(contents) ? contents : json(200, contents)
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/books/{book}/{place}',
      summary: 'One entry',
      reply: { 200: BookView },
      async handler({ params: { book, place: index } }) {
        const contents = await engine().query(book, readBook, { book, index: Number(index) })
        return isRefusal(contents) ? contents : json(200, contents)
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/about',
      summary: 'Who this is and what it has of each shard',
      access: { who: 'public' },
      reply: { 200: NodeStatus },
      handler() {
        const shards = engine()
          .inspect()
          .shards.map(({ shard, role: part, epoch }) => ({ shard, part, epoch }))
        return json(200, { node: name, shards })
      },
    }),
  ]
}

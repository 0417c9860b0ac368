/**
 * The commands of the simulated clients. Each append leaves the same value in several places (a list, a counter, its
 * own mark, an effect, another owner's list, a timer), so that a lost, repeated or reordered part is visible.
 */
import { type Refusal, refuse } from '../../../core/errors.js'
import { runToEnd, type Steps } from '../../../core/steps.js'
import type { Command, CommandMeta, Query, Tx } from '../../../runtime/shard/contract.js'
import { outboxTable, timerNameTable } from '../../../runtime/shard/tables.js'
import { type Reader, table } from '../../../runtime/store/contract.js'

export const lists = table<[owner: string], readonly string[]>('sim.list')
export const counts = table<[owner: string], number>('sim.count')
export const marks = table<[owner: string, value: string], { at: number; pad: string }>('sim.mark')
export const messagesTable = table<[owner: string], readonly string[]>('sim.told')
export const reports = table<[owner: string], readonly string[]>('sim.report')
export const fireds = table<[owner: string], readonly Fired[]>('sim.fired')
export const idles = table<[owner: string], Idle>('sim.idle')

export interface Fired {
  readonly value: string
  readonly dueAt: number
  readonly at: number
}

/** A timer that is replaced again and again: only its last setting may fire. */
export interface Idle {
  readonly generation: number
  readonly waits: boolean
  readonly fired: readonly number[]
  /** Generations whose timer fired although it had been replaced or cancelled. */
  readonly wrongly: readonly number[]
}

export interface AppendInput {
  readonly owner: string
  readonly value: string
  /** Destinations of its effects, one effect each. */
  readonly destinations: readonly string[]
  readonly sendTo?: string
  readonly timerInMs?: number
  readonly pad: number
}

export interface Appended {
  /** Its position in the list, from 1. */
  readonly count: number
  readonly minted: string
  readonly at: number
}

export interface Delivery {
  readonly owner: string
  readonly value: string
  readonly index: number
  readonly destination: string
}

export const deliverKind = 'sim.deliver'

function* appendInSteps(
  tx: Tx,
  { owner, value, destinations, sendTo, timerInMs, pad }: AppendInput,
  meta: CommandMeta,
): Steps<Appended> {
  const count = (tx.get(counts, [owner]) ?? 0) + 1
  const values = [...(tx.get(lists, [owner]) ?? []), value]
  yield
  tx.put(lists, [owner], values)
  yield
  tx.put(counts, [owner], count)
  tx.put(marks, [owner, value], { at: meta.at, pad: 'x'.repeat(pad) })
  destinations.forEach((destination, index) => {
    tx.emit({ kind: deliverKind, payload: { owner, value, index, destination } satisfies Delivery, destination })
  })
  yield
  if (sendTo !== undefined) tx.send(sendTo, recordMessage, { owner: sendTo, value })
  if (timerInMs !== undefined) {
    const dueAt = meta.at + timerInMs
    tx.schedule({ name: value, dueAt, command: fire.name, input: { owner, value, dueAt }, isDelay: true })
  }
  return { count, minted: meta.mint('sim'), at: meta.at }
}

/** Some of them take long. */
const inSteps = { isFor: ({ value }: { readonly value: string }) => /[05]$/.test(value) }

export const append: Command<AppendInput, Appended> = {
  name: 'sim.append',
  decide: (tx, input, meta) => runToEnd(appendInSteps(tx, input, meta)),
  inSteps: { ...inSteps, decide: appendInSteps },
}

export const recordMessage: Command<{ owner: string; value: string }, true> = {
  name: 'sim.receive',
  decide(tx, { owner, value }) {
    tx.put(messagesTable, [owner], [...(tx.get(messagesTable, [owner]) ?? []), value])
    return true
  },
}

export const fire: Command<{ owner: string; value: string; dueAt: number }, true> = {
  name: 'sim.fire',
  decide(tx, { owner, value, dueAt }, meta) {
    tx.put(fireds, [owner], [...(tx.get(fireds, [owner]) ?? []), { value, dueAt, at: meta.at }])
    return true
  },
}

/** The report of an effect handler after its effect was delivered. */
export const report: Command<Delivery, true> = {
  name: 'sim.report',
  decide(tx, { owner, value, index }) {
    tx.put(reports, [owner], [...(tx.get(reports, [owner]) ?? []), `${value}/${index}`])
    return true
  },
}

const untouched: Idle = { generation: 0, waits: false, fired: [], wrongly: [] }

/** Postpones the idle timer, or cancels it. */
export const touch: Command<{ owner: string; inMs?: number }, number> = {
  name: 'sim.touch',
  decide(tx, { owner, inMs }, meta) {
    const idle = tx.get(idles, [owner]) ?? untouched
    const generation = idle.generation + 1
    tx.put(idles, [owner], { ...idle, generation, waits: inMs !== undefined })
    if (inMs === undefined) tx.unschedule('idle')
    else tx.schedule({ name: 'idle', dueAt: meta.at + inMs, command: rest.name, input: { owner, generation } })
    return generation
  },
}

export const rest: Command<{ owner: string; generation: number }, true> = {
  name: 'sim.rest',
  decide(tx, { owner, generation }) {
    const idle = tx.get(idles, [owner]) ?? untouched
    const isRight = idle.waits && idle.generation === generation
    tx.put(idles, [owner], {
      ...idle,
      waits: isRight ? false : idle.waits,
      fired: [...idle.fired, generation],
      wrongly: isRight ? idle.wrongly : [...idle.wrongly, generation],
    })
    return true
  },
}

/** Writes everywhere, then throws or refuses: none of the writes may stay. */
export const poison: Command<Poison, true> = {
  name: 'sim.poison',
  decide: (tx, input, meta) => runToEnd(poisonInSteps(tx, input, meta)),
  inSteps: { ...inSteps, decide: poisonInSteps },
}

interface Poison {
  readonly owner: string
  readonly value: string
  readonly how: 'throw' | 'refuse'
}

function* poisonInSteps(tx: Tx, { owner, value, how }: Poison, meta: CommandMeta): Steps<Refusal> {
  yield* appendInSteps(tx, { owner, value, destinations: ['d0'], sendTo: owner, timerInMs: 1, pad: 0 }, meta)
  yield
  if (how === 'throw') throw new Error('the simulated command is poisonous')
  return refuse('resource.not_found')
}

export interface Listed {
  readonly values: readonly string[]
  readonly count: number
  readonly marks: number
}

export const list: Query<{ owner: string }, Listed> = {
  name: 'sim.list',
  read: (reader, { owner }) => readList(reader, owner),
}

function readList(reader: Reader, owner: string): Listed {
  return {
    values: reader.get(lists, [owner]) ?? [],
    count: reader.get(counts, [owner]) ?? 0,
    marks: [...reader.range(marks, { prefix: [owner] })].length,
  }
}

/** The lists of every owner in a shard. */
export const everything: Query<null, Readonly<Record<string, Listed>>> = {
  name: 'sim.everything',
  read(reader) {
    const owners = [...reader.range(counts)].map(({ key }) => key[0])
    return Object.fromEntries(owners.map((owner) => [owner, readList(reader, owner)]))
  },
}

export interface OwnerState extends Listed {
  readonly meta: readonly string[]
  readonly reports: readonly string[]
  readonly fired: readonly Fired[]
  readonly idle?: Idle
  /** Names of stored timers, and when they are due. */
  readonly timers: Readonly<Record<string, number>>
  /** Pending effects of the whole shard. */
  readonly pendingEffects: number
}

export const readOwner: Query<{ owner: string }, OwnerState> = {
  name: 'sim.whole',
  read(reader, { owner }) {
    const timers = [...reader.range(timerNameTable, { prefix: [owner] })]
    return {
      ...readList(reader, owner),
      meta: reader.get(messagesTable, [owner]) ?? [],
      reports: reader.get(reports, [owner]) ?? [],
      fired: reader.get(fireds, [owner]) ?? [],
      idle: reader.get(idles, [owner]),
      timers: Object.fromEntries(timers.map(({ key, value }) => [key[1], value])),
      pendingEffects: [...reader.range(outboxTable)].length,
    }
  },
}

export const commands = [append, recordMessage, fire, report, touch, rest, poison] as readonly Command<never, unknown>[]
export const queries = [list, everything, readOwner] as readonly Query<never, unknown>[]

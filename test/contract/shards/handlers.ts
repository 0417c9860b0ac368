/**
 * Commands and queries that the suite asks: a script in data, so that a test says what a command does where it asks for
 * it.
 */
import { type Refusal, refuse } from '../../../core/errors.js'
import type {
  Command,
  CommandMeta,
  EffectHandler,
  Handlers,
  Query,
  Shards,
  Tx,
} from '../../../runtime/shard/contract.js'
import { table } from '../../../runtime/store/contract.js'
import type { EngineFixture } from './fixture.js'

export const journals = table<[owner: string, place: number], string>('test.journal')
export const notes = table<[owner: string, note: string], string>('test.note')
export const counters = table<[owner: string], number>('test.counter')

/** What one command does, step by step. */
export type Step =
  | { readonly write: string }
  | { readonly note: string; readonly text: string }
  | { readonly count: number }
  | { readonly effect: unknown; readonly kind?: string; readonly to?: string }
  | { readonly tell: string; readonly run: readonly Step[] }
  | (Later & { readonly inMs: number })
  | (Later & { readonly dueAt: number })
  | { readonly unschedule: string }
  | { readonly unstorable: keyof typeof unstorable }
  | { readonly refuse: string }
  | { readonly throw: string }

interface Later {
  readonly later: string
  readonly isFirm?: true
  readonly isDelay?: true
  readonly run: readonly Step[]
  readonly command?: string
}

export interface Script {
  readonly owner: string
  readonly run: readonly Step[]
}

/** The context that the command got, and its result. */
export interface Acted {
  readonly place: number
  readonly counted: number
  readonly at: number
  readonly commandId: string
  readonly by?: CommandMeta['by']
  readonly minted: readonly string[]
}

/** Ways to write what cannot be kept. */
const unstorable = {
  'a key that is too long': (tx, owner) => tx.put(notes, [owner, 'x'.repeat(5_000)], ''),
  'a key with no number in it': (tx, owner) => tx.put(journals, [owner, Number.NaN], ''),
  'a record that is a function': (tx, owner) => tx.put(notes, [owner, 'function'], (() => {}) as never),
  'a record with a date': (tx, owner) => tx.put(notes, [owner, 'date'], { at: new Date(0) } as never),
  'a record that holds itself': (tx, owner) => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    tx.put(notes, [owner, 'circle'], circle as never)
  },
  'an effect that carries a map': (tx) => tx.emit({ kind: 'deliver', payload: new Map() }),
  'an effect to a place with too long a name': (tx) =>
    tx.emit({ kind: 'deliver', payload: 1, destination: 'x'.repeat(5_000) }),
  'a timer that carries a symbol': (tx) =>
    tx.schedule({ name: 'symbol', dueAt: 0, command: act.name, input: Symbol('no') }),
  'a timer at no time': (tx) => tx.schedule({ name: 'never', dueAt: Number.NaN, command: act.name, input: null }),
} satisfies Record<string, (tx: Tx, owner: string) => void>
export const unstorableWays = Object.keys(unstorable) as (keyof typeof unstorable)[]

export const act: Command<Script, Acted> = {
  name: 'test.act',
  decide(tx, { owner, run }, meta) {
    for (const step of run) {
      const refusal = doStep(tx, owner, step, meta)
      if (refusal) return refusal
    }
    return {
      place: lastPosition(tx, owner),
      counted: tx.get(counters, [owner]) ?? 0,
      at: meta.at,
      commandId: meta.commandId,
      by: meta.by,
      minted: [meta.mint('one'), meta.mint('one'), meta.mint('two')],
    }
  },
}

function doStep(tx: Tx, owner: string, step: Step, meta: CommandMeta): Refusal | undefined {
  if ('write' in step) tx.put(journals, [owner, lastPosition(tx, owner) + 1], step.write)
  else if ('note' in step) tx.put(notes, [owner, step.note], step.text)
  else if ('count' in step) tx.put(counters, [owner], (tx.get(counters, [owner]) ?? 0) + step.count)
  else if ('effect' in step) tx.emit({ kind: step.kind ?? 'deliver', payload: step.effect, destination: step.to })
  else if ('tell' in step) tx.send(step.tell, act, { owner: step.tell, run: step.run })
  else if ('later' in step) {
    const { later: name, run, command = act.name, isFirm, isDelay } = step
    const dueAt = 'dueAt' in step ? step.dueAt : meta.at + step.inMs
    tx.schedule({
      name,
      dueAt,
      command,
      input: { owner, run },
      ...(isFirm && { noReplace: isFirm }),
      ...(isDelay && { isDelay }),
    })
  } else if ('unschedule' in step) tx.unschedule(step.unschedule)
  else if ('unstorable' in step) unstorable[step.unstorable](tx, owner)
  else if ('refuse' in step) return refuse('resource.not_found', { detail: step.refuse })
  else throw new Error(step.throw)
  return undefined
}

function lastPosition(tx: Pick<Tx, 'range'>, owner: string): number {
  for (const { key } of tx.range(journals, { prefix: [owner], reverse: true, limit: 1 })) return key[1]
  return 0
}

/** Answers what it was asked. */
export const echo: Command<{ readonly value: unknown }, { readonly value: unknown }> = {
  name: 'test.echo',
  decide: (_tx, input) => input,
}

export const unregistered: Command<Script, Acted> = { ...act, name: 'test.unregistered' }

export interface Seen {
  readonly journal: readonly string[]
  readonly notes: Readonly<Record<string, string>>
  readonly counted: number
}

export const seen: Query<string, Seen> = {
  name: 'test.seen',
  read: (reader, owner) => ({
    journal: [...reader.range(journals, { prefix: [owner] })].map(({ value }) => value),
    notes: Object.fromEntries([...reader.range(notes, { prefix: [owner] })].map(({ key, value }) => [key[1], value])),
    counted: reader.get(counters, [owner]) ?? 0,
  }),
}

/** Every counter of a shard. */
export const counted: Query<null, Readonly<Record<string, number>>> = {
  name: 'test.counted',
  read: (reader) => Object.fromEntries([...reader.range(counters)].map(({ key, value }) => [key[0], value])),
}

/** Refuses, throws, or answers what it was asked, as its input says. */
export const odd: Query<
  { readonly refuse?: string; readonly throw?: string; readonly value?: unknown; readonly map?: true },
  unknown
> = {
  name: 'test.odd',
  read(_reader, input) {
    if (input.refuse !== undefined) return refuse('resource.not_found', { detail: input.refuse })
    if (input.throw !== undefined) throw new Error(input.throw)
    return input.map ? new Map([[1, 1]]) : { value: input.value }
  },
}

export function testHandlers(
  effectHandlers: (shards: Shards) => Readonly<Record<string, EffectHandler>> = () => ({ deliver: async () => {} }),
  more: Partial<Pick<Handlers, 'commands' | 'queries'>> = {},
): Handlers {
  return {
    commands: [...([act, echo] as readonly Command<never, unknown>[]), ...(more.commands ?? [])],
    queries: [...([seen, counted, odd] as readonly Query<never, unknown>[]), ...(more.queries ?? [])],
    effectHandlers,
  }
}

/** Asks one command that does these steps. */
export function executeScript(
  fixture: Pick<EngineFixture, 'shards'>,
  owner: string,
  ...run: readonly Step[]
): Promise<Acted | Refusal> {
  return fixture.shards.execute(owner, act, { owner, run })
}

export async function seenOf(fixture: Pick<EngineFixture, 'shards'>, owner: string): Promise<Seen> {
  return (await fixture.shards.query(owner, seen, owner)) as Seen
}

/** The embedded engine: this process owns every shard, one mailbox feeds one writer, and each commit is shared. */
import { type Refusal, refuse } from '../../core/errors.js'
import { http, shard } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { Log } from '../observe/log.js'
import { type Store, StoreFailed, type Write } from '../store/contract.js'
import type { AskOptions, Command, Performer, Shards, Watch } from './contract.js'
import { type Asked, type Decided, decide } from './decide.js'
import { layerOver } from './layer.js'
import { openOutbox } from './outbox.js'
import { answeredAtTable, answeredTable, timerNameTable, timerTable } from './tables.js'
import { type DueTimer, openTimers } from './timers.js'

export interface EngineOptions {
  readonly store: Store
  /** The commands that timers may name. */
  readonly commands: readonly Command<never, unknown>[]
  /** Performers of each kind of effect; they report back through the shards they are given. */
  readonly performers: (shards: Shards) => Readonly<Record<string, Performer>>
  readonly clock: Clock
  readonly newCommandId: () => string
  readonly log: Log
}

export interface Engine extends Shards, Watch {
  /** Takes up what an earlier process owed and begins to look at timers. */
  start(): void
  /** Finishes what was asked and what is being performed, then stays still. */
  stop(): Promise<void>
}

interface Letter {
  readonly asked: Asked
  readonly timer?: DueTimer
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

export function openShards(options: EngineOptions): Engine {
  const { store, clock, log } = options
  const commands = new Map(options.commands.map((command) => [command.name, command as Command<unknown, unknown>]))
  const mailbox: Letter[] = []
  const watchers = new Map<string, ((key: never, value: never) => void)[]>()
  const timers = openTimers({ reader: store, clock, fire })
  let working: Promise<void> | undefined
  let started = false
  let stopped = false

  function post(asked: Asked, timer?: DueTimer): Promise<unknown> {
    return new Promise((resolve, reject) => {
      mailbox.push({ asked, timer, resolve, reject })
      working ??= work()
    })
  }

  /** Runs until the mailbox is empty. What arrives while a commit is on its way shares the next one. */
  async function work(): Promise<void> {
    await undefined
    while (mailbox.length > 0) await commitBatch(mailbox.splice(0, shard.commandsPerCommit))
    working = undefined
  }

  async function commitBatch(letters: readonly Letter[]): Promise<void> {
    const batch = layerOver(store)
    const at = clock.now()
    const done: { letter: Letter; decided: Decided }[] = []
    for (const letter of letters) {
      if (letter.timer && !takeTimer(letter.timer)) {
        letter.resolve(undefined as never)
        continue
      }
      try {
        done.push({ letter, decided: decide(batch, letter.asked, at) })
      } catch (error) {
        log.error('shard.command.failed', { command: letter.asked.command.name, error })
        letter.reject(error)
      }
    }
    forgetAnswers(at)
    const writes = batch.writes()
    try {
      if (writes.length > 0) await store.commit(writes)
    } catch (error) {
      // A record that cannot be stored is the fault of one command: alone, each of the others still gets its due.
      if (!(error instanceof StoreFailed) && done.length > 1) {
        for (const { letter } of done) await commitBatch([letter])
        return
      }
      for (const { letter } of done) letter.reject(error)
      return
    }
    tell(writes)
    for (const { letter, decided } of done) letter.resolve(decided.answer as never)
    outbox.owe(done.flatMap(({ decided }) => decided.owed))
    if (started) timers.look()

    /** False when the timer was moved or taken back since it fell due. */
    function takeTimer({ key }: DueTimer): boolean {
      const [dueAt, owner, name] = key
      if (batch.get(timerNameTable, [owner, name]) !== dueAt) return false
      batch.remove(timerTable, key)
      batch.remove(timerNameTable, [owner, name])
      return true
    }

    function forgetAnswers(now: number): void {
      const old = store.range(answeredAtTable, { before: [now - shard.rememberedCommandMs], limit: letters.length * 2 })
      for (const { key } of old) {
        batch.remove(answeredAtTable, key)
        batch.remove(answeredTable, [key[1], key[2]])
      }
    }
  }

  function tell(writes: readonly Write[]): void {
    if (watchers.size === 0) return
    for (const { table, key, value } of writes) {
      for (const seen of watchers.get(table.name) ?? []) seen(key as never, value as never)
    }
  }

  /** A timer whose command fails is logged and dropped: it would only fail again. */
  async function fire(due: DueTimer): Promise<void> {
    const [, owner] = due.key
    const command = commands.get(due.value.command) ?? postpone(due)
    await post({ owner, command, input: due.value.input, commandId: options.newCommandId(), remember: false }, due)
  }

  /** A timer of a command this version does not know is kept for one that does. */
  function postpone({ key: [, , name], value }: DueTimer): Command<unknown, unknown> {
    log.error('shard.timer.unknown', { command: value.command })
    return {
      name: 'shard.postpone',
      decide: (tx, _input, told) => tx.schedule({ name, dueAt: told.at + shard.effectRetryMaxMs, ...value }),
    }
  }

  const shards: Shards & Watch = {
    async ask<I, R>(owner: string, command: Command<I, R>, input: I, about: AskOptions = {}) {
      if (stopped || mailbox.length >= shard.mailboxCommands) return overloaded
      const asked = {
        owner,
        command: command as Command<unknown, unknown>,
        input,
        commandId: about.id ?? options.newCommandId(),
        remember: about.id !== undefined,
        by: about.by,
      }
      return post(asked) as Promise<R | Refusal>
    },
    view: () => store,
    watch(table, seen) {
      watchers.set(table.name, [...(watchers.get(table.name) ?? []), seen as never])
    },
  }
  const outbox = openOutbox({ store, performers: options.performers(shards), clock, log })

  return {
    ...shards,
    start() {
      started = true
      outbox.resume()
      timers.look()
    },
    async stop() {
      timers.stop()
      await outbox.stop()
      stopped = true
      while (working) await working
    },
  }
}

const overloaded = refuse('service.unavailable', { headers: { 'retry-after': String(http.retryAfterSeconds) } })

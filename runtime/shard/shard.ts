/**
 * One shard in the hands of its owner: a mailbox, one writer, and commits that everybody shares who came while the last
 * one was on its way. They are decided meanwhile, over what is on its way as if it were there, and fail with it if it
 * fails. Answers, effects and timers follow a commit, never precede it.
 */
import { isRefusal } from '../../core/errors.js'
import { shard as limits } from '../../core/limits.js'
import type { Steps } from '../../core/steps.js'
import type { Clock } from '../clock.js'
import type { Change, CommitDeferred, DeferredWrite, Reader, Space } from '../store/contract.js'
import { nextTurn } from '../turns.js'
import { answerOf } from './answer.js'
import { type Batch, type Letter, takes } from './batch.js'
import { openLatestTime, redateTimers } from './clocksteps.js'
import type { Command, Performer, Query, Settling, ShardHere } from './contract.js'
import { type Asked, decide, decideInSteps, type Moment, type Owed, oweTogether } from './decide.js'
import { openForgetting } from './forget.js'
import { type Layer, layerOver } from './layer.js'
import { Full, Moved } from './lost.js'
import type { EngineOptions } from './options.js'
import { openOutbox } from './outbox.js'
import { recentOver } from './recent.js'
import type { Registry } from './registry.js'
import { commitTable, outboxTable, type StoredTimer, timerNameTable, timerTable } from './tables.js'
import type { IsIdle } from './tell.js'
import { type DueTimer, openTimers } from './timers.js'

export interface OwnedShard {
  /** Resolves after the commit. Rejects with Full, or with Moved when the shard went away before it was decided for good. */
  ask(asked: Asked): Promise<unknown>
  /** A promise of the answer where it is made in steps. */
  read(query: Query<unknown, unknown>, input: unknown): unknown
  /** Undefined where it is made in steps. */
  readNow(query: Query<unknown, unknown>, input: unknown): unknown
  /** Commits so far; those that owed nothing are not counted any more once the shard was opened again. */
  commits(): number
  load(): Pick<ShardHere, 'waiting' | 'owedSince' | 'timerDueAt'>
  /** Takes up what is owed and looks at timers. */
  start(): void
  /** Starts no more effects and fires no more timers, and gives effects under way a while to end and report. */
  rest(): Promise<void>
  /** Takes nothing more and finishes what was asked. */
  close(): Promise<void>
  /** The shard is lost: whatever waits is told so, nothing goes out any more. */
  abandon(): void
}

export interface ShardOptions extends Pick<EngineOptions, 'clock' | 'log' | 'newCommandId' | 'meters'> {
  readonly number: number
  readonly space: Space
  readonly registry: Registry
  readonly performers: Readonly<Record<string, Performer>>
  readonly isIdle: IsIdle
  /** Makes changes durable and visible in the space, one commit after the other. Rejects with Moved when they never will be. */
  readonly commit: CommitDeferred
  /** Whether the shard is ours at this very moment. A process that was stopped for a while may wake up without it. */
  readonly isOurs: () => boolean
  /** Told of every durable change before it is answered. */
  readonly changed: (layer: Pick<Layer, 'written'>) => void
}

export function openShard(options: ShardOptions): OwnedShard {
  const { number, registry, clock, log, meters } = options
  const space = recentOver(options.space)
  let mailbox: Letter[] = []
  let commandsWaiting = 0
  let commit = space.get(commitTable, []) ?? 0
  /** Commands with an id that wait for their answer: whoever asks again joins them and takes no second place. */
  const asking = new Map<string, Promise<unknown>>()
  /** Takes letters still. */
  let open: Batch | undefined
  let onItsWay: Batch | undefined
  /** Joins the open batch in steps. */
  let stepping: Letter | undefined
  /** What watchers are being told of. */
  let told: Layer | undefined
  let isAwake = false
  const idlers: (() => void)[] = []
  const steadyAt = steadyTime(clock)
  const forget = openForgetting(space, steadyAt())
  let state: 'open' | 'closed' | 'lost' = 'open'
  const latest = openLatestTime(space)
  const timers = openTimers({ reader: space, clock, latestAt: latest.at(), fire, redate })
  const outbox = openOutbox({
    reader: space,
    performers: options.performers,
    settle,
    mayPerform: options.isOurs,
    clock,
    log,
  })

  function post(join: Letter['join'], isAsked = false, joinInSteps?: Letter['joinInSteps']): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (state === 'lost') return reject(new Moved('the shard is not served here any more'))
      mailbox.push({ isAsked, join, joinInSteps, resolve, reject })
      if (isAsked) commandsWaiting++
      wake()
    })
  }

  /** A commit begins once everybody who is ready now has written. */
  function wake(): void {
    if (isAwake) return
    isAwake = true
    clock.soon(turn)
  }

  function turn(): void {
    isAwake = false
    if (mailbox.length > 0 && !stepping) {
      open ??= newBatch()
      takeLetters(open)
    }
    if (stepping) return
    if (open) depart(open)
    goOn()
  }

  function newBatch(): Batch {
    const layer = layerOver(space)
    if (onItsWay) layer.restOn(onItsWay.layer)
    return {
      layer,
      commit: commit + (onItsWay ? 2 : 1),
      began: clock.elapsed(),
      owed: [],
      tellings: [],
      joined: [],
      hasLanded: false,
    }
  }

  /** Goes on with what waits, or tells those who wait for the end of it. */
  function goOn(): void {
    if (mailbox.length > 0 && !stepping && (!open || takes(open, mailbox[0]!))) return wake()
    if (mailbox.length === 0 && !open && !onItsWay) for (const idle of idlers.splice(0)) idle()
  }

  /** Goes as soon as it can: behind a commit on its way with the very next write, before those of that one go on. */
  function depart(batch: Batch): void {
    if (batch.layer.bytes() > 0 || batch.tellings.length > 0) {
      batch.write ??= written(batch)
      if (!onItsWay) batch.write.flush()
    } else if (!onItsWay) {
      open = undefined
      answer(batch)
    }
  }

  function written(batch: Batch): DeferredWrite {
    const write = options.commit({ collect: () => seal(batch), committed: () => landed(batch) })
    write.done.then(
      () => {
        if (!batch.hasLanded) return
        tell(batch.layer)
        meters?.committed(number, batch.joined.length, clock.elapsed() - batch.began)
        answer(batch)
        if (open && !onItsWay) wake()
        goOn()
      },
      (error: unknown) => failed(batch, error),
    )
    return write
  }

  /** Watchers mostly read what they are told of, which is at hand as it was written. */
  function tell(layer: Layer): void {
    told = layer
    try {
      options.changed(layer)
    } finally {
      told = undefined
    }
  }

  /** While the next commit is on its way the space may show it already, and what is at hand of the last is not mixed with it. */
  function reader(): Reader {
    return told && !onItsWay ? told : space
  }

  /** Nothing of one that was given up meanwhile. */
  function seal(batch: Batch): readonly Change[] {
    if (open !== batch) return []
    const { layer, joined, owed } = batch
    if (batch.tellings.length > 0) oweTogether(layer, batch, log)
    forget(layer, steadyAt(), joined.length)
    if (owed.length > 0) layer.put(commitTable, [], batch.commit)
    latest.note(layer, clock.now())
    layer.keep()
    open = undefined
    onItsWay = batch
    space.committing(layer)
    if (mailbox.length > 0) wake()
    return layer.changes()
  }

  function landed(batch: Batch): void {
    if (onItsWay !== batch) return
    batch.hasLanded = true
    onItsWay = undefined
    commit = batch.commit
    space.committed(batch.layer)
    open?.layer.restOn(space)
    open?.write?.flush()
  }

  function failed(batch: Batch, error: unknown): void {
    if (batch !== onItsWay && batch !== open) return
    if (batch === onItsWay) onItsWay = undefined
    space.forget()
    if (error instanceof Moved) abandon()
    for (const { letter } of batch.joined) letter.reject(error)
    rejectOpen(error)
    goOn()
  }

  function answer({ layer, owed, joined }: Batch): void {
    for (const { letter, answer } of joined) letter.resolve(answer)
    if (state === 'lost') return
    outbox.owe(owed)
    if (layer.touches(timerTable)) timers.changed(layer.written(timerTable.name).map(({ key }) => key[0] as number))
  }

  /** What was decided over a commit that never was is undone with it. */
  function rejectOpen(error: unknown): void {
    const given = open
    open = undefined
    for (const { letter } of given?.joined ?? []) letter.reject(error)
    stepping?.reject(error)
    stepping = undefined
    given?.write?.flush()
  }

  function takeLetters(batch: Batch): void {
    const { layer, joined, owed, tellings, commit } = batch
    const moment: Moment = { at: clock.now(), steadyAt: steadyAt(), commit, owed, tellings }
    let taken = 0
    const until = clock.elapsed() + limits.decideMs
    while (taken < mailbox.length && (taken === 0 || clock.elapsed() < until)) {
      const letter = mailbox[taken]!
      if (!takes(batch, letter)) break
      taken++
      if (letter.isAsked) commandsWaiting--
      if (letter.joinInSteps) {
        stepping = letter
        step(batch, letter, letter.joinInSteps(layer, moment))
        break
      }
      try {
        joined.push({ letter, answer: letter.join(layer, moment) })
      } catch (error) {
        letter.reject(error)
      }
    }
    mailbox = mailbox.slice(taken)
  }

  /** Its batch is neither full nor on its way meanwhile; it may be given up. */
  function step(batch: Batch, letter: Letter, steps: Steps<unknown>): void {
    if (stepping !== letter) return
    try {
      const { done, value: answer } = steps.next()
      if (!done) return void nextTurn(clock).then(() => step(batch, letter, steps))
      batch.joined.push({ letter, answer })
    } catch (error) {
      letter.reject(error)
    }
    stepping = undefined
    wake()
  }

  function decideIn(layer: Layer, moment: Moment, asked: Asked): unknown {
    try {
      return decide(layer, asked, moment, options.isIdle)
    } catch (error) {
      log.error('shard.command.failed', { command: asked.command.name, error })
      throw error
    }
  }

  function* stepsIn(layer: Layer, moment: Moment, asked: Asked): Steps<unknown> {
    try {
      return yield* decideInSteps(layer, asked, moment, options.isIdle)
    } catch (error) {
      log.error('shard.command.failed', { command: asked.command.name, error })
      throw error
    }
  }

  /** The timer goes off the record with whatever its command does; one whose command throws would only throw again. */
  async function fire(due: DueTimer): Promise<void> {
    const [dueAt, owner, name] = due.key
    await post((layer, moment) => {
      const timer = layer.get(timerTable, due.key)
      if (!timer) return
      const command = registry.knowsCommand(timer.command) ? registry.command(timer.command) : postpone(name, timer)
      layer.remove(timerTable, due.key)
      if (layer.get(timerNameTable, [owner, name]) === dueAt) layer.remove(timerNameTable, [owner, name])
      layer.keep()
      try {
        decideIn(layer, moment, { owner, command, input: timer.input, commandId: options.newCommandId() })
      } catch {
        // Told to the log already.
      }
    })
  }

  /** The last of them are dated in the commit by which the shard has the time of its clock. */
  async function redate(due: readonly DueTimer[], isLast: boolean): Promise<void> {
    await post((layer, { at }) => {
      redateTimers(layer, due, at)
      if (isLast) latest.set(layer, at)
      layer.keep()
    })
  }

  /** A timer of a command this version does not know is kept for one that does. */
  function postpone(name: string, timer: StoredTimer): Command<unknown, unknown> {
    log.error('shard.timer.unknown', { command: timer.command })
    return {
      name: 'shard.postpone',
      decide: (tx, _input, told) => tx.schedule({ name, dueAt: told.at + limits.effectRetryMaxMs, ...timer }),
    }
  }

  async function settle(key: Owed['key']): Promise<void> {
    await post((layer) => {
      layer.remove(outboxTable, key)
      layer.keep()
    })
    meters?.settled()
  }

  /** The effect goes off the record with the command that reports on it, and whoever performs it need not see to that. */
  async function reported(asked: Asked, settles: Settling): Promise<unknown> {
    const mayTake = settles.owner === asked.owner
    const answer = await post((layer, moment) => {
      const decided = decideIn(layer, moment, asked)
      if (mayTake && !isRefusal(decided)) {
        layer.remove(outboxTable, [...settles.key])
        layer.keep()
      }
      return decided
    })
    settles.isSettled ||= mayTake && !isRefusal(answer)
    return answer
  }

  function abandon(): void {
    if (state === 'lost') return
    state = 'lost'
    void timers.stop()
    void outbox.stop(0)
    for (const letter of mailbox) letter.reject(new Moved('the shard is not served here any more'))
    mailbox = []
    commandsWaiting = 0
    rejectOpen(new Moved('the shard is not served here any more'))
    goOn()
  }

  return {
    ask(asked) {
      if (state !== 'open') return Promise.reject(new Moved('the shard is not served here any more'))
      const id = asked.rememberMs === undefined ? undefined : `${asked.owner} ${asked.commandId}`
      const before = id === undefined ? undefined : asking.get(id)
      if (before) return before
      if (asked.settles) return reported(asked, asked.settles)
      if (commandsWaiting >= limits.mailboxCommands)
        return Promise.reject(new Full('too many commands wait for the shard'))
      const join: Letter['join'] = (layer, moment) => decideIn(layer, moment, asked)
      const isLong = asked.command.inSteps?.isFor(asked.input)
      const answer = post(join, true, isLong ? (layer, moment) => stepsIn(layer, moment, asked) : undefined)
      if (id === undefined) return answer
      asking.set(id, answer)
      return answer.finally(() => asking.delete(id))
    },
    read: (query, input) => answerOf(query, reader(), input, clock),
    readNow: (query, input) => (query.inSteps?.isFor(input) ? undefined : query.read(reader(), input)),
    commits: () => commit,
    load: () => ({ waiting: commandsWaiting, owedSince: outbox.owedSince(), timerDueAt: timers.dueAt() }),
    start() {
      outbox.resume()
      timers.look()
    },
    rest: () => Promise.all([timers.stop(), outbox.stop(limits.handOverMs)]).then(() => undefined),
    async close() {
      if (state === 'open') state = 'closed'
      if (mailbox.length > 0 || open || onItsWay) await new Promise<void>((idle) => idlers.push(idle))
    },
    abandon,
  }
}

/** The time of day when it was opened, and since then only what has passed. */
function steadyTime(clock: Clock): () => number {
  const ahead = clock.now() - clock.elapsed()
  return () => clock.elapsed() + ahead
}

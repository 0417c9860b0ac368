/**
 * One shard at its owner: a mailbox, one writer, and group commits. While one commit is being written, the commands
 * that arrive are decided over its overlay and share the next one; they fail if it fails. Answers, effects and timers
 * follow a commit and never precede it.
 */
import { isRefusal } from '../../core/errors.js'
import type { Steps } from '../../core/steps.js'
import type { Clock } from '../clock.js'
import { nextSlice } from '../slices.js'
import type { Change, DeferredWrite, Reader } from '../store/contract.js'
import { createAnswerExpiry } from './answerexpiry.js'
import { type Batch, canAccept, type MailboxEntry } from './batch.js'
import { createLatestTime, rescheduleTimers } from './clocksteps.js'
import type { Command, EffectToken } from './contract.js'
import {
  type CommandRequest,
  type CommitContext,
  decide,
  decideInSteps,
  enqueueGrouped,
  type PendingEffect,
} from './decision.js'
import { MailboxFull, NotOwner } from './errors.js'
import { openOutbox } from './outbox.js'
import { createOverlay, type Overlay } from './overlay.js'
import type { OwnedShard, ShardOptions } from './ownedshard.js'
import { runQuery } from './queries.js'
import { withCache } from './recordcache.js'
import { commitTable, outboxTable, type StoredTimer, timerNameTable, timerTable } from './tables.js'
import { type DueTimer, openTimers } from './timers.js'

export function openShard(options: ShardOptions): OwnedShard {
  const { registry, clock, log, commitMetrics, limits } = options
  const { mailboxCommands, decideMs, messagesPerBatch } = limits
  const space = withCache(options.space, limits)
  let mailbox: MailboxEntry[] = []
  let commandsWaiting = 0
  let commit = space.get(commitTable, []) ?? 0
  /**
   * Commands with an id that wait for their answer: a second call under the id joins the first and takes no other slot.
   */
  const pendingCommands = new Map<string, Promise<unknown>>()
  /** The batch that accepts entries. */
  let openBatch: Batch | undefined
  let committingBatch: Batch | undefined
  /** The entry that joins the open batch in steps. */
  let steppedEntry: MailboxEntry | undefined
  /** The overlay whose changes the watchers are being called with. */
  let notifiedOverlay: Overlay | undefined
  let isScheduled = false
  const idleWaiters: (() => void)[] = []
  const monotonicAt = monotonicTime(clock)
  const expireAnswers = createAnswerExpiry(space, monotonicAt(), limits)
  let state: 'open' | 'closed' | 'lost' = 'open'
  const latest = createLatestTime(space, limits)
  const timers = openTimers({ reader: space, clock, limits, latestAt: latest.at(), fire, reschedule })
  const outbox = openOutbox({
    reader: space,
    effectHandlers: options.effectHandlers,
    complete,
    mayRun: options.isStillOwner,
    clock,
    log,
    limits,
  })

  function enqueue(
    apply: MailboxEntry['apply'],
    isCommand = false,
    joinInSteps?: MailboxEntry['applyInSteps'],
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (state === 'lost') return reject(new NotOwner('the shard is not served here any more'))
      mailbox.push({ isCommand, apply, applyInSteps: joinInSteps, resolve, reject })
      if (isCommand) commandsWaiting++
      scheduleTurn()
    })
  }

  /** A commit begins once all entries of this turn are decided. */
  function scheduleTurn(): void {
    if (isScheduled) return
    isScheduled = true
    clock.nextTick(runTurn)
  }

  function runTurn(): void {
    isScheduled = false
    if (mailbox.length > 0 && !steppedEntry) {
      openBatch ??= newBatch()
      drainMailbox(openBatch)
    }
    if (steppedEntry) return
    if (openBatch) flush(openBatch)
    proceed()
  }

  function newBatch(): Batch {
    const overlay = createOverlay(space)
    if (committingBatch) overlay.rebase(committingBatch.overlay)
    return {
      overlay,
      commit: commit + (committingBatch ? 2 : 1),
      startedAt: clock.monotonic(),
      pending: [],
      outboundCommands: [],
      entries: [],
      isCommitted: false,
    }
  }

  /** Continues with the waiting entries, or resolves `close` when nothing waits. */
  function proceed(): void {
    if (mailbox.length > 0 && !steppedEntry && (!openBatch || canAccept(openBatch, mailbox[0]!, limits)))
      return scheduleTurn()
    if (mailbox.length === 0 && !openBatch && !committingBatch) for (const resolve of idleWaiters.splice(0)) resolve()
  }

  /**
   * Flushes a batch as soon as possible: behind a running commit as the very next write, before the callers of that
   * commit continue.
   */
  function flush(batch: Batch): void {
    if (batch.overlay.bytes() > 0 || batch.outboundCommands.length > 0) {
      batch.write ??= createWrite(batch)
      if (!committingBatch) batch.write.flush()
    } else if (!committingBatch) {
      openBatch = undefined
      answer(batch)
    }
  }

  function createWrite(batch: Batch): DeferredWrite {
    const write = options.commit({ collect: () => collect(batch), onCommitted: () => markCommitted(batch) })
    write.done.then(
      () => {
        if (!batch.isCommitted) return
        notifyChanged(batch.overlay)
        commitMetrics?.recordCommit(batch.entries.length, clock.monotonic() - batch.startedAt)
        answer(batch)
        if (openBatch && !committingBatch) scheduleTurn()
        proceed()
      },
      (error: unknown) => failBatch(batch, error),
    )
    return write
  }

  /** Watchers mostly read the records that changed; these are in the overlay, decoded. */
  function notifyChanged(overlay: Overlay): void {
    notifiedOverlay = overlay
    try {
      options.onCommit(overlay)
    } finally {
      notifiedOverlay = undefined
    }
  }

  /**
   * While the next commit is running the space may show it already, and its records must not be mixed with those of the
   * notified overlay.
   */
  function reader(): Reader {
    return notifiedOverlay && !committingBatch ? notifiedOverlay : space
  }

  /** Returns nothing for a batch that was rejected meanwhile. */
  function collect(batch: Batch): readonly Change[] {
    if (openBatch !== batch) return []
    const { overlay, entries, pending } = batch
    if (batch.outboundCommands.length > 0) enqueueGrouped(overlay, batch, messagesPerBatch, log)
    expireAnswers(overlay, monotonicAt(), entries.length)
    if (pending.length > 0) overlay.put(commitTable, [], batch.commit)
    latest.advance(overlay, clock.now())
    overlay.commit()
    openBatch = undefined
    committingBatch = batch
    space.beginCommit(overlay)
    if (mailbox.length > 0) scheduleTurn()
    return overlay.changes()
  }

  function markCommitted(batch: Batch): void {
    if (committingBatch !== batch) return
    batch.isCommitted = true
    committingBatch = undefined
    commit = batch.commit
    space.endCommit(batch.overlay)
    openBatch?.overlay.rebase(space)
    openBatch?.write?.flush()
  }

  function failBatch(batch: Batch, error: unknown): void {
    if (batch !== committingBatch && batch !== openBatch) return
    if (batch === committingBatch) committingBatch = undefined
    space.clear()
    if (error instanceof NotOwner) lose()
    for (const { entry } of batch.entries) entry.reject(error)
    rejectOpenBatch(error)
    proceed()
  }

  function answer({ overlay, pending, entries }: Batch): void {
    for (const { entry, answer } of entries) entry.resolve(answer)
    if (state === 'lost') return
    outbox.enqueue(pending)
    if (overlay.has(timerTable))
      timers.refreshIfEarlier(overlay.writesOf(timerTable.name).map(({ key }) => key[0] as number))
  }

  /** Rejects the batch that was decided over a failed commit. */
  function rejectOpenBatch(error: unknown): void {
    const rejectedBatch = openBatch
    openBatch = undefined
    for (const { entry } of rejectedBatch?.entries ?? []) entry.reject(error)
    steppedEntry?.reject(error)
    steppedEntry = undefined
    rejectedBatch?.write?.flush()
  }

  function drainMailbox(batch: Batch): void {
    const { overlay, entries, pending, outboundCommands, commit } = batch
    const context: CommitContext = { at: clock.now(), monotonicAt: monotonicAt(), commit, pending, outboundCommands }
    let drained = 0
    const until = clock.monotonic() + decideMs
    while (drained < mailbox.length && (drained === 0 || clock.monotonic() < until)) {
      const entry = mailbox[drained]!
      if (!canAccept(batch, entry, limits)) break
      drained++
      if (entry.isCommand) commandsWaiting--
      if (entry.applyInSteps) {
        steppedEntry = entry
        runStep(batch, entry, entry.applyInSteps(overlay, context))
        break
      }
      try {
        entries.push({ entry, answer: entry.apply(overlay, context) })
      } catch (error) {
        entry.reject(error)
      }
    }
    mailbox = mailbox.slice(drained)
  }

  /** Runs one step. The batch is neither full nor written meanwhile; it may be rejected. */
  function runStep(batch: Batch, entry: MailboxEntry, steps: Steps<unknown>): void {
    if (steppedEntry !== entry) return
    try {
      const { done, value: answer } = steps.next()
      if (!done) return void nextSlice(clock).then(() => runStep(batch, entry, steps))
      batch.entries.push({ entry, answer })
    } catch (error) {
      entry.reject(error)
    }
    steppedEntry = undefined
    scheduleTurn()
  }

  function decideCommand(overlay: Overlay, context: CommitContext, request: CommandRequest): unknown {
    try {
      return decide(overlay, request, context, options.isSkippable)
    } catch (error) {
      log.error('shard.command.failed', { command: request.command.name, error })
      throw error
    }
  }

  function* decideCommandInSteps(overlay: Overlay, context: CommitContext, request: CommandRequest): Steps<unknown> {
    try {
      return yield* decideInSteps(overlay, request, context, options.isSkippable)
    } catch (error) {
      log.error('shard.command.failed', { command: request.command.name, error })
      throw error
    }
  }

  /**
   * Removes the timer together with the writes of its command. A command that throws would throw again, so its timer is
   * removed too.
   */
  async function fire(due: DueTimer): Promise<void> {
    const [dueAt, owner, name] = due.key
    await enqueue((overlay, context) => {
      const timer = overlay.get(timerTable, due.key)
      if (!timer) return
      const command = registry.hasCommand(timer.command) ? registry.command(timer.command) : postpone(name, timer)
      overlay.remove(timerTable, due.key)
      if (overlay.get(timerNameTable, [owner, name]) === dueAt) overlay.remove(timerNameTable, [owner, name])
      overlay.commit()
      try {
        decideCommand(overlay, context, { owner, command, input: timer.input, commandId: options.newCommandId() })
      } catch {
        // decideCommand has logged it.
      }
    })
  }

  /** The last timers are rescheduled in the commit that stores the current time of the clock. */
  async function reschedule(due: readonly DueTimer[], isLast: boolean): Promise<void> {
    await enqueue((overlay, { at }) => {
      rescheduleTimers(overlay, due, at)
      if (isLast) latest.set(overlay, at)
      overlay.commit()
    })
  }

  /** A timer of a command that this version does not know is postponed for a version that does. */
  function postpone(name: string, timer: StoredTimer): Command<unknown, unknown> {
    log.error('shard.timer.unknown', { command: timer.command })
    return {
      name: 'shard.postpone',
      decide: (tx, _input, meta) => tx.schedule({ name, dueAt: meta.at + limits.effectRetryMaxMs, ...timer }),
    }
  }

  async function complete(key: PendingEffect['key']): Promise<void> {
    await enqueue((overlay) => {
      overlay.remove(outboxTable, key)
      overlay.commit()
    })
    commitMetrics?.recordCompletion()
  }

  /** Removes the effect in the commit of the command that reports on it, so the outbox need not remove it. */
  async function executeCompleting(request: CommandRequest, completes: EffectToken): Promise<unknown> {
    const isSameOwner = completes.owner === request.owner
    const answer = await enqueue((overlay, context) => {
      const decided = decideCommand(overlay, context, request)
      if (isSameOwner && !isRefusal(decided)) {
        overlay.remove(outboxTable, [...completes.key])
        overlay.commit()
      }
      return decided
    })
    completes.isCompleted ||= isSameOwner && !isRefusal(answer)
    return answer
  }

  function lose(): void {
    if (state === 'lost') return
    state = 'lost'
    void timers.stop()
    void outbox.stop(0)
    for (const entry of mailbox) entry.reject(new NotOwner('the shard is not served here any more'))
    mailbox = []
    commandsWaiting = 0
    rejectOpenBatch(new NotOwner('the shard is not served here any more'))
    proceed()
  }

  return {
    execute(request) {
      if (state !== 'open') return Promise.reject(new NotOwner('the shard is not served here any more'))
      const id = request.answerTtlMs === undefined ? undefined : `${request.owner} ${request.commandId}`
      const pending = id === undefined ? undefined : pendingCommands.get(id)
      if (pending) return pending
      if (request.completes) return executeCompleting(request, request.completes)
      if (commandsWaiting >= mailboxCommands)
        return Promise.reject(new MailboxFull('too many commands wait for the shard'))
      const apply: MailboxEntry['apply'] = (overlay, context) => decideCommand(overlay, context, request)
      const isLong = request.command.inSteps?.isFor(request.input)
      const answer = enqueue(
        apply,
        true,
        isLong ? (overlay, context) => decideCommandInSteps(overlay, context, request) : undefined,
      )
      if (id === undefined) return answer
      pendingCommands.set(id, answer)
      return answer.finally(() => pendingCommands.delete(id))
    },
    query: (query, input) => runQuery(query, reader(), input, clock),
    queryNow: (query, input) => (query.inSteps?.isFor(input) ? undefined : query.read(reader(), input)),
    commits: () => commit,
    load: () => ({ waiting: commandsWaiting, oldestPendingAt: outbox.oldestPendingAt(), timerDueAt: timers.dueAt() }),
    start() {
      outbox.resume()
      timers.refresh()
    },
    quiesce: () => Promise.all([timers.stop(), outbox.stop(limits.handOverMs)]).then(() => undefined),
    async close() {
      if (state === 'open') state = 'closed'
      if (mailbox.length > 0 || openBatch || committingBatch)
        await new Promise<void>((resolve) => idleWaiters.push(resolve))
    },
    lose,
  }
}

/** The time of day at the start plus the monotonic time since then. */
function monotonicTime(clock: Clock): () => number {
  const offset = clock.now() - clock.monotonic()
  return () => clock.monotonic() + offset
}

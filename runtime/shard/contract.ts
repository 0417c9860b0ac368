/**
 * The interface to all state. State belongs to an owner key (an org, an agent, a conversation), the key hashes to a
 * shard, and a shard has one writer at a time, on one node of the installation. A change is a command to that writer, a
 * read is a query: names and inputs that travel as data, and synchronous functions that run where the shard is.
 */
import type { Actor } from '../../core/access.js'
import type { Refusal } from '../../core/errors.js'
import type { Steps } from '../../core/steps.js'
import type { Key, Reader, Table } from '../store/contract.js'

/** The context of a decision besides its input: the only time and the only randomness that it may use. */
export interface CommandMeta {
  readonly commandId: string
  readonly at: number
  /** The actor of the command, for attribution; absent when the system itself issued it. */
  readonly by?: Actor
  /** A new id. The same call returns the same id each time this command is decided again. */
  mint(prefix: string): string
}

/** Work to be done once the commit is durable. Its handler runs at least once, always with the same id. */
export interface Effect {
  readonly kind: string
  readonly payload: unknown
  /**
   * Where the work goes (a webhook, a provider's account). Effects of one kind and destination run at most
   * `shard.effectsPerDestination` at a time in each shard, so a slow destination delays no other. Absent: the owner.
   */
  readonly destination?: string
}

/** A command that the shard runs at a later time. A timer replaces the timer of the same name on the same owner. */
export interface Timer {
  readonly name: string
  readonly dueAt: number
  readonly command: string
  readonly input: unknown
  /** The timer is never cancelled or replaced, so the shard stores no row that finds it by its name. */
  readonly noReplace?: true
  /**
   * `dueAt` is a delay and no time of day: when the clock is set back, the timer waits for the length of that delay at
   * most, from the moment the shard detects the step. So its command must not compare its time with the time it was set
   * for. Not with `noReplace`.
   */
  readonly isDelay?: true
  /**
   * The timer stands for the first entry of a queue that has a due time for each entry. When the clock is set back, the
   * shard runs the command of this name with the same input; it gives an earlier time to the entries that are delays.
   * Not with `noReplace` or `isDelay`.
   */
  readonly onClockSetBack?: string
}

/**
 * Reads see this shard's state with this command's own writes. All writes, effects and timers of a command become
 * durable together, in one commit with the command's id and with the other commands of the batch.
 */
export interface Tx extends Reader {
  put<K extends Key, V>(table: Table<K, V>, key: K, value: V): void
  remove<K extends Key, V>(table: Table<K, V>, key: K): void
  emit(emit: Effect): void
  /**
   * Sends a command to another owner, after this commit and exactly once as that owner sees it. The sender does not get
   * its answer.
   */
  send<I>(owner: string, command: Command<I, unknown>, input: I): void
  schedule(timer: Timer): void
  unschedule(name: string): void
}

/** Input and answer are plain data: they may travel to another process and back. */
export interface Command<I, R> {
  readonly name: string
  /**
   * A refusal or an exception leaves no trace: none of its writes is stored, and the other commands of the batch are
   * not affected.
   */
  decide(tx: Tx, input: I, meta: CommandMeta): R | Refusal
  /**
   * For inputs that take long: decides the same in steps. Other work of the process runs between two steps. The shard
   * decides no other command meanwhile, so the state that was read does not change.
   */
  readonly inSteps?: {
    readonly isFor: (input: I) => boolean
    readonly decide: (tx: Tx, input: I, meta: CommandMeta) => Steps<R | Refusal>
  }
  /**
   * Optional; must be registered. If this query returns true against committed local state, `send` drops the command,
   * provided that this process serves the shard of its owner. `execute` always runs it.
   */
  readonly skipIf?: Query<I, boolean>
  /**
   * Deciding the command again changes nothing, however much later and after whatever other commands. Its owner then
   * stores no id of a sent command.
   */
  readonly idempotent?: true
  /**
   * For an idempotent command that is sent in numbers: the same for several of its inputs, in their order. Inputs that
   * are sent to one owner at one time become one effect and one command; callers must not rely on it.
   */
  readonly batch?: Command<readonly I[], unknown>
}

/** A read of the committed state of an owner's shard; input and answer are plain data. */
export interface Query<I, R> {
  readonly name: string
  read(reader: Reader, input: I): R | Refusal
  /**
   * For answers that take long: computes the same in steps, and other work of the process runs between two of them. The
   * state may change meanwhile, so the first step must read all that the answer needs. `queryLocal` never answers it.
   */
  readonly inSteps?: {
    readonly isFor: (input: I) => boolean
    readonly read: (reader: Reader, input: I) => Steps<R | Refusal>
  }
}

export interface ExecuteOptions {
  /** A second call under an id that was committed within the last day returns the first answer and changes nothing. */
  readonly id?: string
  readonly by?: Actor
  /**
   * The effect that this command completes: its outbox row is removed in the commit of the command, unless the command
   * is refused.
   */
  readonly completes?: EffectToken
}

/** An effect that is running, for the command that reports its outcome. */
export interface EffectToken {
  readonly owner: string
  readonly key: readonly [lane: string, commit: number, place: number]
  /** The outbox row is removed already. */
  isCompleted: boolean
}

/**
 * Commands of one owner are decided one after another in the order in which they reach its shard. From one process that
 * is the order of the calls, except while the shard moves: a caller that needs the order then awaits each answer before
 * the next call.
 * `execute` resolves once the commit is durable, and from then on every read on every node sees it. A full mailbox, or
 * a shard without an owner for `shard.executeMs`, answers `service.unavailable` with Retry-After: the command was not
 * decided, or, if `detail` says so, its outcome is unknown. A `decide` that throws rejects.
 */
export interface Shards {
  execute<I, R>(owner: string, command: Command<I, R>, input: I, options?: ExecuteOptions): Promise<R | Refusal>
  /** Sees every command that was acknowledged before the call, on any node. */
  query<I, R>(owner: string, query: Query<I, R>, input: I): Promise<R | Refusal>
  /**
   * The same answer synchronously, while this process serves the shard; undefined while it does not, and then `query`
   * finds the owner. Absent in an implementation that cannot tell whether it serves the shard.
   */
  queryLocal?<I, R>(owner: string, query: Query<I, R>, input: I): R | Refusal | undefined
  /**
   * Queries every shard once and returns the answers in the order of the shards. Each is as fresh as a `query`;
   * together they are no snapshot of one moment.
   */
  queryAll<I, R>(query: Query<I, R>, input: I): Promise<R[] | Refusal>
}

/** Local knowledge of a process about the shards that it owns. */
export interface Local {
  /**
   * Calls the listener with every durable change of one table in shards that this process owns, before the command that
   * made the change is answered.
   */
  watch<K extends Key, V>(table: Table<K, V>, listener: (key: K, value: V | undefined) => void): void
  /**
   * A number while this process owns that key's shard and no other can, undefined otherwise. The number differs each
   * time the shard comes back: values that were read or watched under one epoch hold as long as the epoch is the same.
   */
  ownershipEpoch(owner: string): number | undefined
}

/** The context of a running effect; its handler runs in the process that owns the shard. */
export interface EffectContext {
  /** Owner, command and index: unique to this effect, and the same in each run. */
  readonly id: string
  readonly owner: string
  /** Committed state of the owner's shard, read in this process. */
  readonly reader: Reader
  /** Aborted when this process loses the shard or stops: the handler must send nothing after that. */
  readonly signal: AbortSignal
  /**
   * Also compares the clock with the lease, so a process that was paused learns of the loss before the signal fires.
   * Call it right before each send.
   */
  isStillOwner(): boolean
  /**
   * The effect may have run before: in a process that ended, under another owner of the shard, or in a run that failed.
   */
  readonly isRepeat: boolean
  /**
   * Pass it to the command that reports the outcome, as `execute(…, { completes })`: report and completion are then one
   * commit.
   */
  readonly completes: EffectToken
  /**
   * Declares that from here on the effect waits for another party and not for its destination; it then occupies no
   * slot, however long that takes.
   */
  releaseSlot(): void
}

/** Runs one kind of effect. It may run again with the same id after a crash, so the receiver must drop repeats. */
export type EffectHandler = (payload: never, context: EffectContext) => Promise<void>

/** Everything that may run where a shard is. A command, query or effect that is not registered here cannot run. */
export interface Handlers {
  readonly commands: readonly Command<never, unknown>[]
  readonly queries: readonly Query<never, unknown>[]
  /** The handler of each kind of effect; they report back through the given shards. */
  readonly effectHandlers: (shards: Shards) => Readonly<Record<string, EffectHandler>>
}

export interface ShardStatus {
  readonly shard: number
  /** The owner's node as far as this process knows; absent while the shard has none. */
  readonly owner?: string
  /** Counts changes of owner. */
  readonly epoch: number
  /** Commits in the log, and how many of them each node with a copy has applied. */
  readonly last: number
  readonly copies: Readonly<Record<string, number>>
  /** The node to which an operator moved this shard, if any. */
  readonly pinned?: string
}

/** This process's part of one shard. */
export interface LocalShardStatus {
  readonly shard: number
  /** Owned by this process, followed as a copy, or neither. */
  readonly role: 'owner' | 'copy' | 'none'
  readonly epoch: number
  /** Commits applied here, and how many more the log had at the last look. */
  readonly number: number
  readonly lagEntries: number
  /** Commands in the mailbox. */
  readonly waiting: number
  /** The commit time of the oldest pending effect that this process holds. */
  readonly oldestPendingAt?: number
  /** The due time of the earliest timer that has not fired; it may be in the past. */
  readonly timerDueAt?: number
}

/** A process of the installation as the other processes see it. */
export interface ClusterNode {
  readonly id: string
  /** Whether it can own shards. */
  readonly keepsShards: boolean
  /** The node is about to leave and hands over the shards that it owns. */
  readonly leaving: boolean
  /** Facts about the node for operators. */
  readonly info: Readonly<Record<string, string>>
}

/** The engine as this process sees it at this moment, without a call to another process. */
export interface Inspection {
  /** Live processes of the installation, this one included. */
  readonly nodes: readonly ClusterNode[]
  /** Why this process cannot take part, in a sentence. */
  readonly failure?: string
  readonly shards: readonly LocalShardStatus[]
}

export interface Engine extends Shards, Local {
  /** Resumes pending effects and begins to serve; resolves when this process takes part. */
  start(): Promise<void>
  /** Finishes accepted commands and running effects, hands over the shards that it owns, then stops. */
  stop(): Promise<void>
  inspect(): Inspection
  status(): Promise<readonly ShardStatus[]>
  /** Pins the shard to that node; undefined removes the pin. */
  move(shard: number, node: string | undefined): Promise<undefined | Refusal>
}

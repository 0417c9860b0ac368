/**
 * The door to all state. State belongs to an owner key (an org, an agent, a conversation), the key hashes to a shard, and
 * a shard has one writer at a time, somewhere in the installation. A change is a command to that writer, a read a query:
 * names and inputs that can travel as data, and synchronous functions that run where the shard is.
 */
import type { Actor } from '../../core/access.js'
import type { Refusal } from '../../core/errors.js'
import type { Steps } from '../../core/steps.js'
import type { Key, Reader, Table } from '../store/contract.js'

/** What a decision is told besides its input: the only time and the only randomness it may use. */
export interface CommandMeta {
  readonly commandId: string
  readonly at: number
  /** Who asked, for attribution; absent when the house itself did. */
  readonly by?: Actor
  /** A new id, the same one each time this command is decided again. */
  mint(prefix: string): string
}

/** Work to be done once the commit is durable: performed at least once, always under the same id. */
export interface Effect {
  readonly kind: string
  readonly payload: unknown
  /**
   * What the work goes to (a webhook, a provider's account). Effects of one kind and destination run at most
   * `shard.effectsPerDestination` at a time in each shard, so a slow one holds up nobody else. Absent: the owner.
   */
  readonly destination?: string
}

/** A command that the house gives itself at a later time. A timer of the same name on the same owner is replaced. */
export interface Timer {
  readonly name: string
  readonly dueAt: number
  readonly command: string
  readonly input: unknown
  /** It is neither taken back nor replaced: nobody asks for one of its name before it has come, so nothing leads to it. */
  readonly noReplace?: true
  /**
   * Its due time is a delay and no time of day: once the clock was set back it waits for that delay at most, from when this
   * is noticed. So its command does not compare the time it is decided with the time it was set for. Not with `noReplace`.
   */
  readonly isDelay?: true
  /**
   * It stands for the first entry of a queue that keeps a due time for each. The command of this name gets the same input
   * once the clock was set back, and gives those that are delays an earlier time. Not with `noReplace` or `isDelay`.
   */
  readonly onClockSetBack?: string
}

/**
 * Reads see this shard's state with this command's own writes. All writes, effects and timers of a command become durable
 * together, in one commit with those of its neighbours and with the command's id.
 */
export interface Tx extends Reader {
  put<K extends Key, V>(table: Table<K, V>, key: K, value: V): void
  remove<K extends Key, V>(table: Table<K, V>, key: K): void
  emit(emit: Effect): void
  /** Asks a command of another owner, after this commit and exactly once as that owner sees it. Its answer goes nowhere. */
  send<I>(owner: string, command: Command<I, unknown>, input: I): void
  schedule(timer: Timer): void
  unschedule(name: string): void
}

/** Its input and its answer are plain data: they may travel to another process and back. */
export interface Command<I, R> {
  readonly name: string
  /** A refusal, or an exception, leaves no trace: nothing it wrote is kept and nobody else's command is touched. */
  decide(tx: Tx, input: I, meta: CommandMeta): R | Refusal
  /**
   * For inputs that take long: decides the same in steps. Everything else in the process has a turn between two of them;
   * the shard decides nothing else meanwhile, so what was read stays true.
   */
  readonly inSteps?: {
    readonly isFor: (input: I) => boolean
    readonly decide: (tx: Tx, input: I, meta: CommandMeta) => Steps<R | Refusal>
  }
  /**
   * Of the repertoire: whether it would change nothing as things are. Then it is not told to an owner whose shard is served
   * in the same process, by what is committed there when the teller decides; whoever asks it has it decided all the same.
   */
  readonly skipIf?: Query<I, boolean>
  /**
   * Decided once more it changes nothing, however much later and whatever came in between. Then nobody has to remember
   * that it was told.
   */
  readonly idempotent?: true
  /**
   * Of one that may be repeated and comes in numbers: the same for several of its inputs, in their order. Those that are
   * told an owner at one time are owed and decided as one; nobody may rely on that.
   */
  readonly batch?: Command<readonly I[], unknown>
}

/** A question to the committed state of an owner's shard; input and answer are plain data. */
export interface Query<I, R> {
  readonly name: string
  read(reader: Reader, input: I): R | Refusal
  /**
   * For answers that take long: makes the same in steps, and everything else in the process has a turn between two of them.
   * The state may change meanwhile, so all that is read of it is read in the first step. It is never answered by `queryLocal`.
   */
  readonly inSteps?: {
    readonly isFor: (input: I) => boolean
    readonly read: (reader: Reader, input: I) => Steps<R | Refusal>
  }
}

export interface ExecuteOptions {
  /** A second ask under an id already committed within the day returns the first answer and changes nothing. */
  readonly id?: string
  readonly by?: Actor
  /** The effect on which this command reports: it goes off the record with the command, unless that is refused. */
  readonly completes?: EffectToken
}

/** An effect that is being performed, for the command that reports on it. */
export interface EffectToken {
  readonly owner: string
  readonly key: readonly [lane: string, commit: number, place: number]
  /** It is off the record already. */
  isCompleted: boolean
}

/**
 * Commands of one owner are decided one after another in the order they reach its shard; from one process that is the
 * order of asking, unless the shard is just moving: who needs the order then awaits an answer before asking on. `execute` resolves once the commit is durable, and from then on every read anywhere sees it. A full mailbox,
 * or a shard that nobody serves for `shard.askMs`, answers `service.unavailable` with Retry-After: then the command was
 * not decided, or, if the answer says so in `detail`, it is not known whether it was. A `decide` that throws rejects.
 */
export interface Shards {
  execute<I, R>(owner: string, command: Command<I, R>, input: I, options?: ExecuteOptions): Promise<R | Refusal>
  /** Sees every command acknowledged before the call, wherever that was. */
  query<I, R>(owner: string, query: Query<I, R>, input: I): Promise<R | Refusal>
  /**
   * The same answer without waiting, while this process serves the shard; undefined while it does not, and then `query`
   * finds who does. Absent where nobody can tell.
   */
  queryLocal?<I, R>(owner: string, query: Query<I, R>, input: I): R | Refusal | undefined
  /** Asks every shard once and gives the answers in the order of shards; each is as fresh as a `query`, together they are not one moment. */
  queryAll<I, R>(query: Query<I, R>, input: I): Promise<R[] | Refusal>
}

/** What a process knows by itself of the shards it owns just now. */
export interface Local {
  /** Told of every durable change of one table in shards that this process owns, before the command that made it is answered. */
  watch<K extends Key, V>(table: Table<K, V>, listener: (key: K, value: V | undefined) => void): void
  /**
   * A number while this process owns that key's shard and nobody else can, undefined otherwise. It is another number each
   * time the shard comes back: what was read or watched under one tenure holds for as long as the tenure is the same.
   */
  ownershipEpoch(owner: string): number | undefined
}

/** What a performer is told of the effect it performs; it runs in the process that owns the shard. */
export interface EffectContext {
  /** Owner, command and place: no other effect ever has this id, and this one has it each time. */
  readonly id: string
  readonly owner: string
  /** Committed state of the owner's shard, read in this process. */
  readonly reader: Reader
  /** Aborted when this process loses the shard or is made to stop: nothing may go out after that. */
  readonly signal: AbortSignal
  /** By the clock too, so that a process which stood still knows before the signal does. Asked right before something goes out. */
  isStillOwner(): boolean
  /** It may have been performed before: by a process that ended, by another owner of the shard, or by a try that failed. */
  readonly isRepeat: boolean
  /** Goes with the command that reports what came of it, as `ask(…, { settles })`: then both are one commit. */
  readonly completes: EffectToken
  /**
   * Says that from here on it only waits for somebody else, and not for its destination: then it takes no place from
   * others, however long that is.
   */
  releaseSlot(): void
}

/** Performs one kind of effect. It may be called again with the same id after a crash, so its receiver drops repeats. */
export type EffectHandler = (payload: never, context: EffectContext) => Promise<void>

/** Everything that may run where a shard is. A command, query or effect not listed here cannot be asked for. */
export interface Handlers {
  readonly commands: readonly Command<never, unknown>[]
  readonly queries: readonly Query<never, unknown>[]
  /** Performers of each kind of effect; they report back through the shards they are given. */
  readonly effectHandlers: (shards: Shards) => Readonly<Record<string, EffectHandler>>
}

export interface ShardStatus {
  readonly shard: number
  /** The node that owns it as far as this process knows; absent while nobody does. */
  readonly owner?: string
  /** Counts changes of owner. */
  readonly epoch: number
  /** Commits in the log, and how many of them each node that keeps a copy has applied. */
  readonly last: number
  readonly copies: Readonly<Record<string, number>>
  /** The node this shard was moved to by hand, if it was. */
  readonly pinned?: string
}

/** What this process has of one shard. */
export interface LocalShardStatus {
  readonly shard: number
  /** Served here, a copy kept here, or neither. */
  readonly role: 'owner' | 'copy' | 'none'
  readonly epoch: number
  /** Commits applied here, and how many more the log had when last looked at. */
  readonly number: number
  readonly lagEntries: number
  /** Commands in the mailbox. */
  readonly waiting: number
  /** When the oldest effect was committed that is held here and not done. */
  readonly oldestPendingAt?: number
  /** When the earliest timer is due, or was, that has not rung yet. */
  readonly timerDueAt?: number
}

/** A process of the installation as the others know it. */
export interface ClusterNode {
  readonly id: string
  /** Whether it can own shards. */
  readonly keepsShards: boolean
  /** It is about to leave and hands over what it owns. */
  readonly leaving: boolean
  /** What operators are shown of it. */
  readonly info: Readonly<Record<string, string>>
}

/** The engine as this process sees it at this moment, without asking anybody. */
export interface Inspection {
  /** Processes of the installation heard of lately, this one included. */
  readonly nodes: readonly ClusterNode[]
  /** Why this process cannot play its part, in a sentence. */
  readonly failure?: string
  readonly shards: readonly LocalShardStatus[]
}

export interface Engine extends Shards, Local {
  /** Takes up what is owed and begins to serve; resolves when this process plays its part. */
  start(): Promise<void>
  /** Finishes what was asked and what is being performed, hands over what it owns, then stays still. */
  stop(): Promise<void>
  inspect(): Inspection
  status(): Promise<readonly ShardStatus[]>
  /** Wants the shard on that node from now on; undefined lets it go where it would by itself. */
  move(shard: number, node: string | undefined): Promise<undefined | Refusal>
}

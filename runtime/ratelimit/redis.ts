/**
 * Rate limits in Redis: one atomic script for each call. While Redis is unavailable or slow, this process counts alone,
 * and `degraded` reports it.
 */
import { createHash } from 'node:crypto'
import { Redis, type Result } from 'ioredis'
import type { BudgetName } from '../../core/limits/index.js'
import { backoffMs } from '../../core/time.js'
import { type BucketShape, callUnits, toResult } from './bucket.js'
import type { Buckets, SpendResult } from './contract.js'
import { redis as limits } from './limits.js'
import { type BucketClock, BucketTable, monotonicClock, type Shapes, shapesOf } from './local.js'
import { spendScript } from './script.js'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    spendBucket(
      key: string,
      capacityUnits: number,
      refillUnitsPerMicro: number,
      priceUnits: number,
      assumedUnits: number,
    ): Result<[allowed: number, units: number, aheadMicros: number], Context>
  }
}

export interface LimitsLog {
  info(sentence: string): void
  warn(sentence: string): void
}

export interface RedisBucketsOptions {
  /** With rediss:// the connection is TLS; user and password may stand before the host. */
  readonly url: string
  /** The CA certificate of the server; absent: the CAs that Node trusts. */
  readonly tlsCa?: string
  readonly clock?: BucketClock
  readonly log?: LimitsLog
  /** How many nodes share the budgets: while Redis is unavailable, each gives out only its share. */
  readonly nodes?: () => number
  readonly commandMs?: number
}

/** The version is that of the record in the key: nodes of two versions never read each other's records. */
const keyPrefix = 'parley:limits:1'
const probeKey = `${keyPrefix}:probe`

export class RedisBuckets implements Buckets {
  readonly #client: Redis
  readonly #localBuckets: BucketTable
  readonly #log: LimitsLog | undefined
  readonly #shared: Shapes = shapesOf()
  readonly #nodes: () => number
  /** The share of one node among so many. */
  readonly #shapesByNodes = new Map<number, Shapes>()
  readonly #commandMicros: number
  #outage: string | undefined = sentenceOf('it has not answered yet')
  #hasWarned = false
  #closed = false
  #retries = 0

  constructor(options: RedisBucketsOptions) {
    const { url, tlsCa, clock = monotonicClock, log, nodes = () => 1, commandMs = limits.commandMs } = options
    this.#localBuckets = new BucketTable(clock)
    this.#log = log
    this.#nodes = nodes
    this.#commandMicros = commandMs * 1000
    this.#client = new Redis(url, {
      ...(tlsCa === undefined ? {} : { tls: { ca: tlsCa } }),
      scripts: { spendBucket: { lua: spendScript(), numberOfKeys: 1 } },
      // A call is decided by Redis at once or by this process: no call waits for a connection, and a call that may have
      // been counted is not sent again.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      commandTimeout: commandMs,
      connectTimeout: limits.connectMs,
      disconnectTimeout: limits.commandMs,
      retryStrategy: () => backoffMs(++this.#retries, { firstMs: limits.retryMs, mostMs: limits.retryMaxMs }),
    })
    // The client handles the first error of a connection, but a TLS connection may emit a second one that would be
    // uncaught.
    this.#client.on('connecting', () => setImmediate(() => this.#client.stream?.on('error', () => {})))
    this.#client.on('error', (error) => this.#markDown(reasonOf(error)))
    this.#client.on('close', () => {
      if (this.#outage === undefined) this.#markDown('the connection closed')
    })
    this.#client.on('ready', () => void this.#probe())
  }

  spend(budget: BudgetName, subject: string): SpendResult | Promise<SpendResult> {
    if (this.#outage !== undefined) return this.#spendLocally(budget, subject)
    return this.#spendShared(this.#shared[budget], budget, subject)
  }

  degraded(): string | undefined {
    return this.#outage
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#outage ??= sentenceOf('it was closed')
    const { status } = this.#client
    const ended = new Promise<void>((resolve) => this.#client.once('end', resolve))
    this.#client.disconnect()
    // Between two attempts there is no connection to wait for.
    if (status !== 'end' && status !== 'reconnecting') await ended
  }

  async #spendShared(shape: BucketShape, budget: BudgetName, subject: string): Promise<SpendResult> {
    const sentMicros = this.#localBuckets.nowMicros()
    // Two calls may take different times to reach Redis, by up to the time limit of a call: with that time added, the
    // assumed content is never below the correct content in Redis.
    const assumedUnits = this.#localBuckets.unitsAt(budget, subject, sentMicros + this.#commandMicros)
    try {
      const key = `${keyPrefix}:${budget}:${digest(subject)}`
      const [allowed, units, aheadMicros] = await this.#runScript(key, shape, assumedUnits)
      if (this.#outage === undefined) this.#localBuckets.write(budget, subject, { units, atMicros: sentMicros })
      return toResult(shape, allowed === 1, { units, atMicros: aheadMicros }, 0)
    } catch (error) {
      if (this.#outage === undefined) this.#disconnect(reasonOf(error))
      return this.#spendLocally(budget, subject)
    }
  }

  #spendLocally(budget: BudgetName, subject: string): SpendResult {
    const nodes = Math.max(1, this.#nodes())
    const shapes = this.#shapesByNodes.get(nodes) ?? shapesOf(1 / nodes)
    this.#shapesByNodes.set(nodes, shapes)
    return this.#localBuckets.spend(shapes[budget], budget, subject)
  }

  #runScript(key: string, shape: BucketShape, assumedUnits: number) {
    return this.#client.spendBucket(key, shape.capacityUnits, shape.refillUnitsPerMicro, callUnits, assumedUnits)
  }

  /** A connection alone proves little: Redis may be full, read-only or forbid scripts. A real spend tests all of it. */
  async #probe(): Promise<void> {
    try {
      await this.#runScript(probeKey, this.#shared.send, this.#shared.send.capacityUnits)
    } catch (error) {
      return this.#disconnect(reasonOf(error))
    }
    if (this.#closed) return
    if (this.#hasWarned) this.#log?.info('Redis is back: rate limits are shared by all nodes again.')
    this.#outage = undefined
    this.#hasWarned = false
    this.#retries = 0
  }

  /** Recovery always begins with a new connection, so a connection that fails a call is dropped. */
  #disconnect(reason: string): void {
    this.#markDown(reason)
    if (this.#client.status === 'ready') this.#client.disconnect(true)
  }

  #markDown(reason: string): void {
    this.#outage = sentenceOf(reason)
    if (!this.#hasWarned && !this.#closed) this.#log?.warn(this.#outage)
    this.#hasWarned = true
  }
}

function sentenceOf(reason: string): string {
  return `Redis is away (${reason}): this node counts rate limits by itself until it is back.`
}

/** The subject is the id of a key: Redis, its dumps and its monitors see only a digest of it. */
function digest(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url').slice(0, 22)
}

/** An error of the client may quote the failed command, and with it a password: only its short code is reported. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error.message === 'Command timed out') return 'no answer in time'
  const { code } = error as NodeJS.ErrnoException
  return code ?? error.message.match(/^[A-Z]{2,}\b/)?.[0] ?? 'the connection failed'
}

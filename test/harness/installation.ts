/** An installation of several nodes on one real NATS server, and a load that remembers its answers. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { isRefusal } from '../../core/errors.js'
import type { Handlers, ShardStatus, Shards } from '../../runtime/shard/contract.js'
import type { LimitOverrides } from '../../runtime/shard/limits.js'
import { act, seenOf, testHandlers } from '../contract/shards/handlers.js'
import { waitUntil } from './clock.js'
import { type ClusterNode, type NodeOptions, openNode } from './engines.js'
import { TestNats } from './nats.js'
import { createRealTime, type Time } from './time.js'

/** Gives each of the first three nodes two shards. */
export const clusterShards = 6

export class Installation {
  readonly nats: TestNats
  readonly time: Time = createRealTime()
  readonly #home = mkdtempSync(join(tmpdir(), 'parley-cluster-'))
  /** Of nodes that are opened without any of their own. */
  readonly #limits: LimitOverrides
  readonly #nodes = new Set<ClusterNode>()

  private constructor(nats: TestNats, limits: LimitOverrides) {
    this.nats = nats
    this.#limits = limits
  }

  static async make(t: Test, limits: LimitOverrides): Promise<Installation> {
    const installation = new Installation(await TestNats.start(), limits)
    t.teardown(async () => {
      installation.nats.resume()
      await Promise.all([...installation.#nodes].map((node) => node.crash()))
      await installation.nats.stop()
      rmSync(installation.#home, { recursive: true, force: true })
    })
    return installation
  }

  /** The data folder of that node. */
  dir(id: string): string {
    return join(this.#home, id)
  }

  /** A node that owns shards, joined and started. */
  async node(id: string, over: Partial<NodeOptions> = {}): Promise<ClusterNode> {
    const node = await this.open({ dir: this.dir(id), id, ...over })
    await node.engine.start()
    return node
  }

  /** A process without shards that only sends commands. */
  async client(over: Partial<NodeOptions> = {}): Promise<ClusterNode> {
    const node = await this.open(over)
    await node.engine.start()
    return node
  }

  async open(over: Partial<NodeOptions>): Promise<ClusterNode> {
    const defaults = { handlers: plain, time: this.time, servers: [this.nats.url], shards: clusterShards }
    const node = await openNode({ ...defaults, limits: this.#limits, ...over })
    this.#nodes.add(node)
    return node
  }
}

const plain: Handlers = testHandlers()

export function ownersOf(status: readonly ShardStatus[]): (string | undefined)[] {
  return status.map(({ owner }) => owner)
}

/** Waits until shards have the wanted owners, as that node reports them. */
export async function waitUntilOwned(
  node: ClusterNode,
  expected: (owners: (string | undefined)[]) => boolean,
): Promise<void> {
  await waitUntil(async () => expected(ownersOf(await node.engine.status())))
}

/** Counted over all loads, since two commands may not share an id. */
let commandCount = 0

/** Sends commands until it is stopped, each under its own id. */
export class Load {
  readonly answered = new Map<string, string[]>()
  /** Answers that leave unknown whether a command was decided. */
  readonly unknown: string[] = []
  /** Anything other than an answer. */
  readonly failed: unknown[] = []
  readonly #askers: Promise<void>[]
  #over = false

  constructor(shards: Shards, clients = 12) {
    this.#askers = Array.from({ length: clients }, (_, n) => this.#ask(shards, `owner-${n}`))
  }

  count(): number {
    return [...this.answered.values()].reduce((sum, words) => sum + words.length, 0)
  }

  /** Waits for that many more answers. */
  async waitForProgress(more = 50): Promise<void> {
    const enough = this.count() + more
    await waitUntil(() => this.count() >= enough)
  }

  async stop(): Promise<void> {
    this.#over = true
    await Promise.all(this.#askers)
  }

  async #ask(shards: Shards, owner: string): Promise<void> {
    const words: string[] = []
    this.answered.set(owner, words)
    while (!this.#over) {
      const word = `word ${++commandCount}`
      const run = [{ write: word }, { count: 1 }]
      const answer = await shards.execute(owner, act, { owner, run }, { id: word }).catch((error) => error)
      if (isRefusal(answer)) (answer.detail ? this.unknown : this.failed).push(answer.detail ? word : answer)
      else if (answer instanceof Error) this.failed.push(answer)
      else words.push(word)
    }
  }

  /**
   * Checks that every answered command is there once and in order; other entries must be of commands with an unknown
   * outcome.
   */
  async check(t: Test, shards: Shards): Promise<void> {
    for (const [owner, words] of this.answered) {
      const { journal, counted } = await seenOf({ shards }, owner)
      t.same(
        journal.filter((word) => !this.unknown.includes(word)),
        words,
        `${owner} has all ${words.length} that were answered, once and in order`,
      )
      t.equal(counted, journal.length)
      t.equal(new Set(journal).size, journal.length)
    }
  }
}

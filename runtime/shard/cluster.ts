/**
 * The cluster engine: the nodes of an installation share the shards. The log of a shard on the bus is the truth and the
 * fence; every node keeps copies of some shards in its own store and serves the shards that it owns.
 */
import { invalid } from '../../core/errors.js'
import { BusUnreachable, type Log } from '../nats/contract.js'
import type { Space } from '../store/contract.js'
import { sleep, withTimeout } from '../time.js'
import { type Copy, createCopy } from './cluster/copy.js'
import { newLineageId } from './cluster/entry.js'
import { joinInstallation, restoreInstallation } from './cluster/installation.js'
import { openMembers, ownerIdOf } from './cluster/members.js'
import { openShardOwner, type ShardOwner } from './cluster/ownership.js'
import { type CopyStatus, createPeers, servePeers } from './cluster/peers.js'
import { reseedLog } from './cluster/reseed.js'
import { createRetry } from './cluster/retry.js'
import { createRouter, serveShard } from './cluster/router.js'
import { openSettings } from './cluster/settings.js'
import { createSnapshotStore, type SnapshotStore } from './cluster/snapshotstore.js'
import type { ClusterNode, Engine, ShardStatus } from './contract.js'
import { mergeLimits } from './limits.js'
import { createIsSkippable, createSendHandler, sendKind } from './messages.js'
import type { ClusterOptions } from './options.js'
import { isShard, rendezvousRank, shardOf } from './placement.js'
import { unavailable } from './refusals.js'
import { createRegistry } from './registry.js'
import { openShard } from './shard.js'
import { createWatchers } from './watchers.js'

/** This node's parts of one shard. */
interface LocalShard {
  readonly space: Space
  readonly log: Log
  readonly copy: Copy
  readonly snapshotStore: SnapshotStore
  shardOwner?: ShardOwner
}

/** Joins the installation; nothing is served before `start`. */
export async function openCluster(options: ClusterOptions): Promise<Engine> {
  const { bus, store, node, clock, handlers } = options
  const limits = mergeLimits(options.limits)
  const { leaveMs, retryMs } = limits.cluster
  const retryUntil = createRetry(clock, limits.cluster)
  const registry = createRegistry(handlers)
  const watchers = createWatchers(options.log)
  const settings = openSettings(bus.settings, wakeAll, restore)
  const keepsShards = () => store !== undefined && store.failure() === undefined
  const members = openMembers({
    bucket: bus.members,
    node,
    keepsShards,
    clock,
    limits: limits.cluster,
    onChange: wakeAll,
  })
  const peers = createPeers(bus, () => others().map(({ id }) => id), limits)
  const ownerId = ownerIdOf(node)
  const localShards: LocalShard[] = []
  let stopServing = () => {}

  function wakeAll(): void {
    for (const { shardOwner } of localShards) shardOwner?.wake()
  }

  function restore(): void {
    restoreInstallation(bus.settings, installation, options.rootSecrets).catch(logUnreachable)
  }

  function others() {
    return members.live().filter(({ id, keepsShards: keeps }) => keeps && id !== node.id)
  }

  function rank(shard: number): string[] {
    const candidates = members.live().filter(({ id, leaving, ...member }) => {
      return !leaving && (id === node.id ? keepsShards() : member.keepsShards)
    })
    return rendezvousRank(
      shard,
      candidates.map(({ id }) => id),
      settings.pinned(shard),
    )
  }

  const servedShard = (number: number) => localShards[number]?.shardOwner?.servedShard()
  const shards = createRouter({
    ...options,
    limits: limits.shard,
    rpc: bus,
    registry,
    localShard: (number) => servedShard(number)?.shard,
  })
  const isSkippable = createIsSkippable(shards)
  const sendHandler = createSendHandler({ ...options, limits: limits.shard, shards, registry })
  const effectHandlers = { ...handlers.effectHandlers(shards), [sendKind]: sendHandler }

  async function openLocalShard(number: number): Promise<LocalShard> {
    const space = store!.space(number)
    const log = await bus.log(number)
    const snapshotStore = createSnapshotStore({
      number,
      space,
      log,
      objects: bus.objects,
      settings,
      clock,
      limits: limits.cluster,
      logger: options.log,
    })
    return { space, log, copy: createCopy(space), snapshotStore }
  }

  /**
   * Moves the data of an embedded engine from the store into logs: each log begins with this node's state as a
   * snapshot.
   */
  async function seedLogs(): Promise<void> {
    for (const [number, { copy, snapshotStore, log }] of localShards.entries()) {
      if (copy.position().number > 0 || copy.isEmpty()) continue
      const lineageId = newLineageId(options.randomBytes)
      // The new lineage begins behind the entries that an earlier attempt may have left; only the last lineage counts.
      const { last } = await retryUntil(() => log.bounds())
      await retryUntil(() =>
        reseedLog(
          { log, copy, snapshotStore, clock, limits: limits.cluster },
          { lineageId, epoch: 1, owner: '' },
          last,
        ),
      )
      await retryUntil(() => settings.markStarted(number))
    }
  }

  if (store)
    localShards.push(
      ...(await Promise.all(Array.from({ length: options.shards }, (_, number) => openLocalShard(number)))),
    )
  const installation = await joinInstallation({
    settings: bus.settings,
    store,
    shards: options.shards,
    key: options.rootKeyName,
    isEmpty: () => localShards.every(({ copy }) => copy.isEmpty()),
    seedLogs,
    retryUntil,
  })

  function openOwner({ space, log, copy, snapshotStore }: LocalShard, number: number): ShardOwner {
    return openShardOwner({
      number,
      nodeId: node.id,
      ownerId,
      log,
      copy,
      members,
      peers,
      settings,
      snapshotStore,
      rank: () => rank(number),
      open: (ownership) =>
        openShard({
          ...options,
          limits: limits.shard,
          number,
          space,
          registry,
          effectHandlers,
          isSkippable,
          ...ownership,
          onCommit: watchers.notify,
        }),
      serve: () => serveShard(bus, number, registry, () => servedShard(number)?.shard),
      newLineageId: () => newLineageId(options.randomBytes),
      clock,
      limits: limits.cluster,
      logger: options.log,
    })
  }

  function ownStatus(): CopyStatus[] {
    return localShards.map(({ copy, shardOwner }, shard) => {
      const { lineageId, epoch, owner, number, ancestors } = copy.position()
      return {
        shard,
        lineageId,
        epoch,
        owner,
        number,
        ...(ancestors && { ancestors }),
        owned: shardOwner?.servedShard() !== undefined,
      }
    })
  }

  async function status(): Promise<readonly ShardStatus[]> {
    const nodes = new Map([...(await peers.statuses()), [node.id, ownStatus()] as const])
    return Array.from({ length: options.shards }, (_, shard) => {
      const copies = [...nodes].flatMap(([id, statuses]) => {
        const copy = statuses[shard]
        return copy && copy.number > 0 ? [{ id, ...copy }] : []
      })
      return {
        shard,
        owner: copies.find(({ owned }) => owned)?.id,
        epoch: Math.max(0, ...copies.map(({ epoch }) => epoch)),
        last: Math.max(0, ...copies.map(({ number }) => number)),
        copies: Object.fromEntries(copies.map(({ id, number }) => [id, number])),
        pinned: settings.pinned(shard),
      }
    })
  }

  /** Includes this node even while its heartbeats do not reach the bus. */
  function nodes(): readonly ClusterNode[] {
    const live = members.live()
    if (live.some(({ id }) => id === node.id)) return live
    return [{ id: node.id, keepsShards: keepsShards(), leaving: false, info: node.info }, ...live]
  }

  /**
   * The other nodes take the shards while this node is still a member; it releases those that no node takes within
   * `leaveMs`. Without the NATS servers it can hand nothing over, and its lease expires.
   */
  async function leave(): Promise<void> {
    await members.announceLeaving().catch(logUnreachable)
    const deadline = clock.monotonic() + leaveMs
    while (others().length > 0 && localShards.some((_, shard) => servedShard(shard)) && clock.monotonic() < deadline) {
      await sleep(clock, retryMs / 5)
    }
    // All shards stop their effects before the first one closes: an effect of one shard may report to another.
    await Promise.all(localShards.map(({ shardOwner }) => shardOwner?.quiesce()))
    await withTimeout(clock, leaveMs, Promise.all(localShards.map(({ shardOwner }) => shardOwner?.stop())), undefined)
    stopServing()
    await members.stop().catch(logUnreachable)
  }

  function logUnreachable(error: unknown): void {
    options.log.warn('cluster.unreachable', { error })
  }

  return {
    ...shards,
    watch: watchers.watch,
    ownershipEpoch: (owner) => servedShard(shardOf(owner, options.shards))?.ownershipEpoch,
    async start() {
      await retryUntil(settings.start)
      if (store) {
        stopServing = servePeers(bus, node.id, {
          release: async (shard) => (await localShards[shard]?.shardOwner?.release()) ?? true,
          forceTakeover: (shard) => localShards[shard]?.shardOwner?.forceTakeover(),
          status: ownStatus,
        })
      }
      await retryUntil(members.start)
      for (const [number, localShard] of localShards.entries()) localShard.shardOwner = openOwner(localShard, number)
    },
    async stop() {
      await leave()
      settings.stop()
    },
    inspect() {
      const hasNoLease = members.leaseEpoch() === undefined
      const failure = hasNoLease ? 'The heartbeats of this node do not reach the NATS servers.' : undefined
      return {
        nodes: nodes(),
        failure: bus.failure() ?? store?.failure()?.message ?? failure,
        shards: localShards.flatMap(({ shardOwner }) => shardOwner?.inspect() ?? []),
      }
    },
    status,
    async move(shard, to) {
      if (!isShard(shard, options.shards)) return invalid('shard', 'there is no such shard')
      if (to !== undefined && !members.live().some(({ id, keepsShards: keeps }) => keeps && id === to)) {
        return invalid('node', 'no such node is there that keeps shards')
      }
      try {
        await settings.pin(shard, to)
      } catch (error) {
        if (error instanceof BusUnreachable) return unavailable
        throw error
      }
    },
  }
}

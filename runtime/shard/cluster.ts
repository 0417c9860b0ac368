/**
 * The cluster engine: shards are divided among the nodes of an installation. The log of a shard on the bus is the truth and
 * the fence; every node keeps copies of some shards in its own store and serves those it owns.
 */
import { invalid } from '../../core/errors.js'
import { cluster as limits } from '../../core/limits.js'
import { BusUnreachable, type Log } from '../nats/contract.js'
import type { Space } from '../store/contract.js'
import { sleep, withTimeout } from '../time.js'
import { type Copy, openCopy } from './cluster/copy.js'
import { newLine } from './cluster/entry.js'
import { foundLog } from './cluster/founding.js'
import { joinInstallation, restoreInstallation } from './cluster/join.js'
import { holderOf, openMembers } from './cluster/members.js'
import { insist } from './cluster/patience.js'
import { type CopyStatus, openPeers, servePeers } from './cluster/peers.js'
import { openRouter, serveShard } from './cluster/router.js'
import { openSettings } from './cluster/settings.js'
import { openShelf, type Shelf } from './cluster/shelf.js'
import { openTender, type Tender } from './cluster/tender.js'
import type { Engine, NodeSeen, ShardStatus } from './contract.js'
import type { ClusterOptions } from './options.js'
import { isShard, rankOf, shardOf } from './place.js'
import { openRegistry } from './registry.js'
import { openShard } from './shard.js'
import { idleHere, tellKind, tellPerformer } from './tell.js'
import { unavailable } from './unavailable.js'
import { openWatchers } from './watchers.js'

/** What this node has of one shard. */
interface Kept {
  readonly space: Space
  readonly log: Log
  readonly copy: Copy
  readonly shelf: Shelf
  tender?: Tender
}

/** Joins the installation; nothing is served before `start`. */
export async function openCluster(options: ClusterOptions): Promise<Engine> {
  const { bus, store, node, clock, repertoire } = options
  const registry = openRegistry(repertoire)
  const watchers = openWatchers(options.log)
  const settings = openSettings(bus.settings, nudgeAll, restore)
  const keepsShards = () => store !== undefined && store.failure() === undefined
  const members = openMembers({ bucket: bus.members, node, keepsShards, clock, changed: nudgeAll })
  const peers = openPeers(bus, () => others().map(({ id }) => id))
  const me = holderOf(node)
  const kept: Kept[] = []
  let unserve = () => {}

  function nudgeAll(): void {
    for (const { tender } of kept) tender?.nudge()
  }

  function restore(): void {
    restoreInstallation(bus.settings, installation, options.rootSecrets).catch(noteSilence)
  }

  function others() {
    return members.live().filter(({ id, keepsShards: keeps }) => keeps && id !== node.id)
  }

  function rank(shard: number): string[] {
    const able = members.live().filter(({ id, leaving, ...member }) => {
      return !leaving && (id === node.id ? keepsShards() : member.keepsShards)
    })
    return rankOf(
      shard,
      able.map(({ id }) => id),
      settings.pinned(shard),
    )
  }

  const serving = (number: number) => kept[number]?.tender?.serving()
  const shards = openRouter({ ...options, rpc: bus, registry, here: (number) => serving(number)?.shard })
  const isIdle = idleHere(shards)
  const tell = tellPerformer({ ...options, shards, registry })
  const performers = { ...repertoire.performers(shards), [tellKind]: tell }

  async function keep(number: number): Promise<Kept> {
    const space = store!.space(number)
    const log = await bus.log(number)
    const shelf = openShelf({ number, space, log, snapshots: bus.objects, settings, clock, say: options.log })
    return { space, log, copy: openCopy(space), shelf }
  }

  /** Brings what an embedded engine left in the store into logs: each begins with this node's state as a snapshot. */
  async function found(): Promise<void> {
    for (const [number, { copy, shelf, log }] of kept.entries()) {
      if (copy.position().number > 0 || copy.isEmpty()) continue
      const line = newLine(options.randomBytes)
      // What an earlier try may have left in the log is passed over: the line that counts is the last one.
      const { last } = await insist(clock, () => log.bounds())
      await insist(clock, () => foundLog({ log, copy, shelf, clock }, { line, epoch: 1, holder: '' }, last))
      await insist(clock, () => settings.begin(number))
    }
  }

  if (store) kept.push(...(await Promise.all(Array.from({ length: options.shards }, (_, number) => keep(number)))))
  const installation = await joinInstallation({
    settings: bus.settings,
    store,
    shards: options.shards,
    key: options.rootKeyName,
    isEmpty: () => kept.every(({ copy }) => copy.isEmpty()),
    found,
    clock,
  })

  function tend({ space, log, copy, shelf }: Kept, number: number): Tender {
    return openTender({
      number,
      nodeId: node.id,
      me,
      log,
      copy,
      members,
      peers,
      settings,
      shelf,
      rank: () => rank(number),
      open: (ways) =>
        openShard({ ...options, number, space, registry, performers, isIdle, ...ways, changed: watchers.tell }),
      serve: () => serveShard(bus, number, registry, () => serving(number)?.shard),
      newLine: () => newLine(options.randomBytes),
      clock,
      say: options.log,
    })
  }

  function ownStatus(): CopyStatus[] {
    return kept.map(({ copy, tender }, shard) => {
      const { line, epoch, holder, number, parents } = copy.position()
      return { shard, line, epoch, holder, number, ...(parents && { parents }), owned: tender?.serving() !== undefined }
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

  /** This node is among them even while nobody hears it. */
  function nodes(): readonly NodeSeen[] {
    const live = members.live()
    if (live.some(({ id }) => id === node.id)) return live
    return [{ id: node.id, keepsShards: keepsShards(), leaving: false, about: node.about }, ...live]
  }

  /**
   * Others take the shards while this node is still there; what nobody takes in time it lets go of. Without the servers
   * nothing can be handed over, and the others find out by themselves.
   */
  async function leave(): Promise<void> {
    await members.announceLeaving().catch(noteSilence)
    const ends = clock.elapsed() + limits.leaveMs
    while (others().length > 0 && kept.some((_, shard) => serving(shard)) && clock.elapsed() < ends) {
      await sleep(clock, limits.againMs / 5)
    }
    // All rest before the first is closed: what is performed for one may have to be reported to another.
    await Promise.all(kept.map(({ tender }) => tender?.rest()))
    await withTimeout(clock, limits.leaveMs, Promise.all(kept.map(({ tender }) => tender?.stop())), undefined)
    unserve()
    await members.stop().catch(noteSilence)
  }

  function noteSilence(error: unknown): void {
    options.log.warn('cluster.unheard', { error })
  }

  return {
    ...shards,
    watch: watchers.watch,
    tenure: (owner) => serving(shardOf(owner, options.shards))?.tenure,
    async start() {
      await insist(clock, settings.start)
      if (store) {
        unserve = servePeers(bus, node.id, {
          release: async (shard) => (await kept[shard]?.tender?.release()) ?? true,
          rescue: (shard) => kept[shard]?.tender?.rescue(),
          status: ownStatus,
        })
      }
      await insist(clock, members.start)
      for (const [number, each] of kept.entries()) each.tender = tend(each, number)
    },
    async stop() {
      await leave()
      settings.stop()
    },
    inspect() {
      const isSilent = members.lease() === undefined
      const trouble = isSilent ? 'This node cannot make itself heard by the others.' : undefined
      return {
        nodes: nodes(),
        trouble: bus.failure() ?? store?.failure()?.message ?? trouble,
        shards: kept.flatMap(({ tender }) => tender?.inspect() ?? []),
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

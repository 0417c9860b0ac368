/**
 * The ownership of one shard on one node: follows the log when the node should keep a copy, takes the shard over when
 * the node should own it and no other can be serving it, serves it, and releases it on request, without a lease, or
 * when the log names another owner.
 */

import type { Clock } from '../../clock.js'
import type { Log as CommitLog } from '../../nats/contract.js'
import type { Log } from '../../observe/log.js'
import type { Change } from '../../store/contract.js'
import { serialCommits } from '../../store/deferredcommit.js'
import type { LocalShardStatus } from '../contract.js'
import { LogTruncated, NotOwner, OutcomeUnknown } from '../errors.js'
import type { ClusterLimits } from '../limits.js'
import type { OwnedShard, ShardOptions } from '../ownedshard.js'
import type { Copy, Position } from './copy.js'
import { createAssembler, type Entry, encodeEntry } from './entry.js'
import { LogStartMissing, openFollower } from './follower.js'
import { appendWithRetry } from './logwriter.js'
import type { Members } from './members.js'
import type { Peers } from './peers.js'
import { reseedLog } from './reseed.js'
import type { Settings } from './settings.js'
import type { SnapshotStore } from './snapshotstore.js'

export interface ServedShard {
  readonly shard: OwnedShard
  readonly ownershipEpoch: number
}

export interface ShardOwner {
  /** The shard, while this node owns it and no other can. */
  servedShard(): ServedShard | undefined
  inspect(): LocalShardStatus
  /** The ranking of nodes for the shard may have changed. */
  wake(): void
  /**
   * Releases the shard if another node should own it. True: this node does not serve it, and will not in this epoch.
   */
  release(): Promise<boolean>
  /** Takes the shard although another node ranks first: this copy is the only one with all entries. */
  forceTakeover(): void
  /** Lets running effects end, and starts no more; the shard still answers. */
  quiesce(): Promise<void>
  /** Hands over or releases the shard, and ends. */
  stop(): Promise<void>
}

export interface ShardOwnerOptions {
  readonly number: number
  readonly nodeId: string
  /** This node and its incarnation, as owner entries name it. */
  readonly ownerId: string
  readonly log: CommitLog
  readonly copy: Copy
  readonly members: Members
  readonly peers: Peers
  readonly settings: Settings
  readonly snapshotStore: SnapshotStore
  /** Nodes in the order in which they should have the shard; includes this one while it can own shards. */
  readonly rank: () => readonly string[]
  /** Opens the shard for serving. */
  readonly open: (ownership: Pick<ShardOptions, 'commit' | 'isStillOwner'>) => OwnedShard
  /** Serves the shard to other nodes until the returned function is called. */
  readonly serve: (shard: OwnedShard) => () => void
  readonly newLineageId: () => string
  readonly clock: Clock
  readonly limits: ClusterLimits
  readonly logger: Log
}

export function openShardOwner(options: ShardOwnerOptions): ShardOwner {
  const { number, nodeId, ownerId, log, copy, members, peers, settings, snapshotStore, clock, logger } = options
  const { limits } = options
  const follower = openFollower({ ...options, isNeeded: () => !stopping, onChange: wake })
  let current: Ownership | undefined
  let lastOwnershipEpoch = 0
  let isTakeoverForced = false
  let stopping = false
  /** The last failure that persists; it is logged once. */
  let lastFailure = ''
  let isRequestingRelease = false
  let isTakingOver = false
  let isCommitting = false
  /** The epoch of an owner that answered that it does not serve. To serve again it must first begin another epoch. */
  let releasedBy: Pick<Position, 'owner' | 'epoch'> | undefined
  let wakeWaiter: (() => void) | undefined

  function wake(): void {
    if (current && members.leaseEpoch() !== current.leaseEpoch) {
      current.lose('lost')
      current.shard.lose()
    }
    wakeWaiter?.()
  }

  /** Resolves at the next `wake`, or after `withinMs`. */
  function waitForWake(withinMs?: number): Promise<void> {
    if (stopping) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = withinMs === undefined ? undefined : clock.setTimer(clock.now() + withinMs, done)
      function done(): void {
        cancel?.()
        wakeWaiter = undefined
        resolve()
      }
      wakeWaiter = done
    })
  }

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        await runStep()
        lastFailure = ''
      } catch (error) {
        const { message } = error as Error
        if (message !== lastFailure) logger.warn('shard.ownership.failed', { shard: number, error })
        lastFailure = message
        follower.stop()
        await waitForWake(limits.retryMs)
      }
    }
    follower.stop()
  }

  async function runStep(): Promise<void> {
    const rank = options.rank().indexOf(nodeId)
    if (!isTakeoverForced && (rank < 0 || rank >= limits.copies)) {
      follower.stop()
      // Whether this node can own shards depends on its own store, and no event reports a change.
      return waitForWake(rank < 0 ? limits.heartbeatEveryMs : undefined)
    }
    const last = await catchUp()
    if (stopping) return
    if (rank > 0 && !isTakeoverForced) return waitForWake(limits.pollEveryMs)
    isTakingOver = true
    let hasAttempted: boolean
    try {
      hasAttempted = (await mayTakeOver()) && (await takeOver(last))
    } finally {
      isTakingOver = false
    }
    if (!hasAttempted) await waitForWake(limits.retryMs)
  }

  /** When the log has lost its start, a node whose copy is complete is asked to reseed it. */
  async function catchUp(): Promise<number> {
    try {
      return await follower.catchUp()
    } catch (error) {
      if (error instanceof LogStartMissing) await isAheadElsewhere(error.end.last, error.end.lineageId)
      throw error
    }
  }

  /** Whether no other node can be serving the shard; asks a possible owner to release it. */
  async function mayTakeOver(): Promise<boolean> {
    await copy.flush()
    const { owner, epoch } = copy.position()
    if (owner === '' || owner === ownerId || (await members.isDown(owner))) return true
    if (releasedBy?.owner === owner && releasedBy.epoch === epoch) return true
    if (!isRequestingRelease) void requestRelease(owner, epoch)
    return false
  }

  async function requestRelease(owner: string, epoch: number): Promise<void> {
    isRequestingRelease = true
    if (await peers.release(owner.split('/')[0]!, number)) releasedBy = { owner, epoch }
    isRequestingRelease = false
    wake()
  }

  /**
   * Takes the shard and serves it until it is lost. False when the takeover is not possible yet and nothing was tried.
   */
  async function takeOver(last: number): Promise<boolean> {
    const leaseEpoch = members.leaseEpoch()
    const position = copy.position()
    // The rest of the log can no longer complete this copy: a node with a complete copy must take the shard.
    if (!copy.isComplete() && last <= position.number) await isAheadElsewhere(last, position.lineageId)
    if (leaseEpoch === undefined || !copy.isComplete() || copy.readTo() < last) return false
    const isAhead = last < position.number
    if (!isAhead && (await isAheadElsewhere(last, position.lineageId))) return false
    if (position.lineageId === '' && settings.hasStarted(number))
      throw new Error('the log of the shard is lost, and so is every copy that could be read')
    follower.stop()
    await copy.flush()
    if (copy.position() !== position) return true
    const epoch = position.epoch + 1
    const lineageId = isAhead || position.lineageId === '' ? options.newLineageId() : position.lineageId
    if (isAhead && (await isServedElsewhere(last))) return false
    const isOwner = isAhead
      ? await tryWrite(() => reseedLog(options, { lineageId, epoch, owner: ownerId }, last))
      : await append(lineageId, { kind: 'owner', epoch, owner: ownerId }, last)
    if (!isOwner) return true
    isTakeoverForced = false
    if (isAhead) logger.error('shard.log.reseeded', { shard: number, last, known: position.number, line: lineageId })
    if (isAhead || !settings.hasStarted(number)) await settings.markStarted(number)
    if (members.leaseEpoch() === leaseEpoch && !stopping) await serveUntilLost(leaseEpoch, lineageId, epoch)
    return true
  }

  /** Whether another node took the shard on the remaining log and serves it; asks that node to release it. */
  async function isServedElsewhere(last: number): Promise<boolean> {
    const message = last > 0 ? await log.read(last) : undefined
    const owner = message && createAssembler().add(message)?.owner
    if (!owner || owner === ownerId || (await members.isDown(owner))) return false
    return !(await peers.release(owner.split('/')[0]!, number))
  }

  /** False when another node wrote there first. */
  async function append(lineageId: string, entry: Entry, after: number): Promise<boolean> {
    const messages = encodeEntry(lineageId, entry, log.entryBytes)
    return tryWrite(async () => {
      await appendWithRetry(options, messages, after)
      await copy.apply(lineageId, entry, after + messages.length)
    })
  }

  /**
   * The servers may have lost the end of the log while another copy still has it: then that node must take the shard.
   */
  async function isAheadElsewhere(last: number, lineageId: string): Promise<boolean> {
    const furthest = await peers.findFurthest(number, { lineageId, last })
    if (!furthest) return false
    if ((await log.bounds()).last > last) return true
    logger.error('shard.log.rolled_back', { shard: number, last, known: furthest.number, node: furthest.node })
    await peers.forceTakeover(furthest.node, number)
    return true
  }

  async function serveUntilLost(leaseEpoch: number, lineageId: string, epoch: number): Promise<void> {
    const snapshotter = snapshotStore.createSnapshotter(copy, lineageId)
    let committing: Promise<unknown> = Promise.resolve()
    const shard = options.open({
      commit: serialCommits((changes) => {
        const done = commit(changes, lineageId, epoch)
        committing = done.then(snapshotter.addEntry, () => {})
        return done
      }),
      isStillOwner: () => members.leaseEpoch() === leaseEpoch,
    })
    const stopServing = options.serve(shard)
    const ownership = createOwnership(shard, leaseEpoch, ++lastOwnershipEpoch)
    current = ownership
    isTakingOver = false
    logger.info('shard.owned', { shard: number, epoch })
    shard.start()
    wake()
    const stopCheckingLog = checkLogPeriodically(ownership)
    const reason = await ownership.lost
    stopCheckingLog()
    if (reason === 'release') {
      await shard.quiesce()
      await shard.close()
    }
    const isStillOwner = reason === 'release' && members.leaseEpoch() === leaseEpoch
    current = undefined
    stopServing()
    shard.lose()
    snapshotter.stop()
    await committing
    logger.info('shard.released', { shard: number, epoch, how: reason })
    try {
      if (isStillOwner) await recordRelease(lineageId, epoch + 1)
    } finally {
      ownership.end()
    }
  }

  /** Appends that the shard has no owner; reseeds the log first if the servers have lost entries. */
  async function recordRelease(lineageId: string, epoch: number): Promise<void> {
    const { last } = await log.bounds()
    const position = copy.position()
    if (last >= position.number)
      return void (await append(lineageId, { kind: 'owner', epoch, owner: '' }, position.number))
    await tryWrite(() => reseedLog(options, { lineageId: options.newLineageId(), epoch, owner: '' }, last))
  }

  /**
   * While no commits are appended, only this check detects that another node continued the log, or that the servers
   * lost it.
   */
  function checkLogPeriodically(ownership: Ownership): () => void {
    let cancel = clock.setTimer(clock.now() + limits.pollEveryMs, checkLog)
    async function checkLog(): Promise<void> {
      const before = copy.position()
      const bounds = await log.bounds().catch(() => undefined)
      const isIdle = copy.position() === before && !isCommitting
      if (bounds && (bounds.last < before.number || (isIdle && bounds.last > before.number))) ownership.lose('lost')
      else if (current === ownership) cancel = clock.setTimer(clock.now() + limits.pollEveryMs, checkLog)
    }
    return () => cancel()
  }

  /** Resolves with the size of the entry. After any failure the node must take the shard again. */
  async function commit(changes: readonly Change[], lineageId: string, epoch: number): Promise<number> {
    isCommitting = true
    try {
      const entry: Entry = { kind: 'commit', epoch, owner: ownerId, changes }
      const messages = encodeEntry(lineageId, entry, log.entryBytes)
      const after = copy.position().number
      await appendWithRetry(options, messages, after)
      await copy.apply(lineageId, entry, after + messages.length)
      return messages.reduce((sum, message) => sum + message.length, 0)
    } catch (error) {
      current?.lose('lost')
      if (error instanceof NotOwner) throw error
      throw error instanceof LogTruncated ? new NotOwner(error.message) : new OutcomeUnknown((error as Error).message)
    } finally {
      isCommitting = false
    }
  }

  async function releaseOwnership(): Promise<void> {
    const ownership = current
    ownership?.lose('release')
    await ownership?.ended
  }

  function servedShard(): ServedShard | undefined {
    return current && members.leaseEpoch() === current.leaseEpoch ? current : undefined
  }

  const running = run()
  return {
    servedShard,
    inspect() {
      const { epoch, number: applied } = copy.position()
      const owned = servedShard()
      return {
        shard: number,
        role: owned ? 'owner' : follower.isFollowing() ? 'copy' : 'none',
        epoch,
        number: applied,
        lagEntries: owned ? 0 : Math.max(0, follower.logEnd() - applied),
        ...(owned?.shard.load() ?? { waiting: 0 }),
      }
    },
    wake,
    async release() {
      // A node that does not serve the shard would have to begin another epoch first, even when it ranks first.
      if (isTakingOver || (current && options.rank()[0] === nodeId)) return false
      await releaseOwnership()
      return true
    },
    forceTakeover() {
      isTakeoverForced = true
      wake()
    },
    async quiesce() {
      await current?.shard.quiesce()
    },
    async stop() {
      stopping = true
      await releaseOwnership()
      follower.stop()
      wakeWaiter?.()
      await running
    },
  }
}

/** False when another node wrote there first, or the log has lost entries. */
async function tryWrite(write: () => Promise<void>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (error instanceof NotOwner || error instanceof LogTruncated || error instanceof OutcomeUnknown) return false
    throw error
  }
}

interface Ownership extends ServedShard {
  readonly leaseEpoch: number
  readonly lost: Promise<'lost' | 'release'>
  readonly ended: Promise<void>
  lose(reason: 'lost' | 'release'): void
  end(): void
}

function createOwnership(shard: OwnedShard, leaseEpoch: number, ownershipEpoch: number): Ownership {
  let lose: Ownership['lose'] = () => {}
  let end: Ownership['end'] = () => {}
  const lost = new Promise<'lost' | 'release'>((resolve) => {
    lose = resolve
  })
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { shard, leaseEpoch, ownershipEpoch, lost, ended, lose, end }
}

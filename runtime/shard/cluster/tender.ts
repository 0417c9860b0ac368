/**
 * Looks after one shard on one node, for as long as the node lives: keeps a copy when it should have one, takes the shard
 * over when it should own it and nobody else can be serving it, serves it, and lets go when it is asked to, loses its
 * lease, or finds another owner in the log.
 */
import { cluster as limits } from '../../../core/limits.js'
import type { Clock } from '../../clock.js'
import type { Log as CommitLog } from '../../nats/contract.js'
import type { Log } from '../../observe/log.js'
import type { Change } from '../../store/contract.js'
import { serialCommits } from '../../store/deferredcommit.js'
import type { ShardHere } from '../contract.js'
import { Moved, RolledBack, Unsure } from '../lost.js'
import type { OwnedShard, ShardOptions } from '../shard.js'
import { appendForSure } from './append.js'
import type { Copy, Position } from './copy.js'
import { type Entry, messagesOf, openAssembler } from './entry.js'
import { NoBeginning, openFollower } from './follower.js'
import { foundLog } from './founding.js'
import type { Members } from './members.js'
import type { Peers } from './peers.js'
import type { Settings } from './settings.js'
import type { Shelf } from './shelf.js'

export interface Serving {
  readonly shard: OwnedShard
  readonly tenure: number
}

export interface Tender {
  /** The shard, while this node owns it and nobody else can. */
  serving(): Serving | undefined
  inspect(): ShardHere
  /** Something may have changed that decides who should have the shard. */
  nudge(): void
  /** Lets go of the shard if another node should own it. True: it is not served here, nor will it be in this epoch. */
  release(): Promise<boolean>
  /** Takes the shard although it is not this node's turn: its copy is the only one that knows everything. */
  rescue(): void
  /** Lets effects under way end, and starts no more; the shard still answers. */
  rest(): Promise<void>
  /** Hands over or lets go, and stops looking after the shard. */
  stop(): Promise<void>
}

export interface TenderOptions {
  readonly number: number
  readonly nodeId: string
  /** This node and this life, as owner entries name it. */
  readonly me: string
  readonly log: CommitLog
  readonly copy: Copy
  readonly members: Members
  readonly peers: Peers
  readonly settings: Settings
  readonly shelf: Shelf
  /** Nodes in the order in which they should have the shard, this one among them while it can. */
  readonly rank: () => readonly string[]
  /** Opens the shard for serving. */
  readonly open: (ways: Pick<ShardOptions, 'commit' | 'isOurs'>) => OwnedShard
  /** Lets others ask the shard here, until the returned function is called. */
  readonly serve: (shard: OwnedShard) => () => void
  readonly newLine: () => string
  readonly clock: Clock
  readonly say: Log
}

export function openTender(options: TenderOptions): Tender {
  const { number, nodeId, me, log, copy, members, peers, settings, shelf, clock, say } = options
  const follower = openFollower({ ...options, isWanted: () => !stopping, changed: nudge })
  let current: Owning | undefined
  let tenures = 0
  let rescuing = false
  let stopping = false
  /** What went wrong last and is not mended yet; it is said once. */
  let complaint = ''
  let asking = false
  let taking = false
  let isCommitting = false
  /** The epoch of a holder that said it does not serve. Whoever would serve again must begin another one first. */
  let freed: Pick<Position, 'holder' | 'epoch'> | undefined
  let wakeUp: (() => void) | undefined

  function nudge(): void {
    if (current && members.lease() !== current.lease) {
      current.lose('lost')
      current.shard.abandon()
    }
    wakeUp?.()
  }

  /** Resolves at the next nudge, or after a while. */
  function nudged(withinMs?: number): Promise<void> {
    if (stopping) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = withinMs === undefined ? undefined : clock.wake(clock.now() + withinMs, done)
      function done(): void {
        cancel?.()
        wakeUp = undefined
        resolve()
      }
      wakeUp = done
    })
  }

  async function tend(): Promise<void> {
    while (!stopping) {
      try {
        await step()
        complaint = ''
      } catch (error) {
        const { message } = error as Error
        if (message !== complaint) say.warn('shard.tend.failed', { shard: number, error })
        complaint = message
        follower.stop()
        await nudged(limits.againMs)
      }
    }
    follower.stop()
  }

  async function step(): Promise<void> {
    const place = options.rank().indexOf(nodeId)
    if (!rescuing && (place < 0 || place >= limits.copies)) {
      follower.stop()
      // Whether this node can have shards is its own business: nobody tells it when it can again.
      return nudged(place < 0 ? limits.beatEveryMs : undefined)
    }
    const last = await reachEnd()
    if (stopping) return
    if (place > 0 && !rescuing) return nudged(limits.lookEveryMs)
    taking = true
    let couldTry: boolean
    try {
      couldTry = (await mayTake()) && (await own(last))
    } finally {
      taking = false
    }
    if (!couldTry) await nudged(limits.againMs)
  }

  /** Where nothing can be made of the log, whoever still knows the shard is asked to found it anew. */
  async function reachEnd(): Promise<number> {
    try {
      return await follower.reachEnd()
    } catch (error) {
      if (error instanceof NoBeginning) await isKnownFurther(error.end.last, error.end.line)
      throw error
    }
  }

  /** Whether nobody else can be serving the shard; asks whoever might be to let go of it. */
  async function mayTake(): Promise<boolean> {
    await copy.settled()
    const { holder, epoch } = copy.position()
    if (holder === '' || holder === me || (await members.isGone(holder))) return true
    if (freed?.holder === holder && freed.epoch === epoch) return true
    if (!asking) void askForIt(holder, epoch)
    return false
  }

  async function askForIt(holder: string, epoch: number): Promise<void> {
    asking = true
    if (await peers.release(holder.split('/')[0]!, number)) freed = { holder, epoch }
    asking = false
    nudge()
  }

  /** Takes the shard and serves it until it is lost. False when it is not the time, and nothing was tried. */
  async function own(last: number): Promise<boolean> {
    const lease = members.lease()
    const at = copy.position()
    // A copy that what is left of the log cannot make whole any more: whoever has it all must take the shard.
    if (!copy.isWhole() && last <= at.number) await isKnownFurther(last, at.line)
    if (lease === undefined || !copy.isWhole() || copy.reached() < last) return false
    const isAhead = last < at.number
    if (!isAhead && (await isKnownFurther(last, at.line))) return false
    if (at.line === '' && settings.hasBegun(number))
      throw new Error('the log of the shard is gone, and so is every copy at hand')
    follower.stop()
    await copy.settled()
    if (copy.position() !== at) return true
    const epoch = at.epoch + 1
    const line = isAhead || at.line === '' ? options.newLine() : at.line
    if (isAhead && (await isServedBehind(last))) return false
    const took = isAhead
      ? await wasFirst(() => foundLog(options, { line, epoch, holder: me }, last))
      : await append(line, { kind: 'owner', epoch, holder: me }, last)
    if (!took) return true
    rescuing = false
    if (isAhead) say.error('shard.log.founded', { shard: number, last, known: at.number, line })
    if (isAhead || !settings.hasBegun(number)) await settings.begin(number)
    if (members.lease() === lease && !stopping) await serveUntilLost(lease, line, epoch)
    return true
  }

  /** Whether somebody took the shard on what the servers have left of the log; then it is asked to let go. */
  async function isServedBehind(last: number): Promise<boolean> {
    const message = last > 0 ? await log.read(last) : undefined
    const holder = message && openAssembler().add(message)?.holder
    if (!holder || holder === me || (await members.isGone(holder))) return false
    return !(await peers.release(holder.split('/')[0]!, number))
  }

  /** False when somebody else wrote there first. */
  async function append(line: string, entry: Entry, after: number): Promise<boolean> {
    const messages = messagesOf(line, entry, log.entryBytes)
    return wasFirst(async () => {
      await appendForSure(log, clock, messages, after)
      await copy.apply(line, entry, after + messages.length)
    })
  }

  /** The servers may have lost the end of the log while another copy still has it: then that node must take the shard. */
  async function isKnownFurther(last: number, line: string): Promise<boolean> {
    const found = await peers.furthest(number, { line, last })
    if (!found) return false
    if ((await log.bounds()).last > last) return true
    say.error('shard.log.rolled_back', { shard: number, last, known: found.number, node: found.node })
    await peers.rescue(found.node, number)
    return true
  }

  async function serveUntilLost(lease: number, line: string, epoch: number): Promise<void> {
    const snapshots = shelf.keeper(copy, line)
    let committing: Promise<unknown> = Promise.resolve()
    const shard = options.open({
      commit: serialCommits((changes) => {
        const done = commit(changes, line, epoch)
        committing = done.then(snapshots.grown, () => {})
        return done
      }),
      isOurs: () => members.lease() === lease,
    })
    const unserve = options.serve(shard)
    const owning = openOwning(shard, lease, ++tenures)
    current = owning
    taking = false
    say.info('shard.owned', { shard: number, epoch })
    shard.start()
    nudge()
    const lookNoMore = lookAtLog(owning)
    const how = await owning.lost
    lookNoMore()
    if (how === 'release') {
      await shard.rest()
      await shard.close()
    }
    const isOurs = how === 'release' && members.lease() === lease
    current = undefined
    unserve()
    shard.abandon()
    snapshots.stop()
    await committing
    say.info('shard.left', { shard: number, epoch, how })
    try {
      if (isOurs) await sayLeft(line, epoch + 1)
    } finally {
      owning.end()
    }
  }

  /** Writes that nobody has the shard, and before that the whole shard if the servers have lost it. */
  async function sayLeft(line: string, epoch: number): Promise<void> {
    const { last } = await log.bounds()
    const at = copy.position()
    if (last >= at.number) return void (await append(line, { kind: 'owner', epoch, holder: '' }, at.number))
    await wasFirst(() => foundLog(options, { line: options.newLine(), epoch, holder: '' }, last))
  }

  /** While nothing is committed, nobody would notice that the log went on without its owner, or that the servers lost it. */
  function lookAtLog(owning: Owning): () => void {
    let cancel = clock.wake(clock.now() + limits.lookEveryMs, look)
    async function look(): Promise<void> {
      const before = copy.position()
      const ends = await log.bounds().catch(() => undefined)
      const isIdle = copy.position() === before && !isCommitting
      if (ends && (ends.last < before.number || (isIdle && ends.last > before.number))) owning.lose('lost')
      else if (current === owning) cancel = clock.wake(clock.now() + limits.lookEveryMs, look)
    }
    return () => cancel()
  }

  /** Resolves with the size of the entry. Whatever goes wrong, the shard is no longer ours until we took it again. */
  async function commit(changes: readonly Change[], line: string, epoch: number): Promise<number> {
    isCommitting = true
    try {
      const entry: Entry = { kind: 'commit', epoch, holder: me, changes }
      const messages = messagesOf(line, entry, log.entryBytes)
      const after = copy.position().number
      await appendForSure(log, clock, messages, after)
      await copy.apply(line, entry, after + messages.length)
      return messages.reduce((sum, message) => sum + message.length, 0)
    } catch (error) {
      current?.lose('lost')
      if (error instanceof Moved) throw error
      throw error instanceof RolledBack ? new Moved(error.message) : new Unsure((error as Error).message)
    } finally {
      isCommitting = false
    }
  }

  async function letGo(): Promise<void> {
    const owning = current
    owning?.lose('release')
    await owning?.ended
  }

  function serving(): Serving | undefined {
    return current && members.lease() === current.lease ? current : undefined
  }

  const tending = tend()
  return {
    serving,
    inspect() {
      const { epoch, number: applied } = copy.position()
      const owned = serving()
      return {
        shard: number,
        part: owned ? 'owner' : follower.isFollowing() ? 'copy' : 'none',
        epoch,
        number: applied,
        behind: owned ? 0 : Math.max(0, follower.logEnd() - applied),
        ...(owned?.shard.load() ?? { waiting: 0 }),
      }
    },
    nudge,
    async release() {
      // Whoever does not serve it would begin another epoch first, even when it is its turn.
      if (taking || (current && options.rank()[0] === nodeId)) return false
      await letGo()
      return true
    },
    rescue() {
      rescuing = true
      nudge()
    },
    async rest() {
      await current?.shard.rest()
    },
    async stop() {
      stopping = true
      await letGo()
      follower.stop()
      wakeUp?.()
      await tending
    },
  }
}

/** False when somebody else wrote there first, or the log is not what it was. */
async function wasFirst(write: () => Promise<void>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (error instanceof Moved || error instanceof RolledBack || error instanceof Unsure) return false
    throw error
  }
}

interface Owning extends Serving {
  readonly lease: number
  readonly lost: Promise<'lost' | 'release'>
  readonly ended: Promise<void>
  lose(how: 'lost' | 'release'): void
  end(): void
}

function openOwning(shard: OwnedShard, lease: number, tenure: number): Owning {
  let lose: Owning['lose'] = () => {}
  let end: Owning['end'] = () => {}
  const lost = new Promise<'lost' | 'release'>((resolve) => {
    lose = resolve
  })
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { shard, lease, tenure, lost, ended, lose, end }
}

/**
 * Membership by heartbeats and leases. A node without a successful heartbeat for the length of a lease owns nothing any
 * more, and learns of it before the other nodes do, because they wait longer.
 */

import type { Clock } from '../../clock.js'
import type { Bucket, KvEntry } from '../../nats/contract.js'
import { decodePlain, encodePlain } from '../../store/codec.js'
import type { ClusterNode } from '../contract.js'
import type { ClusterLimits } from '../limits.js'
import type { NodeIdentity } from '../options.js'

export interface Member extends ClusterNode {
  readonly incarnation: string
}

export interface Members {
  /** Resolves after the first heartbeat, when this node knows the other members. */
  start(): Promise<void>
  /**
   * A number while this node holds its lease; a different one after each gap. Shards that were owned under one number
   * are lost with it.
   */
  leaseEpoch(): number | undefined
  /** The live nodes, this one included. */
  live(): readonly Member[]
  /**
   * Whether that owner (an id and its incarnation) can no longer be serving. Reads the bucket first, so that no node is
   * declared down on stale data.
   */
  isDown(owner: string): Promise<boolean>
  announceLeaving(): Promise<void>
  /** Removes this node's entry, so that the others need not wait for its silence. */
  stop(): Promise<void>
}

interface SeenMember {
  readonly revision: number
  readonly member?: Member
  /** When this node first saw this revision. */
  readonly at: number
}

export function ownerIdOf({ id, incarnation }: Pick<NodeIdentity, 'id' | 'incarnation'>): string {
  return `${id}/${incarnation}`
}

export function openMembers(options: {
  bucket: Bucket
  node: NodeIdentity
  /** Whether this node can own shards now. */
  keepsShards: () => boolean
  clock: Clock
  limits: Pick<ClusterLimits, 'heartbeatEveryMs' | 'leaseMs' | 'graceMs'>
  /** Called when a node joined, left or changed, and when this node lost its lease. */
  onChange: () => void
}): Members {
  const { bucket, node, keepsShards, clock, limits, onChange } = options
  const seenMembers = new Map<string, SeenMember>()
  let leaving = false
  let stopped = false
  let leaseEndsAt = Number.NEGATIVE_INFINITY
  let currentLeaseEpoch = 0
  let cancelHeartbeat: (() => void) | undefined
  let cancelEnd: (() => void) | undefined
  let unwatch: (() => void) | undefined

  async function heartbeat(): Promise<void> {
    const sentAt = clock.monotonic()
    const value = { incarnation: node.incarnation, keepsShards: keepsShards(), leaving, info: node.info }
    await bucket.put(node.id, encodePlain(value))
    if (stopped) return
    const now = clock.monotonic()
    const hasEnded = now >= leaseEndsAt
    if (hasEnded) currentLeaseEpoch++
    leaseEndsAt = Math.max(leaseEndsAt, sentAt + limits.leaseMs)
    cancelEnd?.()
    cancelEnd = clock.setTimer(clock.now() + Math.max(0, leaseEndsAt - now), onChange)
    // In a process that was paused the timer of the old lease may not have fired, and it never will.
    if (hasEnded) onChange()
  }

  function runHeartbeat(): void {
    if (stopped) return
    heartbeat().catch(() => {})
    detectSilent()
    cancelHeartbeat = clock.setTimer(clock.now() + limits.heartbeatEveryMs, runHeartbeat)
  }

  function recordEntry(id: string, { revision, value }: KvEntry): void {
    const before = seenMembers.get(id)
    if (before && before.revision === revision) return
    const member = value && decodeMember(id, value)
    seenMembers.set(id, { revision, member, at: clock.monotonic() })
    if (!isSame(before?.member, member)) onChange()
  }

  /** Detects silent nodes at each heartbeat. */
  let liveNames = ''
  function detectSilent(): void {
    const names = live().map(ownerIdOf).sort().join()
    if (names !== liveNames) onChange()
    liveNames = names
  }

  function isSilent({ at }: SeenMember, now = clock.monotonic()): boolean {
    return now - at > limits.leaseMs + limits.graceMs
  }

  function live(): Member[] {
    return [...seenMembers.values()].flatMap((each) => (each.member && !isSilent(each) ? [each.member] : []))
  }

  return {
    async start() {
      unwatch ??= await bucket.watch(recordEntry)
      await heartbeat()
      recordEntry(node.id, (await bucket.get(node.id))!)
      runHeartbeat()
    },
    leaseEpoch: () => (clock.monotonic() < leaseEndsAt ? currentLeaseEpoch : undefined),
    live,
    async isDown(owner) {
      const [id = '', incarnation] = owner.split('/')
      const previous = seenMembers.get(id)
      const queriedAt = clock.monotonic()
      if (previous?.member && previous.member.incarnation === incarnation && !isSilent(previous, queriedAt))
        return false
      const entry = await bucket.get(id)
      recordEntry(id, entry ?? { revision: 0 })
      const current = seenMembers.get(id)!
      // The node may have sent a heartbeat since the answer, so its silence counts up to the question only.
      if (current.member) return current.member.incarnation !== incarnation || isSilent(current, queriedAt)
      // The node removed itself, or was never seen: a node that was never seen may still be trying to send its first
      // heartbeat.
      return entry !== undefined || isSilent(current, queriedAt)
    },
    async announceLeaving() {
      leaving = true
      await heartbeat()
    },
    async stop() {
      stopped = true
      cancelHeartbeat?.()
      cancelEnd?.()
      unwatch?.()
      leaseEndsAt = Number.NEGATIVE_INFINITY
      await bucket.remove(node.id)
    },
  }
}

function decodeMember(id: string, value: Uint8Array): Member {
  const { incarnation, keepsShards, leaving, info } = decodePlain(value) as Omit<Member, 'id'>
  return { id, incarnation, keepsShards, leaving, info }
}

function isSame(a: Member | undefined, b: Member | undefined): boolean {
  return a?.incarnation === b?.incarnation && a?.leaving === b?.leaving && a?.keepsShards === b?.keepsShards
}

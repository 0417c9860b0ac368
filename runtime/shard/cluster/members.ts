/**
 * Who is there. Every node says so at short intervals; one that could not make itself heard for the length of a lease
 * owns nothing any more, and knows it before the others do, because they wait longer than it does.
 */
import { cluster as limits } from '../../../core/limits.js'
import type { Clock } from '../../clock.js'
import type { Bucket, KvEntry } from '../../nats/contract.js'
import { decodePlain, encodePlain } from '../../store/codec.js'
import type { NodeSeen } from '../contract.js'
import type { NodeName } from '../options.js'

export interface Member extends NodeSeen {
  readonly life: string
}

export interface Members {
  /** Resolves when this node has been heard and knows who else is there. */
  start(): Promise<void>
  /**
   * A number while this node counts as alive for everybody; another one each time it was silent for too long in between.
   * What was owned under one number is lost with it.
   */
  lease(): number | undefined
  /** Those heard of lately, this node included. */
  live(): readonly Member[]
  /** Whether that owner (an id and its life) cannot be serving any more. Asks the bus, so that nobody is declared dead unheard. */
  isGone(holder: string): Promise<boolean>
  announceLeaving(): Promise<void>
  /** Says goodbye, so that nobody has to wait. */
  stop(): Promise<void>
}

interface Seen {
  readonly revision: number
  readonly member?: Member
  /** When this revision was first seen. */
  readonly at: number
}

export function holderOf({ id, life }: Pick<NodeName, 'id' | 'life'>): string {
  return `${id}/${life}`
}

export function openMembers(options: {
  bucket: Bucket
  node: NodeName
  /** Whether this node can own shards now. */
  keepsShards: () => boolean
  clock: Clock
  /** Called when somebody came, went or changed, and when this node lost its lease. */
  changed: () => void
}): Members {
  const { bucket, node, keepsShards, clock, changed } = options
  const seen = new Map<string, Seen>()
  let leaving = false
  let stopped = false
  let leaseEnds = Number.NEGATIVE_INFINITY
  let leaseNumber = 0
  let cancelBeat: (() => void) | undefined
  let cancelEnd: (() => void) | undefined
  let unwatch: (() => void) | undefined

  async function beat(): Promise<void> {
    const sentAt = clock.elapsed()
    const value = { life: node.life, keepsShards: keepsShards(), leaving, about: node.about }
    await bucket.put(node.id, encodePlain(value))
    if (stopped) return
    const now = clock.elapsed()
    const hasEnded = now >= leaseEnds
    if (hasEnded) leaseNumber++
    leaseEnds = Math.max(leaseEnds, sentAt + limits.leaseMs)
    cancelEnd?.()
    cancelEnd = clock.wake(clock.now() + Math.max(0, leaseEnds - now), changed)
    // In a process that stood still the timer of the old lease may not have fired, and it never will.
    if (hasEnded) changed()
  }

  function beatOnAndOn(): void {
    if (stopped) return
    beat().catch(() => {})
    dropSilent()
    cancelBeat = clock.wake(clock.now() + limits.beatEveryMs, beatOnAndOn)
  }

  function note(id: string, { revision, value }: KvEntry): void {
    const before = seen.get(id)
    if (before && before.revision === revision) return
    const member = value && read(id, value)
    seen.set(id, { revision, member, at: clock.elapsed() })
    if (!isSame(before?.member, member)) changed()
  }

  /** One that is silent is dropped from the living when the next beat finds it so. */
  let living = ''
  function dropSilent(): void {
    const names = live().map(holderOf).sort().join()
    if (names !== living) changed()
    living = names
  }

  function isSilent({ at }: Seen, now = clock.elapsed()): boolean {
    return now - at > limits.leaseMs + limits.graceMs
  }

  function live(): Member[] {
    return [...seen.values()].flatMap((each) => (each.member && !isSilent(each) ? [each.member] : []))
  }

  return {
    async start() {
      unwatch ??= await bucket.watch(note)
      await beat()
      note(node.id, (await bucket.get(node.id))!)
      beatOnAndOn()
    },
    lease: () => (clock.elapsed() < leaseEnds ? leaseNumber : undefined),
    live,
    async isGone(holder) {
      const [id = '', life] = holder.split('/')
      const heard = seen.get(id)
      const askedAt = clock.elapsed()
      if (heard?.member && heard.member.life === life && !isSilent(heard, askedAt)) return false
      const held = await bucket.get(id)
      note(id, held ?? { revision: 0 })
      const known = seen.get(id)!
      // It may have been heard since the answer was given, so silence counts up to the question only.
      if (known.member) return known.member.life !== life || isSilent(known, askedAt)
      // Removed by itself, or never heard of: then it may still be trying to make itself heard.
      return held !== undefined || isSilent(known, askedAt)
    },
    async announceLeaving() {
      leaving = true
      await beat()
    },
    async stop() {
      stopped = true
      cancelBeat?.()
      cancelEnd?.()
      unwatch?.()
      leaseEnds = Number.NEGATIVE_INFINITY
      await bucket.remove(node.id)
    },
  }
}

function read(id: string, value: Uint8Array): Member {
  const { life, keepsShards, leaving, about } = decodePlain(value) as Omit<Member, 'id'>
  return { id, life, keepsShards, leaving, about }
}

function isSame(a: Member | undefined, b: Member | undefined): boolean {
  return a?.life === b?.life && a?.leaving === b?.leaving && a?.keepsShards === b?.keepsShards
}

/**
 * Who on this node follows the record of which visitor. The process that owns a record notices every change of it and
 * says so to its own followers and over the bus, to whichever nodes have any. A notice may be lost: it says only how far
 * the record goes, and followers look by themselves now and then, so that a lost one costs time and never a line.
 */
import { webchat as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { Rpc } from '../nats/contract.js'
import type { Local } from '../shard/contract.js'
import { decodePlain, encodePlain } from '../store/codec.js'
import { type Head, headTable } from './transcript.js'

export interface Follower {
  /** The record is known to go so far. It may be known already. */
  noticed(head: Head): void
  /** It is time to look whether there is more. */
  look(): void
}

export interface Followers {
  /** From now on until it is taken back. */
  follow(asid: string, follower: Follower): void
  unfollow(asid: string, follower: Follower): void
  close(): void
}

export interface FollowersOptions {
  readonly local: Pick<Local, 'watch'>
  /** Absent where there is one process alone. */
  readonly bus?: Rpc
  readonly clock: Clock
}

const taken = new Uint8Array(0)

/** A word of a subject has no underscore; an asid has one, behind its prefix. */
function subjectOf(asid: string): string {
  return `webchat.${asid.replace('_', '-')}`
}

export function openFollowers({ local, bus, clock }: FollowersOptions): Followers {
  const groups = new Map<string, Group>()

  function notice(asid: string, head: Head): void {
    for (const follower of groups.get(asid)?.followers ?? []) follower.noticed(head)
  }

  local.watch(headTable, ([asid], head) => {
    if (!head) return
    notice(asid, head)
    // Mostly nobody else listens; whoever did not hear it looks by himself.
    bus?.request(subjectOf(asid), encodePlain(head), limits.noticeMs).catch(() => undefined)
  })

  function begin(asid: string): Group {
    const unserve = bus?.serve(subjectOf(asid), async (body) => {
      notice(asid, decodePlain(body) as Head)
      return taken
    })
    const group = new Group(clock, unserve)
    groups.set(asid, group)
    return group
  }

  return {
    follow(asid, follower) {
      const group = groups.get(asid) ?? begin(asid)
      group.followers = [...group.followers, follower]
    },
    unfollow(asid, follower) {
      const group = groups.get(asid)
      if (!group) return
      group.followers = group.followers.filter((each) => each !== follower)
      if (group.followers.length > 0) return
      group.end()
      groups.delete(asid)
    },
    close() {
      for (const group of groups.values()) group.end()
    },
  }
}

/** Those who follow one visitor, mostly one page. A class, since there are as many as pages. */
class Group {
  /** Another list with every change: whoever is told may leave meanwhile. */
  followers: readonly Follower[] = []
  private cancel: () => void

  constructor(
    private readonly clock: Clock,
    private readonly unserve: (() => void) | undefined,
  ) {
    this.cancel = this.lookIn(limits.firstLookMs)
  }

  private lookIn(ms: number): () => void {
    return this.clock.wake(this.clock.now() + ms, () => {
      this.cancel = this.lookIn(limits.lookEveryMs)
      for (const follower of this.followers) follower.look()
    })
  }

  end(): void {
    this.cancel()
    this.unserve?.()
  }
}

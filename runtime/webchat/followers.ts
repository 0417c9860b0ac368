/**
 * Who on this node follows the record of which visitor. The process that owns a record notices every change of it and
 * says so to its own followers and over the bus, to whichever nodes have any. A notice may be lost: it says only how far
 * the record goes, and followers look by themselves now and then, so that a lost one costs time and never a line.
 */
import { webchat as limits } from '../../core/limits.js'
import type { Wire } from '../bus/contract.js'
import type { Clock } from '../clock.js'
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
  /** Until the returned function is called. */
  follow(asid: string, follower: Follower): () => void
  close(): void
}

export interface FollowersOptions {
  readonly local: Pick<Local, 'watch'>
  /** Absent where there is one process alone. */
  readonly bus?: Wire
  readonly clock: Clock
}

interface Group {
  readonly followers: Set<Follower>
  end(): void
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
    const followers = new Set<Follower>()
    const unserve = bus?.serve(subjectOf(asid), async (body) => {
      notice(asid, decodePlain(body) as Head)
      return taken
    })
    let cancel = wakeIn(limits.firstLookMs)
    function wakeIn(ms: number): () => void {
      return clock.wake(clock.now() + ms, () => {
        cancel = wakeIn(limits.lookEveryMs)
        for (const follower of followers) follower.look()
      })
    }
    const group: Group = {
      followers,
      end() {
        cancel()
        unserve?.()
        groups.delete(asid)
      },
    }
    groups.set(asid, group)
    return group
  }

  return {
    follow(asid, follower) {
      const group = groups.get(asid) ?? begin(asid)
      group.followers.add(follower)
      return () => {
        if (group.followers.delete(follower) && group.followers.size === 0) group.end()
      }
    },
    close() {
      for (const group of groups.values()) group.end()
    },
  }
}

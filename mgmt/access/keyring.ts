/** Every API key in memory by its hash, so that a call is recognised without a read: what a commit changes, it knows. */
import { timingSafeEqual } from 'node:crypto'
import { expandScopes, type Member, roleOfKey } from '../../core/access.js'
import { apiKey as limits } from '../../core/limits.js'
import type { Clock } from '../../runtime/clock.js'
import type { Shards, Watch } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { hashKey, shownPrefix } from './keys.js'
import { type KeyRecord, keyTable, markKeyUsed } from './store.js'

export interface Keyring {
  /** Undefined for a key that is unknown, revoked or expired. */
  find(key: string): Member | undefined
  /** Whether the key of that id is still good. */
  holds(orgId: string, keyId: string): boolean
}

interface Held {
  readonly member: Member
  readonly hash: Buffer
  readonly expiresAt: number
  usedAt: number
}

export function openKeyring(options: { reader: Reader; shards: Shards & Watch; clock: Clock }): Keyring {
  const { reader, shards, clock } = options
  const byName = new Map<string, Held>()
  const byMark = new Map<number, Held[]>()
  /**
   * Keys seen of late, by the beginning that reads show anyway: comparing one whole, in constant time, is cheaper than
   * hashing it again. Every change of a key empties this, so it never knows more than the keys themselves do.
   */
  const recent = new Map<string, { readonly bytes: Buffer; readonly held: Held }>()

  function take([orgId, keyId]: readonly [string, string], record: KeyRecord | undefined): void {
    recent.clear()
    const name = `${orgId}/${keyId}`
    const before = byName.get(name)
    if (before) {
      const mark = markOf(before.hash)
      byMark.set(mark, byMark.get(mark)?.filter((each) => each !== before) ?? [])
      if (byMark.get(mark)?.length === 0) byMark.delete(mark)
    }
    byName.delete(name)
    if (!record) return
    const key = held(record)
    byName.set(name, key)
    byMark.set(markOf(key.hash), [...(byMark.get(markOf(key.hash)) ?? []), key])
  }

  shards.watch(keyTable, take)
  for (const { key, value } of reader.range(keyTable)) take(key, value)

  function recognise(key: string): Held | undefined {
    const bytes = Buffer.from(key)
    const prefix = shownPrefix(key)
    const seen = recent.get(prefix)
    if (seen && seen.bytes.length === bytes.length && timingSafeEqual(seen.bytes, bytes)) return seen.held
    const hash = hashKey(key)
    const held = byMark.get(markOf(hash))?.find((each) => timingSafeEqual(each.hash, hash))
    if (!held) return undefined
    if (recent.size >= limits.recentKeys) recent.clear()
    recent.set(prefix, { bytes, held })
    return held
  }

  /** Written at most once in a while for each key: a busy key must not make every call a write. */
  function noteUse(key: Held, now: number): void {
    if (now - key.usedAt < limits.lastUsedEveryMs) return
    key.usedAt = now
    const { orgId, id } = key.member
    shards.ask(orgId, markKeyUsed, { orgId, keyId: id, at: now }).catch(() => {
      // A store that cannot write says so to every caller that needs it; a use not noted harms nobody.
    })
  }

  return {
    find(key) {
      const found = recognise(key)
      if (!found) return undefined
      const now = clock.now()
      if (found.expiresAt <= now) return undefined
      noteUse(found, now)
      return found.member
    },
    holds(orgId, keyId) {
      const found = byName.get(`${orgId}/${keyId}`)
      return found !== undefined && found.expiresAt > clock.now()
    },
  }
}

/** The first bytes of a hash narrow the search; what they tell apart is compared whole, in constant time. */
function markOf(hash: Buffer): number {
  return hash.readUInt32LE(0)
}

function held(record: KeyRecord): Held {
  return {
    member: {
      kind: 'key',
      id: record.id,
      orgId: record.orgId,
      role: roleOfKey(record.scopes),
      scopes: new Set(expandScopes(record.scopes)),
      isSysop: record.sysop === true,
    },
    hash: Buffer.from(record.hash),
    expiresAt: record.expiresAt ? Date.parse(record.expiresAt) : Number.POSITIVE_INFINITY,
    usedAt: record.lastUsedAt ? Date.parse(record.lastUsedAt) : 0,
  }
}

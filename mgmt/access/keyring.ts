/** Every API key in memory by its hash, so that a call is recognised without a read: what a commit changes, it knows. */
import { timingSafeEqual } from 'node:crypto'
import { expandScopes, type Member, roleOfKey } from '../../core/access.js'
import { apiKey as limits } from '../../core/limits.js'
import type { Clock } from '../../runtime/clock.js'
import type { Shards, Watch } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { hashKey } from './keys.js'
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
  const byHash = new Map<string, Held>()
  const hashOf = new Map<string, string>()

  function take([orgId, keyId]: readonly [string, string], record: KeyRecord | undefined): void {
    const name = `${orgId}/${keyId}`
    const before = hashOf.get(name)
    if (before) byHash.delete(before)
    hashOf.delete(name)
    if (!record) return
    hashOf.set(name, record.hash)
    byHash.set(record.hash, held(record))
  }

  shards.watch(keyTable, take)
  for (const { key, value } of reader.range(keyTable)) take(key, value)

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
      const hash = hashKey(key)
      const found = byHash.get(hash)
      if (!found || !timingSafeEqual(found.hash, Buffer.from(hash))) return undefined
      const now = clock.now()
      if (found.expiresAt <= now) return undefined
      noteUse(found, now)
      return found.member
    },
    holds(orgId, keyId) {
      const found = byHash.get(hashOf.get(`${orgId}/${keyId}`) ?? '')
      return found !== undefined && found.expiresAt > clock.now()
    },
  }
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

/**
 * Authenticates API keys on any node. The location of a key (org and id) never changes and is cached. Its status is
 * queried from its org's shard on each call, unless this process owns that shard and so sees every change before the
 * change is answered.
 */
import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { expandScopes, type Member, roleOfKey } from '../../core/access.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { apiKey as limits } from '../../core/limits/index.js'
import type { Clock } from '../../runtime/clock.js'
import type { Local, Shards } from '../../runtime/shard/contract.js'
import type { KeyCommands } from './commands.js'
import { keyIndex, ownerOfHash } from './keyindex.js'
import { hashKey, keyPrefix } from './keys.js'
import { type KeyRef, type KeyStatus, keyQueries, keyStatusOf, keyTable } from './store.js'

/** Answers synchronously when the caches suffice. A refusal means that the shard could not be asked. */
export interface ApiKeyAuth {
  /** Undefined for a key that is unknown, revoked or expired. */
  verify(key: string): Member | undefined | Promise<Member | undefined | Refusal>
  /** The current status of the key of that id; undefined as above. Does not count as a use of the key. */
  byId(orgId: string, keyId: string): Member | undefined | Promise<Member | undefined | Refusal>
}

interface CachedMember {
  readonly member: Member
  readonly expiresAt: number
  usedAt: number
}

/** A key of a shard that this process owns: valid while the ownership epoch lasts, and updated when the key changes. */
interface CachedKey extends KeyRef {
  readonly epoch: number
  /** The whole key, once a call has presented it: a constant-time comparison is cheaper than another hash. */
  readonly text?: { readonly prefix: string; readonly bytes: Buffer }
  cachedMember: CachedMember
}

export function createApiKeyAuth(options: {
  shards: Shards & Local
  commands: Pick<KeyCommands, 'recordUse'>
  clock: Clock
}): ApiKeyAuth {
  const { shards, commands, clock } = options
  const refCache = new LRUCache<string, KeyRef>({ max: limits.cachedKeys })
  const lastUseCache = new LRUCache<string, number>({ max: limits.cachedKeys })
  /** Cached keys whose text is known, by the prefix that reads show anyway. */
  const byPrefix = new Map<string, CachedKey>()
  const keyCache = new LRUCache<string, CachedKey>({
    max: limits.cachedKeys,
    dispose(key) {
      if (key.text && byPrefix.get(key.text.prefix) === key) byPrefix.delete(key.text.prefix)
    },
  })
  let changes = 0

  shards.watch(keyTable, ([orgId, keyId], record) => {
    changes++
    const key = keyCache.get(cacheKeyOf({ orgId, keyId }))
    if (!key) return
    if (record) key.cachedMember = cachedMemberOf(key, keyStatusOf(record))
    else keyCache.delete(cacheKeyOf(key))
  })

  function addToCache(key: CachedKey): void {
    keyCache.set(cacheKeyOf(key), key)
    if (key.text) byPrefix.set(key.text.prefix, key)
  }

  const isCurrent = (key: CachedKey): boolean => shards.ownershipEpoch(key.orgId) === key.epoch

  /**
   * Caches the org's answer only if no key changed while the query ran: a key that was revoked meanwhile must not come
   * back. Concurrent calls do not share a query, since it may have started before a change that the caller knows of.
   */
  async function loadCachedMember(
    ref: KeyRef,
    load: () => Promise<KeyStatus | null | Refusal>,
    text?: CachedKey['text'],
  ): Promise<CachedMember | undefined | Refusal> {
    const [epoch, changesBefore] = [shards.ownershipEpoch(ref.orgId), changes]
    const status = await load()
    if (!status || isRefusal(status)) return status ?? undefined
    const cachedMember = cachedMemberOf(ref, status)
    if (epoch !== undefined && changes === changesBefore) addToCache({ ...ref, epoch, text, cachedMember })
    return cachedMember
  }

  async function verifyByHash(key: string, bytes: Buffer): Promise<Member | undefined | Refusal> {
    const hash = hashKey(key)
    const ref = await loadRef(hash)
    if (!ref || isRefusal(ref)) return ref ?? undefined
    const text = { prefix: keyPrefix(key), bytes }
    const load = () => shards.query(ref.orgId, keyQueries.verify, { ...ref, hash })
    const cachedMember = await loadCachedMember(ref, load, text)
    return !cachedMember || isRefusal(cachedMember) ? cachedMember : admit(cachedMember)
  }

  /** A missing row is never cached: the key may be created at any moment. */
  async function loadRef(hash: Buffer): Promise<KeyRef | null | Refusal> {
    const owner = ownerOfHash(hash)
    const cached = refCache.get(owner)
    if (cached) return cached
    const ref = await shards.query(owner, keyIndex.find, { hash })
    if (ref && !isRefusal(ref)) refCache.set(owner, ref)
    return ref
  }

  const isValid = ({ expiresAt }: CachedMember, now: number): boolean => expiresAt > now

  function admit(cachedMember: CachedMember): Member | undefined {
    const now = clock.now()
    if (!isValid(cachedMember, now)) return undefined
    if (now - cachedMember.usedAt >= limits.lastUsedEveryMs) recordUse(cachedMember, now)
    return cachedMember.member
  }

  /**
   * Writes the last use of a key at most once per `lastUsedEveryMs`, so that a busy key does not make every call a
   * write.
   */
  function recordUse(cachedMember: CachedMember, now: number): void {
    cachedMember.usedAt = now
    const ref = { orgId: cachedMember.member.orgId, keyId: cachedMember.member.id }
    const cacheKey = cacheKeyOf(ref)
    if (now - (lastUseCache.get(cacheKey) ?? Number.NEGATIVE_INFINITY) < limits.lastUsedEveryMs) return
    lastUseCache.set(cacheKey, now)
    shards.execute(ref.orgId, commands.recordUse, { ...ref, at: now }).catch(() => {
      // A failing store reports itself to every caller that needs it; a last use that is not recorded does no harm.
    })
  }

  return {
    verify(key) {
      const bytes = Buffer.from(key)
      const cached = byPrefix.get(keyPrefix(key))
      const text = cached?.text?.bytes
      if (cached && text?.length === bytes.length && timingSafeEqual(text, bytes) && isCurrent(cached)) {
        return admit(cached.cachedMember)
      }
      return verifyByHash(key, bytes)
    },
    byId(orgId, keyId) {
      const ref = { orgId, keyId }
      const memberIfValid = (cachedMember: CachedMember) =>
        isValid(cachedMember, clock.now()) ? cachedMember.member : undefined
      const cached = keyCache.get(cacheKeyOf(ref))
      if (cached && isCurrent(cached)) return memberIfValid(cached.cachedMember)
      const cachedMember = loadCachedMember(ref, () => shards.query(orgId, keyQueries.status, ref))
      return cachedMember.then((each) => (!each || isRefusal(each) ? each : memberIfValid(each)))
    },
  }
}

function cacheKeyOf({ orgId, keyId }: KeyRef): string {
  return `${orgId}/${keyId}`
}

function cachedMemberOf({ orgId, keyId }: KeyRef, { scopes, sysop, expiresAt, lastUsedAt }: KeyStatus): CachedMember {
  return {
    member: {
      kind: 'key',
      id: keyId,
      orgId,
      role: roleOfKey(scopes),
      scopes: new Set(expandScopes(scopes)),
      isSysop: sysop,
    },
    expiresAt: expiresAt ?? Number.POSITIVE_INFINITY,
    usedAt: lastUsedAt ?? 0,
  }
}

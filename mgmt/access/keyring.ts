/**
 * Recognises API keys on any node. Where a key is never changes and is remembered; whether it is good is asked of its org
 * each time, except while this process owns the org's shard and so hears of every change before anybody else does.
 */
import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { expandScopes, type Member, roleOfKey } from '../../core/access.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { apiKey as limits } from '../../core/limits.js'
import type { Clock } from '../../runtime/clock.js'
import type { Local, Shards } from '../../runtime/shard/contract.js'
import type { KeyCommands } from './commands.js'
import { keyIndex, ownerOfHash } from './keyindex.js'
import { hashKey, shownPrefix } from './keys.js'
import { type KeyPlace, type KeyStanding, keyQueries, keyTable, standingOf } from './store.js'

/** What is known at once is answered at once. A refusal says that the shard in question could not be asked. */
export interface Keyring {
  /** Undefined for a key that is unknown, revoked or expired. */
  find(key: string): Member | undefined | Promise<Member | undefined | Refusal>
  /** What the key of that id is now; undefined as above. Does not count as a use of it. */
  byId(orgId: string, keyId: string): Member | undefined | Promise<Member | undefined | Refusal>
}

interface Bearer {
  readonly member: Member
  readonly expiresAt: number
  usedAt: number
}

/** A key of a shard that this process owns: good for as long as the tenure lasts, and changed when the key is. */
interface Held extends KeyPlace {
  readonly tenure: number
  /** The whole key, once somebody has shown it: comparing it in constant time is cheaper than hashing it again. */
  readonly text?: { readonly prefix: string; readonly bytes: Buffer }
  bearer: Bearer
}

export function openKeyring(options: {
  shards: Shards & Local
  commands: Pick<KeyCommands, 'used'>
  clock: Clock
}): Keyring {
  const { shards, commands, clock } = options
  const places = new LRUCache<string, KeyPlace>({ max: limits.recentKeys })
  const usesNoted = new LRUCache<string, number>({ max: limits.recentKeys })
  /** The held ones whose text is known, by the beginning that reads show anyway. */
  const byPrefix = new Map<string, Held>()
  const held = new LRUCache<string, Held>({
    max: limits.recentKeys,
    dispose(key) {
      if (key.text && byPrefix.get(key.text.prefix) === key) byPrefix.delete(key.text.prefix)
    },
  })
  let changes = 0

  shards.watch(keyTable, ([orgId, keyId], record) => {
    changes++
    const key = held.get(nameOf({ orgId, keyId }))
    if (!key) return
    if (record) key.bearer = bearerOf(key, standingOf(record))
    else held.delete(nameOf(key))
  })

  function hold(key: Held): void {
    held.set(nameOf(key), key)
    if (key.text) byPrefix.set(key.text.prefix, key)
  }

  const isCurrent = (key: Held): boolean => shards.tenure(key.orgId) === key.tenure

  /**
   * What the org answers is held only if nothing changed while it was asked: a key that was revoked meanwhile must not
   * come back. Nobody joins another's question either, for it may have been put before a change that he has heard of.
   */
  async function inquire(
    place: KeyPlace,
    question: () => Promise<KeyStanding | null | Refusal>,
    text?: Held['text'],
  ): Promise<Bearer | undefined | Refusal> {
    const [tenure, changesBefore] = [shards.tenure(place.orgId), changes]
    const standing = await question()
    if (!standing || isRefusal(standing)) return standing ?? undefined
    const found = bearerOf(place, standing)
    if (tenure !== undefined && changes === changesBefore) hold({ ...place, tenure, text, bearer: found })
    return found
  }

  async function recognise(key: string, bytes: Buffer): Promise<Member | undefined | Refusal> {
    const hash = hashKey(key)
    const place = await placeOf(hash)
    if (!place || isRefusal(place)) return place ?? undefined
    const text = { prefix: shownPrefix(key), bytes }
    const ask = () => shards.read(place.orgId, keyQueries.recognise, { ...place, hash })
    const found = await inquire(place, ask, text)
    return !found || isRefusal(found) ? found : admitted(found)
  }

  /** That a key is nowhere is never remembered: it may be made at any moment. */
  async function placeOf(hash: Buffer): Promise<KeyPlace | null | Refusal> {
    const owner = ownerOfHash(hash)
    const known = places.get(owner)
    if (known) return known
    const found = await shards.read(owner, keyIndex.find, { hash })
    if (found && !isRefusal(found)) places.set(owner, found)
    return found
  }

  const isGood = ({ expiresAt }: Bearer, now: number): boolean => expiresAt > now

  function admitted(bearer: Bearer): Member | undefined {
    const now = clock.now()
    if (!isGood(bearer, now)) return undefined
    if (now - bearer.usedAt >= limits.lastUsedEveryMs) noteUse(bearer, now)
    return bearer.member
  }

  /** Written at most once in a while for each key: a busy key must not make every call a write. */
  function noteUse(bearer: Bearer, now: number): void {
    bearer.usedAt = now
    const place = { orgId: bearer.member.orgId, keyId: bearer.member.id }
    const name = nameOf(place)
    if (now - (usesNoted.get(name) ?? Number.NEGATIVE_INFINITY) < limits.lastUsedEveryMs) return
    usesNoted.set(name, now)
    shards.ask(place.orgId, commands.used, { ...place, at: now }).catch(() => {
      // A store that cannot write says so to every caller that needs it; a use not noted harms nobody.
    })
  }

  return {
    find(key) {
      const bytes = Buffer.from(key)
      const seen = byPrefix.get(shownPrefix(key))
      const text = seen?.text?.bytes
      if (seen && text?.length === bytes.length && timingSafeEqual(text, bytes) && isCurrent(seen)) {
        return admitted(seen.bearer)
      }
      return recognise(key, bytes)
    },
    byId(orgId, keyId) {
      const place = { orgId, keyId }
      const good = (bearer: Bearer) => (isGood(bearer, clock.now()) ? bearer.member : undefined)
      const known = held.get(nameOf(place))
      if (known && isCurrent(known)) return good(known.bearer)
      const found = inquire(place, () => shards.read(orgId, keyQueries.standing, place))
      return found.then((each) => (!each || isRefusal(each) ? each : good(each)))
    },
  }
}

function nameOf({ orgId, keyId }: KeyPlace): string {
  return `${orgId}/${keyId}`
}

function bearerOf({ orgId, keyId }: KeyPlace, { scopes, sysop, expiresAt, lastUsedAt }: KeyStanding): Bearer {
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

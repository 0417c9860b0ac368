/**
 * The door for whoever acts with a sign-in: tokens that are renewed before they run out, by one process at a time, and
 * the one place where the use of a credential moves its status.
 */
import type { NotGranted, Tokens } from '../../core/connections/grant.js'
import { isUsable, troubles } from '../../core/connections/status.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { http, oauth as limits } from '../../core/limits.js'
import type { Clock } from '../../runtime/clock.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Sealer } from '../../runtime/store/sealer.js'
import { sleep } from '../../runtime/time.js'
import type { ConnectionCommands, Renewed, ReportUse } from './commands.js'
import type { Provider } from './provider.js'
import type { ConnectionQueries } from './queries.js'
import { type Credential, ownerOf, type Place, sealedKind } from './store.js'

/** What came of a call: `isRefused` says that the provider does not take the token; `lastError` is read by operators. */
export type Called<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly isRefused: boolean; readonly lastError: string }

export interface TokenDoor {
  /** A token with time left. A refusal says that there is none: only a person can make a sign-in that has ended good again. */
  accessToken(place: Place): Promise<string | Refusal>
  /**
   * Makes a call with a token, once more with a new one when the provider does not take the first, and puts on record
   * what the sign-in is worth since.
   */
  use<T>(place: Place, call: (accessToken: string) => Promise<Called<T>>): Promise<T | Refusal>
}

export interface TokenDoorOptions {
  readonly shards: Shards
  readonly commands: Pick<ConnectionCommands, 'report' | 'claim' | 'release' | 'renewed'>
  readonly queries: Pick<ConnectionQueries, 'credential'>
  readonly provider: Pick<Provider, 'refresh' | 'revoke'>
  readonly sealer: Sealer
  readonly clock: Clock
}

interface Held {
  readonly credential: Credential
  readonly tokens: Tokens
}

const away = refuse('service.unavailable', { headers: { 'retry-after': String(http.retryAfterSeconds) } })
const unusable = (lastError?: string) => refuse('connection.unusable', lastError ? { detail: lastError } : {})

export function openTokenDoor(options: TokenDoorOptions): TokenDoor {
  const { shards, commands, queries, provider, sealer, clock } = options
  /** Renewals of this process, by whose tokens they are. */
  const underWay = new Map<string, Promise<Held | Refusal>>()

  async function held(place: Place): Promise<Held | Refusal> {
    const credential = await shards.read(ownerOf(place), queries.credential, place)
    if (isRefusal(credential)) return credential
    if (!isUsable(credential.status)) return unusable(credential.lastError)
    const { sealedFor, sealed } = credential.tokens
    // One that was sealed under a root key which this node does not have is of no use to anybody here.
    const text = await sealer.open(credential.orgId, sealedKind, sealedFor, sealed).catch(() => undefined)
    if (text === undefined) return unusable(troubles.unreadable)
    return isRefusal(text) ? text : { credential, tokens: JSON.parse(text) as Tokens }
  }

  function isDue({ expiresAt }: Credential, leftMs: number): boolean {
    return expiresAt !== undefined && expiresAt - clock.now() <= leftMs
  }

  /** Tokens to use now; `stale` is a revision that the provider has just refused. */
  async function fresh(place: Place, stale?: number): Promise<Held | Refusal> {
    const found = await held(place)
    if (isRefusal(found)) return found
    const isStale = found.credential.revision === stale
    if (!isStale && !isDue(found.credential, limits.renewBeforeMs)) return found
    const key = JSON.stringify([ownerOf(place), place.id])
    const before = underWay.get(key)
    if (before) return before
    const renewal = renew(place, found, isStale).finally(() => underWay.delete(key))
    underWay.set(key, renewal)
    return renewal
  }

  async function renew(place: Place, found: Held, isStale: boolean): Promise<Held | Refusal> {
    for (let looks = 0; looks < limits.renewalLooks; looks++) {
      const about = { ...place, revision: found.credential.revision }
      const claimed = await shards.ask(ownerOf(place), commands.claim, about)
      if (isRefusal(claimed)) return claimed
      if (claimed === 'changed') return held(place)
      if (claimed === 'yours') return renewNow(place, found, isStale)
      await sleep(clock, limits.renewalLookMs)
    }
    return away
  }

  async function renewNow(place: Place, found: Held, isStale: boolean): Promise<Held | Refusal> {
    const { credential, tokens } = found
    const about = { ...place, revision: credential.revision }
    const { refreshToken } = tokens
    const answer = refreshToken === undefined ? undefined : await provider.refresh(credential.provider, refreshToken)
    if (answer?.ok) return keepRenewed(place, credential, answer.tokens)
    if (answer?.why === 'refused') return ended(about, 'refreshFailed', troubles.notRenewed)
    // What is still good is used until it is not: an outage that ends before it does is then seen by nobody.
    if (!isStale && !isDue(credential, 0)) {
      await shards.ask(ownerOf(place), commands.release, about)
      return found
    }
    if (answer) return ended(about, 'callFailed', troubleOf(answer))
    return ended(about, 'refreshFailed', troubles.nothingToRenew)
  }

  async function keepRenewed(place: Place, before: Credential, tokens: Tokens): Promise<Held | Refusal> {
    const { orgId, revision } = before
    const { sealedFor } = before.tokens
    const sealed = await sealer.seal(orgId, sealedKind, sealedFor, JSON.stringify(tokens))
    if (isRefusal(sealed)) return sealed
    const { expiresAt } = tokens
    const input = { ...place, revision, tokens: { sealed, sealedFor }, ...(expiresAt !== undefined && { expiresAt }) }
    const kept = await insisted(ownerOf(place), input)
    if (isRefusal(kept)) return kept
    if (kept) return held(place)
    // The sign-in was ended meanwhile, and nobody else knows of these.
    await provider.revoke(before.provider, tokens)
    return unusable()
  }

  /** The provider may take no other refresh token any more than this new one, so it is not let go of lightly. */
  async function insisted(owner: string, input: Renewed): Promise<boolean | Refusal> {
    const id = `connections.renewed/${input.tokens.sealedFor}/${input.revision}`
    let kept: boolean | Refusal = away
    for (let tries = 0; tries < limits.renewalTries && isRefusal(kept); tries++) {
      kept = await shards.ask(owner, commands.renewed, input, { id })
    }
    return kept
  }

  async function ended(about: Omit<ReportUse, 'on'>, on: ReportUse['on'], lastError: string): Promise<Refusal> {
    const told = await shards.ask(ownerOf(about), commands.report, { ...about, on, lastError })
    return isRefusal(told) ? told : unusable(lastError)
  }

  async function succeeded(place: Place, { credential }: Held): Promise<void> {
    const { lastUsedAt = 0, status, revision } = credential
    if (status === 'connected' && clock.now() - lastUsedAt < limits.lastUsedEveryMs) return
    // When it was last used is not worth failing a call that succeeded.
    await shards.ask(ownerOf(place), commands.report, { ...place, revision, on: 'callSucceeded' })
  }

  return {
    async accessToken(place) {
      const found = await fresh(place)
      return isRefusal(found) ? found : found.tokens.accessToken
    },
    async use(place, call) {
      let found = await fresh(place)
      if (isRefusal(found)) return found
      let outcome = await call(found.tokens.accessToken)
      if (!outcome.ok && outcome.isRefused) {
        const again = await fresh(place, found.credential.revision)
        if (isRefusal(again)) return again
        const isSame = again.credential.revision === found.credential.revision
        if (isSame) return ended({ ...place, revision: found.credential.revision }, 'callFailed', troubles.unreachable)
        found = again
        outcome = await call(found.tokens.accessToken)
      }
      const about = { ...place, revision: found.credential.revision }
      if (outcome.ok) {
        await succeeded(place, found)
        return outcome.value
      }
      if (outcome.isRefused) return ended(about, 'grantRejected', troubles.stillRefused)
      const told = await ended(about, 'callFailed', outcome.lastError)
      return told.refused === 'connection.unusable' ? refuse('connection.call_failed', { detail: told.detail }) : told
    },
  }
}

function troubleOf({ why }: NotGranted): string {
  return why === 'unreachable' ? troubles.unreachable : troubles.misunderstood
}

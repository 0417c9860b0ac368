/**
 * Access tokens of sign-ins: renews them before they expire, in one process at a time. The one place where the use of a
 * credential changes its status.
 */
import type { GrantFailure, Tokens } from '../../core/connections/grant.js'
import { failures, isUsable } from '../../core/connections/status.js'
import { isRefusal, type Refusal, refuse, unavailable } from '../../core/errors.js'
import { oauth as limits } from '../../core/limits/index.js'
import type { Clock } from '../../runtime/clock.js'
import type { Sealer } from '../../runtime/secrets/sealer.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { sleep } from '../../runtime/time.js'
import type { ConnectionCommands, RenewedTokens, UseReport } from './commands.js'
import type { Provider } from './provider.js'
import type { ConnectionQueries } from './queries.js'
import { type Credential, type CredentialRef, ownerOf, sealedKind } from './store.js'

/** The outcome of a provider call: `isRefused` says that the provider rejects the token; operators read `lastError`. */
export type CallOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly isRefused: boolean; readonly lastError: string }

export interface AccessTokens {
  /** A token with time left. A refusal says that there is none: only a person can repeat a sign-in that has ended. */
  accessToken(ref: CredentialRef): Promise<string | Refusal>
  /**
   * Calls with a token, retries once with a new token when the provider rejects the first, and reports the outcome to
   * the credential's status.
   */
  use<T>(ref: CredentialRef, call: (accessToken: string) => Promise<CallOutcome<T>>): Promise<T | Refusal>
}

export interface AccessTokensOptions {
  readonly shards: Shards
  readonly commands: Pick<ConnectionCommands, 'report' | 'claimRenewal' | 'releaseRenewal' | 'saveRenewed'>
  readonly queries: Pick<ConnectionQueries, 'credential'>
  readonly provider: Pick<Provider, 'refresh' | 'revoke'>
  readonly sealer: Sealer
  readonly clock: Clock
}

interface LoadedCredential {
  readonly credential: Credential
  readonly tokens: Tokens
}

const unusable = (lastError?: string) => refuse('connection.unusable', lastError ? { detail: lastError } : {})

export function createAccessTokens(options: AccessTokensOptions): AccessTokens {
  const { shards, commands, queries, provider, sealer, clock } = options
  /** Renewals of this process, by credential. */
  const renewals = new Map<string, Promise<LoadedCredential | Refusal>>()

  async function loadCredential(ref: CredentialRef): Promise<LoadedCredential | Refusal> {
    const credential = await shards.query(ownerOf(ref), queries.credential, ref)
    if (isRefusal(credential)) return credential
    if (!isUsable(credential.status)) return unusable(credential.lastError)
    const { sealedFor, sealed } = credential.tokens
    // Tokens sealed under a root key that this node does not have are unreadable here.
    const text = await sealer.open(credential.orgId, sealedKind, sealedFor, sealed).catch(() => undefined)
    if (text === undefined) return unusable(failures.unreadable)
    return isRefusal(text) ? text : { credential, tokens: JSON.parse(text) as Tokens }
  }

  function isDue({ expiresAt }: Credential, leftMs: number): boolean {
    return expiresAt !== undefined && expiresAt - clock.now() <= leftMs
  }

  /** Tokens that are usable now; `stale` is a revision that the provider has just rejected. */
  async function loadFresh(ref: CredentialRef, stale?: number): Promise<LoadedCredential | Refusal> {
    const loaded = await loadCredential(ref)
    if (isRefusal(loaded)) return loaded
    const isStale = loaded.credential.revision === stale
    if (!isStale && !isDue(loaded.credential, limits.renewBeforeMs)) return loaded
    const key = JSON.stringify([ownerOf(ref), ref.id])
    const pending = renewals.get(key)
    if (pending) return pending
    const renewal = renew(ref, loaded, isStale).finally(() => renewals.delete(key))
    renewals.set(key, renewal)
    return renewal
  }

  async function renew(
    ref: CredentialRef,
    loaded: LoadedCredential,
    isStale: boolean,
  ): Promise<LoadedCredential | Refusal> {
    for (let attempts = 0; attempts < limits.renewalPolls; attempts++) {
      const revisionRef = { ...ref, revision: loaded.credential.revision }
      const claimed = await shards.execute(ownerOf(ref), commands.claimRenewal, revisionRef)
      if (isRefusal(claimed)) return claimed
      if (claimed === 'changed') return loadCredential(ref)
      if (claimed === 'claimed') return renewNow(ref, loaded, isStale)
      await sleep(clock, limits.renewalPollMs)
    }
    return unavailable()
  }

  async function renewNow(
    ref: CredentialRef,
    loaded: LoadedCredential,
    isStale: boolean,
  ): Promise<LoadedCredential | Refusal> {
    const { credential, tokens } = loaded
    const revisionRef = { ...ref, revision: credential.revision }
    const { refreshToken } = tokens
    const answer = refreshToken === undefined ? undefined : await provider.refresh(credential.provider, refreshToken)
    if (answer?.ok) return saveRenewed(ref, credential, answer.tokens)
    if (answer?.reason === 'refused') return reportFailure(revisionRef, 'refreshFailed', failures.notRenewed)
    // A token with time left is used until it expires: an outage that ends before that stays without effect.
    if (!isStale && !isDue(credential, 0)) {
      await shards.execute(ownerOf(ref), commands.releaseRenewal, revisionRef)
      return loaded
    }
    if (answer) return reportFailure(revisionRef, 'callFailed', failureOf(answer))
    return reportFailure(revisionRef, 'refreshFailed', failures.nothingToRenew)
  }

  async function saveRenewed(
    ref: CredentialRef,
    before: Credential,
    tokens: Tokens,
  ): Promise<LoadedCredential | Refusal> {
    const { orgId, revision } = before
    const { sealedFor } = before.tokens
    const sealed = await sealer.seal(orgId, sealedKind, sealedFor, JSON.stringify(tokens))
    if (isRefusal(sealed)) return sealed
    const { expiresAt } = tokens
    const input = { ...ref, revision, tokens: { sealed, sealedFor }, ...(expiresAt !== undefined && { expiresAt }) }
    const saved = await saveWithRetry(ownerOf(ref), input)
    if (isRefusal(saved)) return saved
    if (saved) return loadCredential(ref)
    // The sign-in ended during the renewal, and the new tokens are known only here.
    await provider.revoke(before.provider, tokens)
    return unusable()
  }

  /** The provider may accept only the new refresh token from now on, so saving it is retried. */
  async function saveWithRetry(owner: string, input: RenewedTokens): Promise<boolean | Refusal> {
    const id = `connections.renewed/${input.tokens.sealedFor}/${input.revision}`
    let saved: boolean | Refusal = unavailable()
    for (let tries = 0; tries < limits.renewalTries && isRefusal(saved); tries++) {
      saved = await shards.execute(owner, commands.saveRenewed, input, { id })
    }
    return saved
  }

  async function reportFailure(
    revisionRef: Omit<UseReport, 'on'>,
    on: UseReport['on'],
    lastError: string,
  ): Promise<Refusal> {
    const outcome = await shards.execute(ownerOf(revisionRef), commands.report, { ...revisionRef, on, lastError })
    return isRefusal(outcome) ? outcome : unusable(lastError)
  }

  async function reportSuccess(ref: CredentialRef, { credential }: LoadedCredential): Promise<void> {
    const { lastUsedAt = 0, status, revision } = credential
    if (status === 'connected' && clock.now() - lastUsedAt < limits.lastUsedEveryMs) return
    // A last use that cannot be saved does not fail the call, which has succeeded.
    await shards.execute(ownerOf(ref), commands.report, { ...ref, revision, on: 'callSucceeded' })
  }

  return {
    async accessToken(ref) {
      const loaded = await loadFresh(ref)
      return isRefusal(loaded) ? loaded : loaded.tokens.accessToken
    },
    async use(ref, call) {
      let loaded = await loadFresh(ref)
      if (isRefusal(loaded)) return loaded
      let outcome = await call(loaded.tokens.accessToken)
      if (!outcome.ok && outcome.isRefused) {
        const renewed = await loadFresh(ref, loaded.credential.revision)
        if (isRefusal(renewed)) return renewed
        const isSame = renewed.credential.revision === loaded.credential.revision
        if (isSame)
          return reportFailure({ ...ref, revision: loaded.credential.revision }, 'callFailed', failures.unreachable)
        loaded = renewed
        outcome = await call(loaded.tokens.accessToken)
      }
      const revisionRef = { ...ref, revision: loaded.credential.revision }
      if (outcome.ok) {
        await reportSuccess(ref, loaded)
        return outcome.value
      }
      if (outcome.isRefused) return reportFailure(revisionRef, 'grantRejected', failures.stillRefused)
      const failure = await reportFailure(revisionRef, 'callFailed', outcome.lastError)
      return failure.refused === 'connection.unusable'
        ? refuse('connection.call_failed', { detail: failure.detail })
        : failure
    },
  }
}

function failureOf({ reason }: GrantFailure): string {
  return reason === 'unreachable' ? failures.unreachable : failures.misunderstood
}

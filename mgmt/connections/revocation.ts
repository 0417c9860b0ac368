/** Effect handler that revokes a grant at its provider after the end of a sign-in. */
import type { Tokens } from '../../core/connections/grant.js'
import { isRefusal } from '../../core/errors.js'
import { oauth as limits } from '../../core/limits/index.js'
import type { Log } from '../../runtime/observe/log.js'
import type { Sealer } from '../../runtime/secrets/sealer.js'
import type { EffectContext } from '../../runtime/shard/contract.js'
import type { Provider } from './provider.js'
import { type SealedTokens, sealedKind } from './store.js'

export const revocationEffect = 'oauthRevoke'

export interface Revocation {
  readonly orgId: string
  readonly provider: string
  readonly tokens: SealedTokens
}

export interface RevocationOptions {
  readonly provider: Pick<Provider, 'revoke'>
  readonly sealer: Pick<Sealer, 'open'>
  readonly clock: { now(): number }
  readonly log: Pick<Log, 'warn'>
}

/**
 * A throw keeps the effect pending, to be retried. A revocation that fails for a day is given up; the tokens are
 * deleted here.
 */
export function createRevocationHandler({ provider, sealer, clock, log }: RevocationOptions) {
  const firstFailures = new Map<string, number>()

  return async (payload: Revocation, { id }: EffectContext): Promise<void> => {
    const { orgId, tokens } = payload
    const sealed = await sealer.open(orgId, sealedKind, tokens.sealedFor, tokens.sealed).catch(() => undefined)
    if (isRefusal(sealed)) throw new Error(`the key that seals tokens cannot be had: ${sealed.refused}`)
    const outcome =
      sealed === undefined ? undefined : await provider.revoke(payload.provider, JSON.parse(sealed) as Tokens)
    if (outcome?.ok === false && outcome.reason === 'unreachable') {
      const firstFailedAt = firstFailures.get(id) ?? clock.now()
      firstFailures.set(id, firstFailedAt)
      if (clock.now() - firstFailedAt < limits.revokeForMs)
        throw new Error('the provider could not be reached to revoke a grant')
    }
    firstFailures.delete(id)
    if (outcome?.ok) return
    log.warn('connection.revocation_given_up', {
      orgId,
      provider: payload.provider,
      why: outcome?.reason ?? 'unreadable',
    })
  }
}

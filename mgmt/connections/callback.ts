/**
 * The OAuth callback route, to which a provider sends a browser back: the end of a sign-in, which happens at most once.
 */

import type { GrantFailure } from '../../core/connections/grant.js'
import {
  providerReason,
  type Reason,
  type ReturnRules,
  returnAddress,
  type SignInOutcome,
} from '../../core/connections/outcome.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { type Answer, type Route, route } from '../../runtime/http/route.js'
import type { Sealer } from '../../runtime/secrets/sealer.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { ConnectionCommands } from './commands.js'
import { headPage, noStoreHeaders, outcomePage, unavailablePage, unknownSignIn } from './page.js'
import type { Provider } from './provider.js'
import { routeDefaults } from './schema.js'
import type { PendingRef, SignInStates } from './state.js'
import { ownerOf, type PendingSignIn, sealedKind } from './store.js'

export interface CallbackOptions {
  readonly shards: Shards
  readonly commands: Pick<ConnectionCommands, 'consume' | 'saveGrant'>
  readonly provider: Provider
  readonly sealer: Sealer
  readonly states: SignInStates
  readonly returnRules: ReturnRules
}

export function callbackRoute(options: CallbackOptions): Route {
  const { shards, commands, states, returnRules } = options
  return route({
    ...routeDefaults,
    access: { who: 'public' },
    method: 'GET',
    path: '/oauth/callback',
    summary: 'Come back from signing in at a provider; never called by clients',
    rawQuery: true,
    reply: { 200: 'text/html', 302: null, 400: 'text/html', 503: 'text/html' },
    async handler({ queryText, isHead }) {
      // Link scanners send HEAD before a person opens the link, and a sign-in can be consumed only once.
      if (isHead) return headPage
      const callback = parseCallback(queryText)
      const pendingRef = callback && states.open(callback.state)
      if (!pendingRef) return unknownSignIn
      const pending = await shards.execute(ownerOf(pendingRef), commands.consume, pendingRef)
      if (isRefusal(pending)) return pending.refused === 'resource.not_found' ? unknownSignIn : unavailablePage
      const outcome = await completeSignIn(options, pendingRef, pending, { ...callback, queryText })
      const location = pending.returnTo !== undefined && returnAddress(pending.returnTo, outcome, returnRules)
      return location ? redirect(location) : outcomePage(outcome)
    },
  })
}

function redirect(location: string): Answer {
  return { status: 302, headers: { ...noStoreHeaders, location } }
}

interface CallbackParams {
  readonly state: string
  readonly code?: string
  readonly error?: string
}

/** Undefined when state, code or error is missing or occurs twice; other parameters are the provider's own. */
function parseCallback(queryText: string): CallbackParams | undefined {
  const query = new URLSearchParams(queryText)
  const [states, codes, errors] = ['state', 'code', 'error'].map((name) => query.getAll(name)) as [
    string[],
    string[],
    string[],
  ]
  const [state] = states
  if (state === undefined || states.length > 1 || codes.length > 1 || errors.length > 1) return undefined
  return { state, code: codes[0], error: errors[0] }
}

/** Saves the tokens only if every step succeeds; a grant that cannot be saved is revoked. */
async function completeSignIn(
  options: CallbackOptions,
  { stateHash }: PendingRef,
  pending: PendingSignIn,
  { state, code, error, queryText }: CallbackParams & { readonly queryText: string },
): Promise<SignInOutcome> {
  const { shards, commands, provider, sealer } = options
  const { orgId, agentId, toolId, label, connectionId } = pending
  if (error !== undefined || !code) return signInError(providerReason(error ?? ''))
  const verifier = await sealer.open(orgId, sealedKind, stateHash, pending.verifier)
  if (isRefusal(verifier)) return signInError('unavailable')
  const grant = await provider.exchange(pending.provider, queryText, state, verifier)
  if (!grant.ok) return signInError(reasonOfNoGrant[grant.reason])
  const { tokens, accountLabel } = grant
  const sealed = await sealer.seal(orgId, sealedKind, stateHash, JSON.stringify(tokens))
  const saved = isRefusal(sealed)
    ? sealed
    : await shards.execute(ownerOf(pending), commands.saveGrant, {
        orgId,
        ...(agentId !== undefined && { agentId }),
        provider: pending.provider,
        ...(toolId !== undefined && { toolId }),
        ...(label !== undefined && { label }),
        ...(connectionId !== undefined && { connectionId }),
        ...(accountLabel !== undefined && { accountLabel }),
        tokens: { sealed, sealedFor: stateHash },
        ...(tokens.expiresAt !== undefined && { expiresAt: tokens.expiresAt }),
      })
  if (!isRefusal(saved)) {
    return { oauthStatus: 'success', ...(toolId === undefined ? { connectionId: saved.id } : { toolId }) }
  }
  // The commit may have happened with only its answer lost; the person starts again either way.
  await provider.revoke(pending.provider, grant.tokens)
  return signInError(reasonOfRefusal(saved))
}

const reasonOfNoGrant: Readonly<Record<GrantFailure['reason'], Reason>> = {
  refused: 'exchange_failed',
  failed: 'exchange_failed',
  unreachable: 'provider_unavailable',
  'unknown-provider': 'provider_not_configured',
}

function reasonOfRefusal({ refused }: Refusal): Reason {
  if (refused === 'resource.not_found') return 'not_found'
  if (refused === 'connection.other_account') return 'other_account'
  return refused === 'request.invalid' ? 'limit_reached' : 'unavailable'
}

function signInError(reason: Reason): SignInOutcome {
  return { oauthStatus: 'error', reason }
}

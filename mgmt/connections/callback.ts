/** Where a provider sends a browser back to: the end of a sign-in, which happens once or not at all. */

import type { Granted, NotGranted } from '../../core/connections/grant.js'
import {
  type Reason,
  type ReturnRules,
  reasonOfProvider,
  returnAddress,
  type SignInOutcome,
} from '../../core/connections/outcome.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { type Answer, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Sealer } from '../../runtime/store/sealer.js'
import type { ConnectionCommands } from './commands.js'
import { awayPage, guardedHeaders, outcomePage, unknownSignIn, untouched } from './page.js'
import type { Provider } from './provider.js'
import { ofConnections } from './schema.js'
import type { Marked, States } from './state.js'
import { ownerOf, type Pending, sealedKind } from './store.js'

export interface CallbackOptions {
  readonly shards: Shards
  readonly commands: Pick<ConnectionCommands, 'take' | 'keep'>
  readonly provider: Provider
  readonly sealer: Sealer
  readonly states: States
  readonly returnRules: ReturnRules
}

export function callbackRoute(options: CallbackOptions): Route {
  const { shards, commands, states, returnRules } = options
  return route({
    ...ofConnections,
    access: { who: 'public' },
    method: 'GET',
    path: '/oauth/callback',
    summary: 'Come back from signing in at a provider; never called by clients',
    rawQuery: true,
    reply: { 200: 'text/html', 302: null, 400: 'text/html', 503: 'text/html' },
    async handler({ queryText, isHead }) {
      // Programs look at links before people do, and a sign-in happens once.
      if (isHead) return untouched
      const back = broughtBack(queryText)
      const marked = back && states.open(back.state)
      if (!marked) return unknownSignIn
      const pending = await shards.ask(ownerOf(marked), commands.take, marked)
      if (isRefusal(pending)) return pending.refused === 'resource.not_found' ? unknownSignIn : awayPage
      const outcome = await settled(options, marked, pending, { ...back, queryText })
      const next = pending.returnTo !== undefined && returnAddress(pending.returnTo, outcome, returnRules)
      return next ? redirect(next) : outcomePage(outcome)
    },
  })
}

function redirect(location: string): Answer {
  return { status: 302, headers: { ...guardedHeaders, location } }
}

interface BroughtBack {
  readonly state: string
  readonly code?: string
  readonly error?: string
}

/** Undefined when one of the members that decide is missing or comes twice; whatever else is there is the provider's own. */
function broughtBack(queryText: string): BroughtBack | undefined {
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

/** Nothing is kept unless everything went well; what a provider gave and cannot be kept is given back. */
async function settled(
  options: CallbackOptions,
  { mark }: Marked,
  pending: Pending,
  { state, code, error, queryText }: BroughtBack & { readonly queryText: string },
): Promise<SignInOutcome> {
  const { shards, commands, provider, sealer } = options
  const { orgId, agentId, toolId, label, connectionId } = pending
  if (error !== undefined || !code) return failed(reasonOfProvider(error ?? ''))
  const verifier = await sealer.open(orgId, sealedKind, mark, pending.verifier)
  if (isRefusal(verifier)) return failed('unavailable')
  const granted = await provider.exchange(pending.provider, queryText, state, verifier)
  if (!granted.ok) return failed(reasonOfNoGrant[granted.why])
  const { tokens, accountLabel } = granted
  const sealed = await sealer.seal(orgId, sealedKind, mark, JSON.stringify(tokens))
  const kept = isRefusal(sealed)
    ? sealed
    : await shards.ask(ownerOf(pending), commands.keep, {
        orgId,
        ...(agentId !== undefined && { agentId }),
        provider: pending.provider,
        ...(toolId !== undefined && { toolId }),
        ...(label !== undefined && { label }),
        ...(connectionId !== undefined && { connectionId }),
        ...(accountLabel !== undefined && { accountLabel }),
        tokens: { sealed, sealedFor: mark },
        ...(tokens.expiresAt !== undefined && { expiresAt: tokens.expiresAt }),
      })
  if (!isRefusal(kept)) {
    return { oauthStatus: 'success', ...(toolId === undefined ? { connectionId: kept.id } : { toolId }) }
  }
  await givenBack(provider, pending.provider, granted)
  return failed(reasonOfRefusal(kept))
}

/** It may be that the commit happened and only its answer was lost; the person starts again either way. */
async function givenBack(provider: Provider, name: string, { tokens }: Granted): Promise<void> {
  await provider.revoke(name, tokens)
}

const reasonOfNoGrant: Readonly<Record<NotGranted['why'], Reason>> = {
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

function failed(reason: Reason): SignInOutcome {
  return { oauthStatus: 'error', reason }
}

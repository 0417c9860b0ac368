/** Access: API keys, sessions, emulator grants, and the authentication of callers by their tokens. */
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Clock } from '../../runtime/clock.js'
import type { Authenticate } from '../../runtime/http/request.js'
import type { Route } from '../../runtime/http/route.js'
import type { RootSecrets } from '../../runtime/secrets/rootsecrets.js'
import { deriveKey } from '../../runtime/secrets/seal.js'
import type { Command, Local, Shards } from '../../runtime/shard/contract.js'
import { moduleOf, type RouteDeps } from '../area.js'
import { createApiKeyAuth } from './apikeyauth.js'
import { createAuthenticate } from './authentication.js'
import { createKeyCommands } from './commands.js'
import { createGrants, type Grants, type GrantsOptions } from './grants.js'
import { createExternalIdTokens, createOwnIdTokens, type IdTokens } from './idtokens.js'
import { keyIndex } from './keyindex.js'
import { keyRoutes } from './keyroutes.js'
import { accessRoutes } from './routes.js'
import { keyQueries } from './store.js'

export interface AccessDeps {
  readonly orgEvent: Command<OrgEventPayload, unknown>
  /** The issuer whose users sign in here. Absent: the installation signs sessions itself. */
  readonly oidc?: { readonly issuer: string; readonly audience: string }
  readonly secrets: Pick<RootSecrets, 'signing'>
  /** Base URL of the management API as callers reach it, without the version. */
  readonly mgmtUrl: () => string
  readonly clock: Clock
}

/** The tokens that an installation signs. */
export interface SignedTokens {
  readonly grants: Grants
  readonly idTokens: IdTokens
}

export interface SignIn extends SignedTokens {
  readonly authenticate: Authenticate
}

export function createAccess({ orgEvent, oidc, secrets, mgmtUrl, clock }: AccessDeps) {
  const commands = createKeyCommands(orgEvent)
  const { put, overwrite, remove, find } = keyIndex
  return {
    commands,
    module: moduleOf({ commands, queries: keyQueries }, { commands: { put, overwrite, remove }, queries: { find } }),
    /** Authenticates tokens over the engine; `isActive` checks that an emulator grant is not revoked. */
    signIn(shards: Shards & Local, isActive: GrantsOptions['isActive']): SignIn {
      const apiKeyAuth = createApiKeyAuth({ shards, commands, clock })
      const grants = createGrants({ key: deriveKey(secrets.signing, 'emulator grants'), clock, isActive })
      const seed = deriveKey(secrets.signing, 'id tokens')
      const idTokens = oidc
        ? createExternalIdTokens({ ...oidc, clock })
        : createOwnIdTokens({ seed, issuer: () => `${mgmtUrl()}/v1`, clock, loadKey: apiKeyAuth.byId })
      return { grants, idTokens, authenticate: createAuthenticate(apiKeyAuth, grants, idTokens) }
    },
    routes: ({ shards, idTokens }: RouteDeps & SignedTokens): Route[] => [
      ...accessRoutes({ shards, idTokens }),
      ...keyRoutes({ shards, commands }),
    ],
  }
}
export type Access = ReturnType<typeof createAccess>

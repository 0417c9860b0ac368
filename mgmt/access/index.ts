/** Access: API keys, sessions and emulator grants, and who the bearer of a token is. */
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Clock } from '../../runtime/clock.js'
import type { Authenticate } from '../../runtime/http/request.js'
import type { Route } from '../../runtime/http/route.js'
import type { Command, Local, Shards } from '../../runtime/shard/contract.js'
import type { RootSecrets } from '../../runtime/store/rootsecrets.js'
import { deriveKey } from '../../runtime/store/seal.js'
import { moduleOf, type RouteDeps } from '../area.js'
import { authenticateWith } from './authenticate.js'
import { keyCommands } from './commands.js'
import { type Grants, type GrantsOptions, openGrants } from './grants.js'
import { foreignIdTokens, type IdTokens, ownIdTokens } from './idtokens.js'
import { keyIndex } from './keyindex.js'
import { openKeyring } from './keyring.js'
import { keyRoutes } from './keyroutes.js'
import { accessRoutes } from './routes.js'
import { keyQueries } from './store.js'

export interface AccessDeps {
  readonly orgEvent: Command<OrgEventPayload, unknown>
  /** The issuer whose users sign in here; absent: the installation signs sessions itself. */
  readonly oidc?: { readonly issuer: string; readonly audience: string }
  readonly secrets: Pick<RootSecrets, 'signing'>
  /** Where callers reach the management API, without its version. */
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
  const commands = keyCommands(orgEvent)
  const { put, claim, remove, find } = keyIndex
  return {
    commands,
    module: moduleOf({ commands, queries: keyQueries }, { commands: { put, claim, remove }, queries: { find } }),
    /** Recognises tokens by what the engine has; `isOnRecord` says whether an emulator grant was not revoked. */
    signIn(shards: Shards & Local, isOnRecord: GrantsOptions['isOnRecord']): SignIn {
      const keyring = openKeyring({ shards, commands, clock })
      const grants = openGrants({ key: deriveKey(secrets.signing, 'emulator grants'), clock, isOnRecord })
      const seed = deriveKey(secrets.signing, 'id tokens')
      const idTokens = oidc
        ? foreignIdTokens({ ...oidc, clock })
        : ownIdTokens({ seed, issuer: () => `${mgmtUrl()}/v1`, clock, keyOf: keyring.byId })
      return { grants, idTokens, authenticate: authenticateWith(keyring, grants, idTokens) }
    },
    routes: ({ shards, idTokens }: RouteDeps & SignedTokens): Route[] => [
      ...accessRoutes({ shards, idTokens }),
      ...keyRoutes({ shards, commands }),
    ],
  }
}
export type Access = ReturnType<typeof createAccess>

/** Puts together who a token is on the management plane, and the audit trail of what its bearers do. */
import { authenticateWith } from '../mgmt/access/authenticate.js'
import { openGrants } from '../mgmt/access/grants.js'
import { foreignIdTokens, ownIdTokens } from '../mgmt/access/idtokens.js'
import { openKeyring } from '../mgmt/access/keyring.js'
import { openTrail } from '../mgmt/audit/trail.js'
import type { Clock } from './clock.js'
import type { Config } from './config.js'
import type { Management } from './management.js'
import type { Log } from './observe/log.js'
import type { Engine } from './shard/contract.js'
import type { RootSecrets } from './store/rootsecrets.js'
import { deriveKey } from './store/seal.js'

export interface AccessOptions {
  readonly config: Pick<Config, 'oidcIssuer' | 'oidcAudience'>
  readonly engine: Engine
  readonly management: Pick<Management, 'keys' | 'audit' | 'grantStands'>
  readonly secrets: RootSecrets
  readonly clock: Clock
  readonly log: Log
  /** Where others reach the management API. */
  readonly mgmtUrl: () => string
}

export function openAccess({ config, engine, management, secrets: { signing }, clock, log, mgmtUrl }: AccessOptions) {
  const keyring = openKeyring({ shards: engine, commands: management.keys, clock })
  const stands = management.grantStands(engine, clock.now)
  const grants = openGrants(deriveKey(signing, 'emulator grants'), clock, stands)
  const seed = deriveKey(signing, 'id tokens')
  const idTokens =
    config.oidcIssuer && config.oidcAudience
      ? foreignIdTokens({ issuer: config.oidcIssuer, audience: config.oidcAudience, clock })
      : ownIdTokens({ seed, issuer: () => `${mgmtUrl()}/v1`, clock, keyOf: keyring.byId })
  return {
    grants,
    idTokens,
    authenticate: authenticateWith(keyring, grants, idTokens),
    trail: openTrail({ shards: engine, store: management.audit, clock, log }),
  }
}

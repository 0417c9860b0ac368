/** Interface of this area to OAuth providers. It never throws: a failure is a value. */
import type { GrantFailure, TokenGrant, Tokens } from '../../core/connections/grant.js'

export interface Provider {
  /** Has the operator configured this provider? */
  has(provider: string): boolean
  /** The address at which a browser signs in. */
  authorizationUrl(provider: string, state: string, verifier: string): Promise<string | GrantFailure>
  /** Exchanges the callback's query text for tokens. */
  exchange(provider: string, queryText: string, state: string, verifier: string): Promise<TokenGrant | GrantFailure>
  refresh(provider: string, refreshToken: string): Promise<TokenGrant | GrantFailure>
  /** Revokes a grant; with a provider that cannot revoke, the grant counts as revoked. */
  revoke(provider: string, tokens: Tokens): Promise<{ readonly ok: true } | GrantFailure>
}

/** What this area needs of whoever speaks with providers. It never throws: what went wrong is a value. */
import type { GrantFailure, TokenGrant, Tokens } from '../../core/connections/grant.js'

export interface Provider {
  /** Whether the operator has set that one up. */
  has(provider: string): boolean
  /** Where a browser goes to sign in. */
  authorizationUrl(provider: string, state: string, verifier: string): Promise<string | GrantFailure>
  /** Trades what the browser brought back, its query as text, for tokens. */
  exchange(provider: string, queryText: string, state: string, verifier: string): Promise<TokenGrant | GrantFailure>
  refresh(provider: string, refreshToken: string): Promise<TokenGrant | GrantFailure>
  /** Takes a grant back; one whose provider has no way to do so counts as taken back. */
  revoke(provider: string, tokens: Tokens): Promise<{ readonly ok: true } | GrantFailure>
}

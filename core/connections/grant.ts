/** The answer of an OAuth provider to a token request: tokens, or a failure. */

/** Never shown and never logged; sealed wherever they are stored. */
export interface Tokens {
  readonly accessToken: string
  readonly refreshToken?: string
  readonly expiresAt?: number
}

export interface TokenGrant {
  readonly ok: true
  readonly tokens: Tokens
  /** The provider's name of the account. */
  readonly accountLabel?: string
}

/** `refused` concerns this grant, `failed` is any other error answer, `unreachable` is no answer. */
export interface GrantFailure {
  readonly ok: false
  readonly reason: 'refused' | 'failed' | 'unreachable' | 'unknown-provider'
}

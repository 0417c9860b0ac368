/** What a provider gives, or does not give, when it is asked for tokens. */

/** Never shown, never logged, sealed wherever they rest. */
export interface Tokens {
  readonly accessToken: string
  readonly refreshToken?: string
  readonly expiresAt?: number
}

export interface TokenGrant {
  readonly ok: true
  readonly tokens: Tokens
  /** What the provider calls the account. */
  readonly accountLabel?: string
}

/** `refused` is a word about this very grant, `failed` an answer about something else, `unreachable` no answer at all. */
export interface GrantFailure {
  readonly ok: false
  readonly reason: 'refused' | 'failed' | 'unreachable' | 'unknown-provider'
}

/** What a provider gives, or does not give, when it is asked for tokens. */

/** Never shown, never logged, sealed wherever they rest. */
export interface Tokens {
  readonly accessToken: string
  readonly refreshToken?: string
  readonly expiresAt?: number
}

export interface Granted {
  readonly ok: true
  readonly tokens: Tokens
  /** What the provider calls the account. */
  readonly accountLabel?: string
}

/** `refused` is a word about this very grant, `failed` an answer about something else, `unreachable` no answer at all. */
export interface NotGranted {
  readonly ok: false
  readonly why: 'refused' | 'failed' | 'unreachable' | 'unknown-provider'
}

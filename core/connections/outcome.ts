/** The outcome of a sign-in as the browser gets it: every reason with the sentence that the result page shows. */

/** Codes that a provider may send back. */
const providerReasons = {
  access_denied: 'The sign-in was declined.',
  login_required: 'The provider asked for a sign-in that did not happen.',
  consent_required: 'The provider asked for a consent that was not given.',
  interaction_required: 'The provider asked for something that was not answered.',
  invalid_scope: 'The provider does not give what was asked for. The operator of this installation can change that.',
  unauthorized_client: 'The provider does not know this installation well enough. Its operator can change that.',
  server_error: 'Something went wrong at the provider. Try again.',
  temporarily_unavailable: 'The provider is not available just now. Try again later.',
} as const satisfies Record<string, string>

const gatewayReasons = {
  provider_error: 'The provider did not complete the sign-in.',
  provider_unavailable: 'The provider could not be reached to complete the sign-in. Try again.',
  exchange_failed: 'The provider did not confirm the sign-in. Try again.',
  provider_not_configured: 'This installation is no longer set up for the provider.',
  limit_reached: 'There are as many connections as there may be. Remove one first.',
  other_account: 'The connection belongs to another account. Sign in with the account that it had.',
  not_found: 'What the sign-in was for is no longer there.',
  unavailable: 'The sign-in could not be kept just now. Try again.',
} as const satisfies Record<string, string>

export const reasons = { ...providerReasons, ...gatewayReasons }
export type Reason = keyof typeof reasons

export type SignInOutcome =
  | { readonly oauthStatus: 'success'; readonly toolId: string }
  | { readonly oauthStatus: 'success'; readonly connectionId: string }
  | { readonly oauthStatus: 'error'; readonly reason: Reason }

/** The reason of a provider's error code; an unknown code never appears in an address or a page. */
export function providerReason(error: string): Reason {
  return Object.hasOwn(providerReasons, error) ? (error as keyof typeof providerReasons) : 'provider_error'
}

/** Refuses addresses that URL parsers read differently: odd slashes, blanks, an `@` before the path. */
const httpUrl = /^https?:\/\/[^/\\?#@\s\p{Cc}]+(?:[/?#][^\\\s\p{Cc}]*)?$/iu

export interface ReturnRules {
  /** Hosts with any unusual port, exactly as addresses spell them. */
  readonly hosts: readonly string[]
  /** Whether plain http is allowed. */
  readonly allowHttp: boolean
}

/** The address to which the browser returns, with the outcome as parameters; undefined when the rules refuse it. */
export function returnAddress(returnTo: string, outcome: SignInOutcome, rules: ReturnRules): string | undefined {
  const url = httpUrl.test(returnTo) ? parseUrl(returnTo) : undefined
  if (url?.username !== '' || url.password !== '') return undefined
  if (url.protocol !== 'https:' && !(rules.allowHttp && url.protocol === 'http:')) return undefined
  if (!rules.hosts.includes(url.host)) return undefined
  for (const name of outcomeNames) url.searchParams.delete(name)
  for (const [name, value] of Object.entries(outcome)) url.searchParams.append(name, value)
  return url.href
}

/** Removed from the given address, so that it cannot fake an outcome. */
const outcomeNames = ['oauthStatus', 'reason', 'toolId', 'connectionId']

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** Speaks OAuth with a provider, and answers with values that tell nothing the provider said in its own words. */
import * as oidc from 'openid-client'
import type { Granted, NotGranted, Tokens } from '../../core/connections/grant.js'
import { oauth as limits } from '../../core/limits.js'
import type { UrlPolicy } from '../webhook/guard.js'
import type { Provider, Providers } from './providers.js'
import { type Reach, Unreachable } from './reach.js'

export interface OAuthClient {
  has(provider: string): boolean
  /** Where a browser goes to sign in. */
  authorizationUrl(provider: string, state: string, verifier: string): Promise<string | NotGranted>
  /** Trades what the browser brought back, its query as text, for tokens. */
  exchange(provider: string, queryText: string, state: string, verifier: string): Promise<Granted | NotGranted>
  refresh(provider: string, refreshToken: string): Promise<Granted | NotGranted>
  /** Takes a grant back. A provider that has no way to, or does not want to, has been asked all the same. */
  revoke(provider: string, tokens: Tokens): Promise<{ readonly ok: true } | NotGranted>
}

export interface OAuthClientOptions extends UrlPolicy {
  readonly providers: Providers
  readonly reach: Pick<Reach, 'call'>
  /** Where providers send browsers back to. */
  readonly redirectUri: () => string
  readonly clock: { now(): number }
}

export function openOAuthClient(options: OAuthClientOptions): OAuthClient {
  const { providers, clock, redirectUri } = options
  const known = new Map<string, { readonly until: number; readonly config: Promise<oidc.Configuration> }>()

  function configOf(name: string, provider: Provider): Promise<oidc.Configuration> {
    const before = known.get(name)
    if (before && before.until > clock.now()) return before.config
    const config = configured(provider, options)
    known.set(name, { until: clock.now() + limits.discoveryMs, config })
    // What could not be discovered is looked for again the next time.
    config.catch(() => known.delete(name))
    return config
  }

  /** Runs one exchange with a provider; what is thrown on the way becomes a reason. */
  async function asked<T>(
    name: string,
    run: (config: oidc.Configuration, provider: Provider) => Promise<T>,
  ): Promise<T | NotGranted> {
    const provider = providers.get(name)
    if (!provider) return { ok: false, why: 'unknown-provider' }
    try {
      return await run(await configOf(name, provider), provider)
    } catch (error) {
      return { ok: false, why: reasonOf(error) }
    }
  }

  function granted(answer: Awaited<ReturnType<typeof oidc.refreshTokenGrant>>, provider: Provider): Granted {
    const seconds = answer.expires_in
    const accountLabel = labelIn({ ...answer, ...answer.claims() }, provider.accountLabelClaim ?? 'email')
    return {
      ok: true,
      tokens: {
        accessToken: answer.access_token,
        ...(answer.refresh_token && { refreshToken: answer.refresh_token }),
        ...(seconds !== undefined && { expiresAt: clock.now() + seconds * 1_000 }),
      },
      ...(accountLabel && { accountLabel }),
    }
  }

  return {
    has: (name) => providers.has(name),
    authorizationUrl: (name, state, verifier) =>
      asked(name, async (config, { scopes, authorizationParameters }) => {
        const url = oidc.buildAuthorizationUrl(config, {
          ...authorizationParameters,
          redirect_uri: redirectUri(),
          ...(scopes.length > 0 && { scope: scopes.join(' ') }),
          state,
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        })
        return url.href
      }),
    exchange: (name, queryText, state, verifier) =>
      asked(name, async (config, provider) => {
        const back = new URL(`${redirectUri()}?${queryText}`)
        // One that was given endpoints alone has no name to hold its answer to.
        if (!provider.issuer) back.searchParams.delete('iss')
        const checks = { pkceCodeVerifier: verifier, expectedState: state }
        return granted(await oidc.authorizationCodeGrant(config, back, checks), provider)
      }),
    refresh: (name, refreshToken) =>
      asked(name, async (config, provider) => {
        const fresh = granted(await oidc.refreshTokenGrant(config, refreshToken), provider)
        // A provider that sends no other one means the same one.
        return { ...fresh, tokens: { refreshToken, ...fresh.tokens } }
      }),
    revoke: (name, { accessToken, refreshToken }) =>
      asked(name, async (config) => {
        if (!config.serverMetadata().revocation_endpoint) return { ok: true as const }
        const hint = refreshToken === undefined ? 'access_token' : 'refresh_token'
        await oidc.tokenRevocation(config, refreshToken ?? accessToken, { token_type_hint: hint })
        return { ok: true as const }
      }),
  }
}

async function configured(
  provider: Provider,
  { allowPrivate, reach }: OAuthClientOptions,
): Promise<oidc.Configuration> {
  const { issuer, authorizationEndpoint, tokenEndpoint, revocationEndpoint, clientId, clientSecret } = provider
  const viaGuard: oidc.CustomFetch = (url, { method, headers, body }) => reach.call(url, { method, headers, body })
  const execute = allowPrivate ? [oidc.allowInsecureRequests] : []
  const authentication = authenticationOf(provider)
  if (!authorizationEndpoint || !tokenEndpoint) {
    const found = { execute, [oidc.customFetch]: viaGuard }
    return oidc.discovery(new URL(issuer!), clientId, clientSecret, authentication, found)
  }
  const server = {
    issuer: issuer ?? new URL(authorizationEndpoint).origin,
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: tokenEndpoint,
    ...(revocationEndpoint && { revocation_endpoint: revocationEndpoint }),
  }
  const config = new oidc.Configuration(server, clientId, clientSecret, authentication)
  config[oidc.customFetch] = viaGuard
  for (const change of execute) change(config)
  return config
}

/** The secret travels as the file says, otherwise in the body unless the provider says that it does not read it there. */
function authenticationOf({ clientSecret, clientAuthentication: chosen }: Provider): oidc.ClientAuth {
  if (clientSecret === undefined) return oidc.None()
  const ways = {
    client_secret_post: oidc.ClientSecretPost(clientSecret),
    client_secret_basic: oidc.ClientSecretBasic(clientSecret),
  }
  return (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_post']
    const way = chosen ?? (taken.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic')
    return ways[way](server, ...rest)
  }
}

function reasonOf(error: unknown): NotGranted['why'] {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof Unreachable) return 'unreachable'
  if (error instanceof oidc.ResponseBodyError) {
    if (error.error === 'invalid_grant') return 'refused'
    return isPassing(error.status) ? 'unreachable' : 'failed'
  }
  const { cause } = error as { cause?: unknown }
  return cause instanceof Response && isPassing(cause.status) ? 'unreachable' : 'failed'
}

/** Statuses of a provider that is unwell rather than unwilling. */
function isPassing(status: number): boolean {
  return status === 429 || status >= 500
}

function labelIn(members: Readonly<Record<string, unknown>>, claim: string): string | undefined {
  const value = Object.hasOwn(members, claim) ? members[claim] : undefined
  if (typeof value !== 'string' || /token|secret/i.test(claim)) return undefined
  return [...value.replace(/[\p{Cc}\p{Cf}]/gu, '')].slice(0, limits.accountLabelChars).join('').trim() || undefined
}

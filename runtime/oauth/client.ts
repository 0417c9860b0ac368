/** OAuth client for tool providers. Its results contain no text of the provider. */
import * as oidc from 'openid-client'
import type { GrantFailure, TokenGrant, Tokens } from '../../core/connections/grant.js'
import { oauth as limits } from '../../core/limits/index.js'
import type { UrlPolicy } from '../egress/guard.js'
import { type ProviderHttpClient, Unreachable } from './httpclient.js'
import type { Provider, Providers } from './providers.js'

export interface OAuthClient {
  has(provider: string): boolean
  /** The URL of the sign-in page. */
  authorizationUrl(provider: string, state: string, verifier: string): Promise<string | GrantFailure>
  /** Exchanges the query of the callback URL, as text, for tokens. */
  exchange(provider: string, queryText: string, state: string, verifier: string): Promise<TokenGrant | GrantFailure>
  refresh(provider: string, refreshToken: string): Promise<TokenGrant | GrantFailure>
  /** Revokes a grant. Succeeds also for a provider without a revocation endpoint. */
  revoke(provider: string, tokens: Tokens): Promise<{ readonly ok: true } | GrantFailure>
}

export interface OAuthClientOptions extends UrlPolicy {
  readonly providers: Providers
  readonly httpClient: Pick<ProviderHttpClient, 'call'>
  /** The callback URL that is registered with providers. */
  readonly redirectUri: () => string
  readonly clock: { now(): number }
}

export function createOAuthClient(options: OAuthClientOptions): OAuthClient {
  const { providers, clock, redirectUri } = options
  const configCache = new Map<string, { readonly until: number; readonly config: Promise<oidc.Configuration> }>()

  function configOf(name: string, provider: Provider): Promise<oidc.Configuration> {
    const cached = configCache.get(name)
    if (cached && cached.until > clock.now()) return cached.config
    const config = discover(provider, options)
    configCache.set(name, { until: clock.now() + limits.discoveryMs, config })
    // A failed discovery is not cached.
    config.catch(() => configCache.delete(name))
    return config
  }

  /** Runs one exchange with a provider; a thrown error becomes a failure reason. */
  async function withProvider<T>(
    name: string,
    run: (config: oidc.Configuration, provider: Provider) => Promise<T>,
  ): Promise<T | GrantFailure> {
    const provider = providers.get(name)
    if (!provider) return { ok: false, reason: 'unknown-provider' }
    try {
      return await run(await configOf(name, provider), provider)
    } catch (error) {
      return { ok: false, reason: reasonOf(error) }
    }
  }

  function toGrant(answer: Awaited<ReturnType<typeof oidc.refreshTokenGrant>>, provider: Provider): TokenGrant {
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
      withProvider(name, async (config, { scopes, authorizationParameters }) => {
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
      withProvider(name, async (config, provider) => {
        const callbackUrl = new URL(`${redirectUri()}?${queryText}`)
        // A provider configured by endpoints only has no issuer to compare the response with.
        if (!provider.issuer) callbackUrl.searchParams.delete('iss')
        const checks = { pkceCodeVerifier: verifier, expectedState: state }
        return toGrant(await oidc.authorizationCodeGrant(config, callbackUrl, checks), provider)
      }),
    refresh: (name, refreshToken) =>
      withProvider(name, async (config, provider) => {
        const fresh = toGrant(await oidc.refreshTokenGrant(config, refreshToken), provider)
        // A response without a refresh token keeps the current one.
        return { ...fresh, tokens: { refreshToken, ...fresh.tokens } }
      }),
    revoke: (name, { accessToken, refreshToken }) =>
      withProvider(name, async (config) => {
        if (!config.serverMetadata().revocation_endpoint) return { ok: true as const }
        const hint = refreshToken === undefined ? 'access_token' : 'refresh_token'
        await oidc.tokenRevocation(config, refreshToken ?? accessToken, { token_type_hint: hint })
        return { ok: true as const }
      }),
  }
}

async function discover(
  provider: Provider,
  { allowPrivate, httpClient }: OAuthClientOptions,
): Promise<oidc.Configuration> {
  const { issuer, authorizationEndpoint, tokenEndpoint, revocationEndpoint, clientId, clientSecret } = provider
  const viaGuard: oidc.CustomFetch = (url, { method, headers, body }) => httpClient.call(url, { method, headers, body })
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

/** The configured client authentication; without one, the method that the provider supports, by default the body. */
function authenticationOf({ clientSecret, clientAuthentication: chosen }: Provider): oidc.ClientAuth {
  if (clientSecret === undefined) return oidc.None()
  const methods = {
    client_secret_post: oidc.ClientSecretPost(clientSecret),
    client_secret_basic: oidc.ClientSecretBasic(clientSecret),
  }
  return (server, ...rest) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_post']
    const authMethod =
      chosen ?? (supported.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic')
    return methods[authMethod](server, ...rest)
  }
}

function reasonOf(error: unknown): GrantFailure['reason'] {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof Unreachable) return 'unreachable'
  if (error instanceof oidc.ResponseBodyError) {
    if (error.error === 'invalid_grant') return 'refused'
    return isTransient(error.status) ? 'unreachable' : 'failed'
  }
  const { cause } = error as { cause?: unknown }
  return cause instanceof Response && isTransient(cause.status) ? 'unreachable' : 'failed'
}

/** Statuses that may pass without a change of the request. */
function isTransient(status: number): boolean {
  return status === 429 || status >= 500
}

function labelIn(members: Readonly<Record<string, unknown>>, claim: string): string | undefined {
  const value = Object.hasOwn(members, claim) ? members[claim] : undefined
  if (typeof value !== 'string' || /token|secret/i.test(claim)) return undefined
  return [...value.replace(/[\p{Cc}\p{Cf}]/gu, '')].slice(0, limits.accountLabelChars).join('').trim() || undefined
}

/** A real OpenID provider on loopback, where people sign in and agree, or do not, as a test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import type { Test } from 'tap'

export const redirectUri = 'http://mgmt.test/v1/oauth/callback'
export const clientId = 'parley'
export const clientSecret = 'client-secret-of-the-operator'

/** How the provider behaves for the time being: as it should, not there at all, or unwell. */
export type ProviderMode = 'well' | 'gone' | 'unwell'

export interface LocalProvider {
  readonly issuer: string
  mode: ProviderMode
  /** Paths that were called, oldest first, whatever came of it. */
  readonly calls: string[]
  /** Every access and refresh token that it ever gave out. */
  readonly given: string[]
  /** Goes through the sign-in as a browser would, and gives the address that the browser is sent back to. */
  signIn(authorizationUrl: string, account?: string, agrees?: boolean): Promise<URL>
  /** Whether a token is worth anything. */
  isGood(accessToken: string): Promise<boolean>
  /** Takes every grant back, as people do in the settings of their account. */
  clearSessions(): Promise<void>
  count(path: string): number
}

/** Tokens of one provider; `seconds` is how long an access token is good for. */
export async function openProvider(t: Test, options: { readonly seconds?: number } = {}): Promise<LocalProvider> {
  const grants: string[] = []
  let account = 'ada'
  let agrees = true
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  t.teardown(() => new Promise<void>((closed) => server.close(() => closed()).closeAllConnections()))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['a key for cookies'] },
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: `${id}@provider.example` }),
    }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: async () => true,
    pkce: { required: () => true },
    rotateRefreshToken: true,
    ttl: { AccessToken: options.seconds ?? 3_600, RefreshToken: 86_400, Grant: 86_400, Session: 600, Interaction: 600 },
  })
  const callback = provider.callback()

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response)
    if (!agrees) {
      const refusal = { error: 'access_denied', error_description: '<b>no</b> thanks' }
      return provider.interactionFinished(request, response, refusal)
    }
    if (prompt.name === 'login') {
      return provider.interactionFinished(request, response, { login: { accountId: account } })
    }
    const grant = new provider.Grant({ accountId: session!.accountId, clientId: params.client_id })
    grant.addOIDCScope(params.scope ?? '')
    const grantId = await grant.save()
    grants.push(grantId)
    return provider.interactionFinished(request, response, { consent: { grantId } })
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0]!
    local.calls.push(path)
    if (local.mode === 'gone') return void request.socket.destroy()
    if (local.mode === 'unwell') return void response.writeHead(503, { 'content-type': 'text/html' }).end('<p>soon</p>')
    if (path.startsWith('/interaction/')) return interact(request, response)
    if (path === '/token') noteTokens(response)
    callback(request, response)
  }

  function noteTokens(response: ServerResponse): void {
    const end = response.end.bind(response) as (body?: unknown) => ServerResponse
    response.end = ((body?: unknown) => {
      const { access_token, refresh_token } = JSON.parse(String(body)) as Record<string, string | undefined>
      for (const token of [access_token, refresh_token]) if (token) local.given.push(token)
      return end(body)
    }) as typeof response.end
  }

  const local: LocalProvider = {
    issuer,
    mode: 'well',
    calls: [],
    given: [],
    async signIn(authorizationUrl, as = 'ada', willing = true) {
      ;[account, agrees] = [as, willing]
      const cookies = new Map<string, string>()
      for (let next = new URL(authorizationUrl); ; ) {
        if (next.origin !== issuer) return next
        const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
        const answer = await fetch(next, { redirect: 'manual', headers: { cookie } })
        for (const line of answer.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
          cookies.set(name!, value!)
        }
        const location = answer.headers.get('location')
        if (!location) throw new Error(`the provider stopped with ${answer.status}: ${await answer.text()}`)
        next = new URL(location, next)
      }
    },
    async isGood(accessToken) {
      const answer = await fetch(`${issuer}/me`, { headers: { authorization: `Bearer ${accessToken}` } })
      return answer.status === 200
    },
    async clearSessions() {
      for (const id of grants.splice(0)) await (await provider.Grant.find(id))?.destroy()
    },
    count: (path) => local.calls.filter((each) => each === path).length,
  }
  return local
}

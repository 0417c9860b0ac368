/**
 * OAuth providers from the file that `PARLEY_OAUTH_PROVIDERS` names, validated before the node starts. An error names
 * the path of the field and repeats no content of the file.
 */
import { readFileSync, statSync } from 'node:fs'
import Type, { type Static } from 'typebox'
import { slugPattern } from '../../core/ids.js'
import { parseJson } from '../../core/json.js'
import { oauth as limits } from '../../core/limits/index.js'
import { checkUrl, type UrlPolicy } from '../egress/guard.js'
import { compileCheck } from '../http/validator.js'

const text = Type.String({ minLength: 1, maxLength: 2_048, pattern: '^[\\x21-\\x7e]+$' })

const Provider = Type.Object(
  {
    /** Without endpoints, the base of discovery. With endpoints, the issuer that responses are compared with. */
    issuer: Type.Optional(text),
    authorizationEndpoint: Type.Optional(text),
    tokenEndpoint: Type.Optional(text),
    revocationEndpoint: Type.Optional(text),
    clientId: text,
    clientSecret: Type.Optional(text),
    /** How the client secret is sent; not needed for providers whose metadata says so. */
    clientAuthentication: Type.Optional(Type.Enum(['client_secret_post', 'client_secret_basic'])),
    scopes: Type.Array(text, { maxItems: 100 }),
    /** Further parameters that the provider expects, such as `access_type=offline`. */
    authorizationParameters: Type.Optional(Type.Record(Type.String({ minLength: 1 }), Type.String())),
    /** The claim of the ID token, or member of the token response, by which operators recognize an account. */
    accountLabelClaim: Type.Optional(text),
  },
  { additionalProperties: false },
)
export type Provider = Static<typeof Provider>
export type Providers = ReadonlyMap<string, Provider>

const check = compileCheck(Type.Record(Type.String(), Provider), 'the file')

/** A configured file that cannot be used. */
export class ProvidersUnusable extends Error {
  override readonly name = 'ProvidersUnusable'
}

function unusable(problem: string): ProvidersUnusable {
  return new ProvidersUnusable(`PARLEY_OAUTH_PROVIDERS: ${problem}.`)
}

/** An empty map without a file. */
export function readProviders(path: string | undefined, policy: UrlPolicy): Providers {
  if (path === undefined) return new Map()
  const parsed = parseJson(contentOf(path))
  if (parsed === undefined) throw unusable('the file is not JSON')
  const [invalid] = check(parsed) ?? []
  if (invalid) throw unusable(`${invalid.field} ${invalid.message}`)
  const providers = Object.entries(parsed as Record<string, Provider>)
  for (const [name, provider] of providers) {
    const problem = nameError(name) ?? providerError(provider, policy)
    if (problem) throw unusable(`${name.slice(0, 63)}.${problem}`)
  }
  return new Map(providers)
}

function contentOf(path: string): string {
  try {
    if (statSync(path).size > limits.providersFileBytes) throw unusable('the file is too large')
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof ProvidersUnusable) throw error
    throw unusable(`the file cannot be read (${String((error as NodeJS.ErrnoException).code ?? 'unknown')})`)
  }
}

function nameError(name: string): string | undefined {
  return name.match(slugPattern)
    ? undefined
    : 'is no name for a provider: it wants lower-case letters, digits and dashes'
}

const addresses = ['issuer', 'authorizationEndpoint', 'tokenEndpoint', 'revocationEndpoint'] as const
const endpoints = ['authorizationEndpoint', 'tokenEndpoint'] as const

/** Parameters that every authorization request sets itself. */
const ownParameters = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
])

/** The problem of a provider whose members are valid one by one, beginning with the name of a member. */
function providerError(provider: Provider, policy: UrlPolicy): string | undefined {
  for (const member of addresses) {
    const problem = provider[member] !== undefined && checkUrl(provider[member], policy)
    if (problem) return `${member} ${problem}`
  }
  const configured = endpoints.filter((member) => provider[member] !== undefined)
  if (configured.length === 0 && !provider.issuer) return 'issuer is required where there are no endpoints'
  if (configured.length === 1)
    return `${endpoints.find((member) => !configured.includes(member))} is required beside the other`
  if (configured.length === 0 && provider.revocationEndpoint)
    return 'revocationEndpoint needs the other endpoints beside it'
  if (!provider.issuer && provider.scopes.includes('openid')) return 'issuer is required for the scope openid'
  const reserved = Object.keys(provider.authorizationParameters ?? {}).find((name) => ownParameters.has(name))
  return reserved && `authorizationParameters.${reserved} is not for the file to say`
}

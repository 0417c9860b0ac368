/** All environment variables of a node in one table, and the typed configuration read from them. */
import { closestMatch } from './didyoumean.js'
import * as kinds from './env.js'

interface Variable<T> {
  readonly name: string
  readonly kind: kinds.EnvType<NonNullable<T>>
  /** The text that replaces an unset variable, parsed like any other; without it the value is undefined. */
  readonly fallback?: string
  /** The default column of the README's table. */
  readonly unset: string
  readonly meaning: string
}

function withDefault<T>(name: string, kind: kinds.EnvType<T>, fallback: string, meaning: string): Variable<T> {
  return { name, kind, fallback, unset: `\`${fallback}\``, meaning } as Variable<T>
}

function optional<T>(name: string, kind: kinds.EnvType<T>, unset: string, meaning: string): Variable<T | undefined> {
  return { name, kind, unset, meaning } as Variable<T | undefined>
}

/** The variables of the command line. A shell that has them set may start a node all the same. */
export const commandLineVariables = { url: 'PARLEY_URL', key: 'PARLEY_KEY', org: 'PARLEY_ORG' } as const

const unsetText = 'unset'
/** How many characters of an unknown name an error message repeats. */
const maxQuotedChars = 100

const variables = {
  dataDir: withDefault(
    'PARLEY_DATA_DIR',
    kinds.path,
    './data',
    'Folder of the database and of uploaded media; made when missing',
  ),
  host: withDefault('PARLEY_HOST', kinds.host, '127.0.0.1', 'Address that both listeners bind'),
  gatewayPort: withDefault('PARLEY_GATEWAY_PORT', kinds.port, '8080', 'Port of the gateway, `/v4`; 0 takes a free one'),
  mgmtPort: withDefault(
    'PARLEY_MGMT_PORT',
    kinds.port,
    '8081',
    'Port of the management API, `/v1`; 0 takes a free one',
  ),
  publicGatewayUrl: optional(
    'PARLEY_PUBLIC_GATEWAY_URL',
    kinds.publicUrl,
    'host and port of the listener',
    'Where others reach the gateway: links handed to people and providers begin with it',
  ),
  publicMgmtUrl: optional(
    'PARLEY_PUBLIC_MGMT_URL',
    kinds.publicUrl,
    'host and port of the listener',
    'Where others reach the management API',
  ),
  trustedProxies: optional(
    'PARLEY_TRUSTED_PROXIES',
    kinds.networkList,
    'unset: who connects is who calls',
    'Addresses or networks of proxies in front, separated by commas, whose `X-Forwarded-For` is believed',
  ),
  bootstrapOrg: withDefault(
    'PARLEY_BOOTSTRAP_ORG',
    kinds.slug,
    'demo',
    'Slug of the org that an empty data folder begins with',
  ),
  bootstrapKey: optional(
    'PARLEY_BOOTSTRAP_KEY',
    kinds.bootstrapKey,
    'minted and printed once',
    'The first API key of that org, holding every scope; `sk-svc-` and 24 random characters or more',
  ),
  recover: withDefault(
    'PARLEY_RECOVER',
    kinds.flag,
    'false',
    'Makes `PARLEY_BOOTSTRAP_KEY` the system operator’s key again at this start, and says so in the audit trail',
  ),
  natsServers: optional(
    'PARLEY_NATS_URL',
    kinds.natsServers,
    'unset: the bus inside the process',
    'NATS servers, separated by commas, whose cluster the node joins',
  ),
  natsCredsFile: optional('PARLEY_NATS_CREDS', kinds.path, unsetText, 'File of NATS credentials'),
  natsTlsCaFile: optional(
    'PARLEY_NATS_TLS_CA',
    kinds.path,
    unsetText,
    'File of the authority that signed the NATS servers',
  ),
  natsSyncAlways: withDefault(
    'PARLEY_NATS_SYNC_ALWAYS',
    kinds.flag,
    'false',
    'Says that the NATS servers run with `sync_interval: always`, which a node cannot see; until then it warns',
  ),
  redisUrl: optional(
    'PARLEY_REDIS_URL',
    kinds.redisUrl,
    'unset: limits inside the process',
    'Redis that holds the rate limits which several nodes share; `rediss://` for TLS',
  ),
  redisTlsCaFile: optional(
    'PARLEY_REDIS_TLS_CA',
    kinds.path,
    unsetText,
    'File of the authority that signed the Redis server',
  ),
  roles: withDefault(
    'PARLEY_ROLES',
    kinds.roleList,
    kinds.nodeRoles.join(),
    'What this process runs, separated by commas',
  ),
  shards: withDefault(
    'PARLEY_SHARDS',
    kinds.shardCount,
    '16',
    'Parts that state is divided into; fixed once there is data',
  ),
  secretKeyHex: optional(
    'PARLEY_SECRET_KEY',
    kinds.secretKeyHex,
    'made in the data folder, readable by its owner only',
    'Root key of everything sealed or signed: 32 bytes in hex, base64 or base64url',
  ),
  modelUrl: optional(
    'PARLEY_MODEL_URL',
    kinds.endpointUrl,
    'unset: no model',
    'Chat endpoint of a language model that speaks as OpenAI’s does',
  ),
  modelKey: optional('PARLEY_MODEL_KEY', kinds.secretText, unsetText, 'Key that the model endpoint asks for'),
  modelName: optional('PARLEY_MODEL_NAME', kinds.word, unsetText, 'Model to ask for at that endpoint'),
  geocoderUrl: optional(
    'PARLEY_GEOCODER_URL',
    kinds.endpointUrl,
    'unset: no geocoding',
    'Search URL of a geocoder that answers as Nominatim does',
  ),
  adapters: optional(
    'PARLEY_ADAPTERS',
    kinds.moduleList,
    unsetText,
    'Modules of partner adapters, separated by commas',
  ),
  emulator: optional(
    'PARLEY_EMULATOR',
    kinds.flag,
    'on where `PARLEY_HOST` is a loopback address, no public URL and no trusted proxy is set and `NODE_ENV` is not `production`',
    'Runs servers that stand in for real providers, on loopback ports beside the management API, with the sample agents and the emulator page',
  ),
  allowPrivateUrls: withDefault(
    'PARLEY_ALLOW_PRIVATE_URLS',
    kinds.flag,
    'false',
    'Allows outgoing calls to private and loopback addresses, as on a developer’s machine; never in production',
  ),
  timeScale: withDefault(
    'PARLEY_TIME_SCALE',
    kinds.scale,
    '1',
    'How many times faster sessions, retries and windows run: 60 makes an hour a minute. Rate limits keep their pace',
  ),
  oidcIssuer: optional(
    'PARLEY_OIDC_ISSUER',
    kinds.endpointUrl,
    'unset: the node issues its own',
    'Issuer of the ID tokens that people sign in with, exactly as their `iss` spells it',
  ),
  oidcAudience: optional('PARLEY_OIDC_AUDIENCE', kinds.word, unsetText, 'The `aud` that those ID tokens must carry'),
  oauthProvidersFile: optional(
    'PARLEY_OAUTH_PROVIDERS',
    kinds.path,
    'unset: no sign-in',
    'JSON file of the providers that tools and connections sign in at; `ops/runbooks/oauth-providers.md` says what it holds',
  ),
  oauthReturnHosts: optional(
    'PARLEY_OAUTH_RETURN_HOSTS',
    kinds.hostList,
    'unset: a page is shown',
    'Hosts that browsers may be sent to after such a sign-in, separated by commas; one with a port as `host:port`',
  ),
  allowUnverifiedUws: withDefault(
    'PARLEY_ALLOW_UNVERIFIED_UWS',
    kinds.flag,
    'false',
    'Lets the node start on a uWebSockets.js binary that is not an official build',
  ),
}

export type Config = {
  readonly [Name in keyof typeof variables]: (typeof variables)[Name] extends Variable<infer T> ? T : never
}
export type Environment = Readonly<Record<string, string | undefined>>

/** Reads the whole environment, or returns every problem, one sentence each. */
export function readConfig(env: Environment): { config: Config } | { problems: readonly string[] } {
  const read: Record<string, unknown> = {}
  const problems = unknownNames(env)
  for (const [field, variable] of Object.entries(variables) as [keyof Config, Variable<unknown>][]) {
    const text = env[variable.name] || variable.fallback
    if (text === undefined) continue
    read[field] = variable.kind.read(text)
    if (read[field] === undefined) problems.push(problemOf(variable, text))
  }
  if (env.NODE_ENV === 'production') read.emulator ??= false
  const config = read as Config
  problems.push(...contradictions(config, env))
  if (problems.length > 0) return { problems }
  for (const value of Object.values(config)) Object.freeze(value)
  return { config: Object.freeze(config) }
}

/** The rows of the README's table. */
export function describeConfig(): readonly { name: string; unset: string; meaning: string }[] {
  return Object.values(variables).map(({ name, unset, meaning }) => ({ name, unset, meaning }))
}

function problemOf({ name, kind }: Variable<unknown>, text: string): string {
  if (!kind.redact) return `${name} has a value, not shown here, that cannot be used. It wants ${kind.expected}.`
  const quoted = JSON.stringify(kind.redact(text).slice(0, maxQuotedChars))
  return `${name} is ${quoted}. It wants ${kind.expected}.`
}

/** Variables that have a meaning only together with another one. */
const needs: readonly (readonly [keyof Config, keyof Config])[] = [
  ['recover', 'bootstrapKey'],
  ['natsCredsFile', 'natsServers'],
  ['natsTlsCaFile', 'natsServers'],
  ['natsSyncAlways', 'natsServers'],
  ['redisTlsCaFile', 'redisUrl'],
  ['modelKey', 'modelUrl'],
  ['modelName', 'modelUrl'],
  ['oidcIssuer', 'oidcAudience'],
  ['oidcAudience', 'oidcIssuer'],
]

function contradictions(config: Config, env: Environment): string[] {
  const problems = needs
    .map(([field, other]) => [variables[field].name, variables[other].name] as const)
    .filter(([name, other]) => env[name] && !env[other])
    .map(([name, other]) => `${name} is set and ${other} is not. They go together.`)
  const { gatewayPort, mgmtPort, roles, natsServers, redisUrl, redisTlsCaFile } = config
  if (redisTlsCaFile && redisUrl?.startsWith('redis:')) {
    problems.push('PARLEY_REDIS_TLS_CA is set and PARLEY_REDIS_URL begins with redis://. TLS wants rediss://.')
  }
  if (roles && !roles.includes('shards') && !natsServers && !env[variables.natsServers.name]) {
    problems.push(
      'PARLEY_ROLES lacks shards and PARLEY_NATS_URL is not set. Such a process has nowhere to keep anything.',
    )
  }
  if (roles && !roles.includes('gateway') && !env[variables.publicGatewayUrl.name]) {
    problems.push(
      'PARLEY_ROLES lacks gateway and PARLEY_PUBLIC_GATEWAY_URL is not set. Links for people and providers would have no host.',
    )
  }
  if (gatewayPort && gatewayPort === mgmtPort && roles?.includes('gateway') && roles.includes('mgmt')) {
    problems.push(`PARLEY_GATEWAY_PORT and PARLEY_MGMT_PORT are both ${mgmtPort}. Each wants a port of its own.`)
  }
  return problems
}

function unknownNames(env: Environment): string[] {
  const names = Object.values(variables).map((variable) => variable.name)
  const commandLineNames: readonly string[] = Object.values(commandLineVariables)
  return Object.keys(env)
    .filter((name) => name.startsWith('PARLEY_') && env[name] !== undefined)
    .filter((name) => !names.includes(name) && !commandLineNames.includes(name))
    .map((name) => name.slice(0, maxQuotedChars))
    .map((name) => `${JSON.stringify(name)} is not a variable of Parley. Did you mean ${closestMatch(name, names)}?`)
}

/** The routes of an org's connections and of the sign-ins of an agent's tools. */
import { actorOf, type Member } from '../../core/access.js'
import { providerOfTool } from '../../core/catalogs/tooloauth.js'
import type { GrantFailure } from '../../core/connections/grant.js'
import { isRefusal, type Refusal, refuse, unavailable } from '../../core/errors.js'
import { oauth as limits } from '../../core/limits/index.js'
import { type Answer, json, type Route, route } from '../../runtime/http/route.js'
import { type CallbackOptions, callbackRoute } from './callback.js'
import type { ConnectionCommands } from './commands.js'
import { type ConnectionQueries, usersOf } from './queries.js'
import {
  adminAccess,
  Connection,
  ConnectionDisconnect,
  ConnectionList,
  ConnectionReconnect,
  ConnectionStart,
  OAuthStatus,
  readAccess,
  routeDefaults,
  SignInStarted,
  ToolOAuthStart,
  toolParams,
  writeAccess,
} from './schema.js'
import { type Holder, ownerOf, sealedKind, toolStatusOf } from './store.js'

export interface ConnectionRoutesOptions extends CallbackOptions {
  readonly commands: ConnectionCommands
  readonly queries: ConnectionQueries
  readonly randomBytes: (count: number) => Uint8Array
}

export function connectionRoutes(options: ConnectionRoutesOptions): Route[] {
  return [...connections(options), ...tools(options), callbackRoute(options)]
}

interface SignInRequest {
  readonly provider: string
  readonly toolId?: string
  readonly label?: string
  readonly connectionId?: string
  readonly returnTo?: string
}

/** Starts a sign-in: saves the pending sign-in in its owner's shard and sends the browser away with a state token. */
async function startSignIn(
  { shards, commands, provider, sealer, states, randomBytes }: ConnectionRoutesOptions,
  holder: Holder,
  { label, returnTo, ...request }: SignInRequest,
  caller: Member,
): Promise<Answer | Refusal> {
  if (!provider.has(request.provider)) return notConfigured(request.provider)
  const { state, stateHash } = states.mint(holder)
  const verifier = Buffer.from(randomBytes(limits.verifierBytes)).toString('base64url')
  const sealed = await sealer.seal(holder.orgId, sealedKind, stateHash, verifier)
  if (isRefusal(sealed)) return sealed
  const optionalFields = { ...(label !== undefined && { label }), ...(returnTo !== undefined && { returnTo }) }
  const input = { ...holder, ...request, ...optionalFields, stateHash, verifier: sealed }
  const pending = await shards.execute(ownerOf(holder), commands.begin, input, { by: actorOf(caller) })
  if (isRefusal(pending)) return pending
  const url = await provider.authorizationUrl(request.provider, state, verifier)
  return typeof url === 'string' ? json(200, { authorizationUrl: url }) : startFailed(request.provider, url)
}

function notConfigured(provider: string): Refusal {
  return refuse('connection.provider_not_configured', { detail: `There is no provider ${provider} here.` })
}

function startFailed(provider: string, { reason }: GrantFailure): Refusal {
  if (reason === 'unknown-provider') return notConfigured(provider)
  return unavailable(`The provider ${provider} does not say how people sign in there just now.`)
}

function connections(options: ConnectionRoutesOptions): Route[] {
  const { shards, commands, queries } = options
  const path = '/orgs/{org}/connections'
  return [
    route({
      ...routeDefaults,
      access: readAccess,
      method: 'GET',
      path,
      summary: 'List the connections of an org, oldest first, with the agents that use each',
      reply: { 200: ConnectionList },
      async handler({ params: { org: orgId } }) {
        const result = await shards.query(orgId, queries.list, { orgId })
        if (isRefusal(result)) return result
        const usedBy = result.length > 0 ? await usersOf(shards, queries, orgId) : () => []
        if (isRefusal(usedBy)) return usedBy
        return json(200, { data: result.map((each) => ({ ...each, usedBy: usedBy(each.id) })) })
      },
    }),
    route({
      ...routeDefaults,
      access: readAccess,
      method: 'GET',
      path: `${path}/{id}`,
      summary: 'Read a connection',
      reply: { 200: Connection },
      async handler({ params: { org: orgId, id } }) {
        const result = await shards.query(orgId, queries.read, { orgId, id })
        if (isRefusal(result)) return result
        const usedBy = await usersOf(shards, queries, orgId)
        return isRefusal(usedBy) ? usedBy : json(200, { ...result, usedBy: usedBy(id) })
      },
    }),
    route({
      ...routeDefaults,
      access: adminAccess,
      method: 'POST',
      path: `${path}/{provider}/_start`,
      summary:
        'Begin to connect an account at a provider; the person who opens the address connects the account they sign in with',
      body: ConnectionStart,
      bodyOptional: true,
      reply: { 200: SignInStarted },
      errors: ['connection.provider_not_configured', 'service.unavailable'],
      handler: ({ params: { org: orgId, provider }, body, caller }) =>
        startSignIn(options, { orgId }, { provider, ...body }, caller),
    }),
    route({
      ...routeDefaults,
      access: adminAccess,
      method: 'POST',
      path: `${path}/{id}/_reconnect`,
      summary:
        'Begin to connect a connection again, with the account that it had; it keeps its id, and its agents use it',
      body: ConnectionReconnect,
      bodyOptional: true,
      reply: { 200: SignInStarted },
      errors: ['resource.not_found', 'connection.provider_not_configured', 'service.unavailable'],
      async handler({ params: { org: orgId, id }, body, caller }) {
        const result = await shards.query(orgId, queries.statuses, { orgId, ids: [id] })
        if (isRefusal(result)) return result
        const [connection] = result
        if (!connection) return refuse('resource.not_found')
        return startSignIn(options, { orgId }, { provider: connection.provider, connectionId: id, ...body }, caller)
      },
    }),
    route({
      ...routeDefaults,
      access: adminAccess,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary:
        'Disconnect: the credential is deleted at once and revoked at the provider; agents that used it are listed. A sign-in with the same account connects it again under its id',
      reply: { 200: ConnectionDisconnect },
      async handler({ params: { org: orgId, id }, caller }) {
        const usedBy = await usersOf(shards, queries, orgId)
        const outcome = await shards.execute(orgId, commands.disconnect, { orgId, id }, { by: actorOf(caller) })
        if (isRefusal(outcome)) return outcome
        if (!outcome) return refuse('resource.not_found')
        // The list of users is informative: its failure must not prevent the disconnect.
        return json(200, { disconnected: true, usedBy: isRefusal(usedBy) ? [] : usedBy(id) })
      },
    }),
  ]
}

/** Refuses a tool without a sign-in, for which there is nothing to start, show or end. */
async function withToolProvider(
  toolId: string,
  answer: (provider: string) => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  const provider = providerOfTool(toolId)
  return provider ? answer(provider) : refuse('tool.not_found', { detail: 'This tool takes no sign-in.' })
}

function tools(options: ConnectionRoutesOptions): Route[] {
  const { shards, commands, queries } = options
  const path = '/orgs/{org}/agents/{agent}/tools/{toolId}/oauth'
  return [
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'POST',
      path: `${path}/start`,
      summary: 'Begin to sign in for a tool of an agent',
      params: toolParams,
      body: ToolOAuthStart,
      bodyOptional: true,
      reply: { 200: SignInStarted },
      errors: ['tool.not_found', 'connection.provider_not_configured', 'service.unavailable'],
      handler: ({ params: { org: orgId, agent: agentId, toolId }, body, caller }) =>
        withToolProvider(toolId, (provider) =>
          startSignIn(options, { orgId, agentId }, { provider, toolId, ...body }, caller),
        ),
    }),
    route({
      ...routeDefaults,
      access: readAccess,
      method: 'GET',
      path: `${path}/status`,
      summary: 'Read whether a tool has a sign-in, and whether it is still valid',
      params: toolParams,
      reply: { 200: OAuthStatus },
      errors: ['tool.not_found'],
      handler: ({ params: { org: orgId, agent: agentId, toolId } }) =>
        withToolProvider(toolId, async () => {
          const result = await shards.query(ownerOf({ orgId, agentId }), queries.status, { orgId, agentId, toolId })
          return isRefusal(result) ? result : json(200, result)
        }),
    }),
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'POST',
      path: `${path}/disconnect`,
      summary: 'End the sign-in for a tool: the grant is taken back, the binding stays',
      params: toolParams,
      reply: { 200: OAuthStatus },
      errors: ['tool.not_found'],
      handler: ({ params: { org: orgId, agent: agentId, toolId }, caller }) =>
        withToolProvider(toolId, async () => {
          const ref = { orgId, agentId, id: toolId }
          const outcome = await shards.execute(ownerOf(ref), commands.disconnect, ref, { by: actorOf(caller) })
          return isRefusal(outcome) ? outcome : json(200, toolStatusOf(undefined))
        }),
    }),
  ]
}

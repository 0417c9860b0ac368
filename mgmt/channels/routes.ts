/** The routes of channel bindings. */
import { actorOf } from '../../core/access.js'
import { formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import type { Sealer } from '../../runtime/secrets/sealer.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { bindingIndex, ownerOfBinding } from './bindingindex.js'
import type { ChannelCommands } from './commands.js'
import { channelQueries as queries } from './queries.js'
import {
  ChannelBinding,
  ChannelBindingList,
  ChannelCreate,
  ChannelPatch,
  readAccess,
  routeDefaults,
  writeAccess,
} from './schema.js'
import { authKind, type BindingRef } from './store.js'
import { type CheckCredentials, modeError } from './validate.js'
import { ClassicError, createBindingAnswers, toClassicAnswer } from './views.js'

export interface ChannelRoutesOptions {
  readonly shards: Shards
  readonly commands: ChannelCommands
  readonly sealer: Pick<Sealer, 'seal'>
  readonly checkCredentials: CheckCredentials
  readonly randomBytes: (count: number) => Uint8Array
  /** Base URL of the gateway as others reach it, with the version prefix. */
  readonly gatewayUrl: () => string
}

const collectionPath = '/orgs/{org}/agents/{agent}/channels'
const itemPath = '/orgs/{org}/agents/{agent}/channels/{bindingId}'

export function channelRoutes(options: ChannelRoutesOptions): Route[] {
  return [...collection(options), ...item(options), ...switches(options)]
}

type Auth = Readonly<Record<string, unknown>>

function sealed(sealer: Pick<Sealer, 'seal'>, orgId: string, bindingId: string, auth: Auth) {
  return sealer.seal(orgId, authKind, bindingId, JSON.stringify(auth))
}

function bindingRefOf(params: {
  readonly org: string
  readonly agent: string
  readonly bindingId: string
}): BindingRef {
  return { orgId: params.org, agentId: params.agent, bindingId: params.bindingId }
}

function collection(options: ChannelRoutesOptions): Route[] {
  const { shards, commands, sealer, checkCredentials, randomBytes } = options
  const { withUrls, answer } = createBindingAnswers(options.gatewayUrl)
  return [
    route({
      ...routeDefaults,
      access: readAccess,
      method: 'GET',
      path: collectionPath,
      summary: 'List the bindings of an agent, oldest first',
      reply: { 200: ChannelBindingList },
      async handler({ params: { org: orgId, agent: agentId } }) {
        const agent = { orgId, agentId }
        const views = await shards.query(formatAgentKey(agent), queries.list, agent)
        return isRefusal(views) ? views : json(200, { data: views.map((view) => withUrls(orgId, view)) })
      },
    }),
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'POST',
      path: collectionPath,
      summary: 'Bind a channel: managed on request, unmanaged with an account of your own',
      body: ChannelCreate,
      reply: { 201: ChannelBinding, 400: ClassicError },
      errors: ['request.invalid', 'agent.channel.taken'],
      async handler({ params: { org: orgId, agent: agentId }, body, caller }) {
        const { channel, mode, provider, inputs, auth = {} } = body
        const refusal = modeError(body) ?? (provider && (await checkCredentials(channel, provider, auth)))
        if (refusal) return toClassicAnswer(refusal)
        const agent = { orgId, agentId }
        const bindingId = idFromBytes('cb', randomBytes(17))
        const secret = Object.keys(auth).length > 0 ? await sealed(sealer, orgId, bindingId, auth) : undefined
        if (isRefusal(secret)) return secret
        // Writes the index first: a row without its binding is harmless, while a binding without its row cannot be
        // reached.
        const indexed = await shards.execute(ownerOfBinding(bindingId), bindingIndex.put, { ...agent, bindingId })
        if (isRefusal(indexed)) return indexed
        const optionalFields = {
          ...(provider && { provider }),
          ...(inputs && { inputs }),
          ...(secret && { auth: secret }),
        }
        const input = { ...agent, id: bindingId, channel, mode, ...optionalFields }
        const created = await shards.execute(formatAgentKey(agent), commands.create, input, { by: actorOf(caller) })
        // A refused binding, or one restored under its former id, does not use this id. Without an answer it may have
        // been created.
        const isUnused = isRefusal(created) ? created.refused !== 'service.unavailable' : created.id !== bindingId
        if (isUnused) removeIndexRow(shards, bindingId)
        return answer(201, orgId, created)
      },
    }),
  ]
}

function removeIndexRow(shards: Shards, bindingId: string): void {
  shards.execute(ownerOfBinding(bindingId), bindingIndex.remove, { bindingId }).catch(() => {
    // A row that stays without its binding is harmless.
  })
}

function item(options: ChannelRoutesOptions): Route[] {
  const { shards, commands, sealer, checkCredentials } = options
  const { answer } = createBindingAnswers(options.gatewayUrl)

  /** Checks new credentials against the binding's provider, then seals them for the binding. */
  async function newAuth(ref: BindingRef, auth: Auth): Promise<Uint8Array | Refusal> {
    const binding = await shards.query(formatAgentKey(ref), queries.read, ref)
    if (isRefusal(binding)) return binding
    const refusal = binding.provider && (await checkCredentials(binding.channel, binding.provider, auth))
    return refusal || sealed(sealer, ref.orgId, ref.bindingId, auth)
  }

  return [
    route({
      ...routeDefaults,
      access: readAccess,
      method: 'GET',
      path: itemPath,
      summary: 'Read a binding',
      reply: { 200: ChannelBinding },
      async handler({ params }) {
        const ref = bindingRefOf(params)
        return answer(200, ref.orgId, await shards.query(formatAgentKey(ref), queries.read, ref))
      },
    }),
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'PATCH',
      path: itemPath,
      summary: 'Rotate credentials, set pacing or compliance, or supply what the setup asks for',
      body: ChannelPatch,
      reply: { 200: ChannelBinding, 400: ClassicError },
      errors: ['request.invalid', 'agent.channel.state_conflict'],
      async handler({ params, body: { auth, ...settings }, caller }) {
        const ref = bindingRefOf(params)
        const secret = auth && (await newAuth(ref, auth))
        if (isRefusal(secret)) return toClassicAnswer(secret)
        const input = { ...ref, change: { ...settings, ...(secret && { auth: secret }) } }
        return answer(
          200,
          ref.orgId,
          await shards.execute(formatAgentKey(ref), commands.change, input, { by: actorOf(caller) }),
        )
      },
    }),
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'DELETE',
      path: itemPath,
      summary: 'Withdraw a request or release a binding; a managed rcs sender is kept for the next request',
      reply: { 204: null },
      async handler({ params, caller }) {
        const ref = bindingRefOf(params)
        const removed = await shards.execute(formatAgentKey(ref), commands.remove, ref, { by: actorOf(caller) })
        return isRefusal(removed) ? removed : noContent
      },
    }),
  ]
}

function switches(options: ChannelRoutesOptions): Route[] {
  const { shards, commands } = options
  const { answer } = createBindingAnswers(options.gatewayUrl)
  const switchRoute = (verb: '_disable' | '_enable', on: 'disabled' | 'enabled', summary: string): Route =>
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'POST',
      path: `${itemPath}/${verb}`,
      summary,
      reply: { 200: ChannelBinding },
      errors: ['agent.channel.state_conflict'],
      async handler({ params, caller }) {
        const ref = bindingRefOf(params as Parameters<typeof bindingRefOf>[0])
        const input = { ...ref, on }
        return answer(
          200,
          ref.orgId,
          await shards.execute(formatAgentKey(ref), commands.setEnabled, input, { by: actorOf(caller) }),
        )
      },
    })
  return [
    switchRoute(
      '_disable',
      'disabled',
      'Switch a binding off: nothing is sent over it, while what people do is still kept',
    ),
    switchRoute('_enable', 'enabled', 'Switch a binding on again'),
  ]
}

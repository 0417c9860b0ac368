/** The routes of channel bindings. */
import { actorOf } from '../../core/access.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Sealer } from '../../runtime/store/sealer.js'
import { answersWith, ClassicError, refusedAs } from './answers.js'
import { bindingIndex, ownerOfBinding } from './bindingindex.js'
import type { ChannelCommands } from './commands.js'
import { channelQueries as queries } from './queries.js'
import { type CheckCredentials, wrongMode } from './rules.js'
import {
  ChannelBinding,
  ChannelBindingList,
  ChannelCreate,
  ChannelPatch,
  ofChannels,
  reading,
  writing,
} from './schema.js'
import { authKind, type BindingPlace } from './store.js'

export interface ChannelRoutesOptions {
  readonly shards: Shards
  readonly commands: ChannelCommands
  readonly sealer: Pick<Sealer, 'seal'>
  readonly checkCredentials: CheckCredentials
  readonly randomBytes: (count: number) => Uint8Array
  /** Where others reach the gateway, with its version prefix. */
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

function placeOf(params: { readonly org: string; readonly agent: string; readonly bindingId: string }): BindingPlace {
  return { orgId: params.org, agentId: params.agent, bindingId: params.bindingId }
}

function collection(options: ChannelRoutesOptions): Route[] {
  const { shards, commands, sealer, checkCredentials, randomBytes } = options
  const { shown, answer } = answersWith(options.gatewayUrl)
  return [
    route({
      ...ofChannels,
      access: reading,
      method: 'GET',
      path: collectionPath,
      summary: 'List the bindings of an agent, oldest first',
      reply: { 200: ChannelBindingList },
      async handler({ params: { org: orgId, agent: agentId } }) {
        const place = { orgId, agentId }
        const found = await shards.read(agentKeyOf(place), queries.list, place)
        return isRefusal(found) ? found : json(200, { data: found.map((view) => shown(orgId, view)) })
      },
    }),
    route({
      ...ofChannels,
      access: writing,
      method: 'POST',
      path: collectionPath,
      summary: 'Bind a channel: managed on request, unmanaged with an account of your own',
      body: ChannelCreate,
      reply: { 201: ChannelBinding, 400: ClassicError },
      errors: ['request.invalid', 'agent.channel.taken'],
      async handler({ params: { org: orgId, agent: agentId }, body, caller }) {
        const { channel, mode, provider, inputs, auth = {} } = body
        const wrong = wrongMode(body) ?? (provider && (await checkCredentials(channel, provider, auth)))
        if (wrong) return refusedAs(wrong)
        const place = { orgId, agentId }
        const bindingId = idFromBytes('cb', randomBytes(17))
        const secret = Object.keys(auth).length > 0 ? await sealed(sealer, orgId, bindingId, auth) : undefined
        if (isRefusal(secret)) return secret
        // The index comes first: a row without its binding harms nobody, while a binding without its row cannot be reached.
        const indexed = await shards.ask(ownerOfBinding(bindingId), bindingIndex.put, { ...place, bindingId })
        if (isRefusal(indexed)) return indexed
        const given = { ...(provider && { provider }), ...(inputs && { inputs }), ...(secret && { auth: secret }) }
        const input = { ...place, id: bindingId, channel, mode, ...given }
        const made = await shards.ask(agentKeyOf(place), commands.create, input, { by: actorOf(caller) })
        // Refused, or restored under the id it had before: nobody will ever hear of this one. Without an answer, somebody may.
        const isOver = isRefusal(made) ? made.refused !== 'service.unavailable' : made.id !== bindingId
        if (isOver) dropRow(shards, bindingId)
        return answer(201, orgId, made)
      },
    }),
  ]
}

function dropRow(shards: Shards, bindingId: string): void {
  shards.ask(ownerOfBinding(bindingId), bindingIndex.remove, { bindingId }).catch(() => {
    // A row that leads to no binding harms nobody.
  })
}

function item(options: ChannelRoutesOptions): Route[] {
  const { shards, commands, sealer, checkCredentials } = options
  const { answer } = answersWith(options.gatewayUrl)

  /** New credentials are checked by the provider of the binding as it is, then sealed for it. */
  async function newAuth(place: BindingPlace, auth: Auth): Promise<Uint8Array | Refusal> {
    const binding = await shards.read(agentKeyOf(place), queries.read, place)
    if (isRefusal(binding)) return binding
    const wrong = binding.provider && (await checkCredentials(binding.channel, binding.provider, auth))
    return wrong || sealed(sealer, place.orgId, place.bindingId, auth)
  }

  return [
    route({
      ...ofChannels,
      access: reading,
      method: 'GET',
      path: itemPath,
      summary: 'Read a binding',
      reply: { 200: ChannelBinding },
      async handler({ params }) {
        const place = placeOf(params)
        return answer(200, place.orgId, await shards.read(agentKeyOf(place), queries.read, place))
      },
    }),
    route({
      ...ofChannels,
      access: writing,
      method: 'PATCH',
      path: itemPath,
      summary: 'Rotate credentials, set pacing or compliance, or supply what the setup asks for',
      body: ChannelPatch,
      reply: { 200: ChannelBinding, 400: ClassicError },
      errors: ['request.invalid', 'agent.channel.state_conflict'],
      async handler({ params, body: { auth, ...settings }, caller }) {
        const place = placeOf(params)
        const secret = auth && (await newAuth(place, auth))
        if (isRefusal(secret)) return refusedAs(secret)
        const input = { ...place, change: { ...settings, ...(secret && { auth: secret }) } }
        return answer(
          200,
          place.orgId,
          await shards.ask(agentKeyOf(place), commands.change, input, { by: actorOf(caller) }),
        )
      },
    }),
    route({
      ...ofChannels,
      access: writing,
      method: 'DELETE',
      path: itemPath,
      summary: 'Withdraw a request or release a binding; a managed rcs sender is kept for the next request',
      reply: { 204: null },
      async handler({ params, caller }) {
        const place = placeOf(params)
        const removed = await shards.ask(agentKeyOf(place), commands.remove, place, { by: actorOf(caller) })
        return isRefusal(removed) ? removed : noContent
      },
    }),
  ]
}

function switches(options: ChannelRoutesOptions): Route[] {
  const { shards, commands } = options
  const { answer } = answersWith(options.gatewayUrl)
  const turning = (verb: '_disable' | '_enable', on: 'disabled' | 'enabled', summary: string): Route =>
    route({
      ...ofChannels,
      access: writing,
      method: 'POST',
      path: `${itemPath}/${verb}`,
      summary,
      reply: { 200: ChannelBinding },
      errors: ['agent.channel.state_conflict'],
      async handler({ params, caller }) {
        const place = placeOf(params as Parameters<typeof placeOf>[0])
        const input = { ...place, on }
        return answer(
          200,
          place.orgId,
          await shards.ask(agentKeyOf(place), commands.turn, input, { by: actorOf(caller) }),
        )
      },
    })
  return [
    turning(
      '_disable',
      'disabled',
      'Switch a binding off: nothing is sent over it, while what people do is still kept',
    ),
    turning('_enable', 'enabled', 'Switch a binding on again'),
  ]
}

/** The routes of personas and of their rehearsals. */
import { actorOf } from '../../core/access.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { invalid, isRefusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { page } from '../../core/limits.js'
import { DirectiveBody, directiveOf } from '../../core/personas/directive.js'
import type { Turn } from '../../core/personas/turn.js'
import type { Pages } from '../../runtime/http/page.js'
import { wholeOrPaged } from '../../runtime/http/paged.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Conversations } from '../people/conversations.js'
import type { FreshIdentity, Personas } from './commands.js'
import type { SandboxCommands, SandboxConversations } from './conversations.js'
import {
  ofPersonas,
  PageQuery,
  PersonaCreate,
  PersonaList,
  PersonaView,
  playing,
  reading,
  TurnList,
  TurnQuery,
  TurnRun,
  type TurnView,
  writing,
} from './schema.js'
import type { OnePersona, Persona } from './store.js'

export interface PersonaRoutesOptions {
  readonly shards: Shards
  readonly personas: Pick<Personas, 'commands' | 'queries'>
  readonly conversations: Pick<Conversations, 'asidOf'>
  readonly sandbox: SandboxConversations
  readonly begin: SandboxCommands['begin']
  readonly pages: Pages
  readonly randomBytes: (count: number) => Uint8Array
}

const collectionPath = '/orgs/{org}/agents/{agent}/personas'
const itemPath = `${collectionPath}/{personaId}` as const
const turnsPath = `${itemPath}/turns` as const
const idBytes = 17

export function personaRoutes(options: PersonaRoutesOptions): Route[] {
  return [...collection(options), ...item(options), ...rehearsals(options)]
}

type ItemParams = { readonly org: string; readonly agent: string; readonly personaId: string }

function placeOf({ org: orgId, agent: agentId, personaId }: ItemParams): OnePersona {
  return { orgId, agentId, personaId }
}

/** No provider ever tells of such an address, and nobody can make up the one that a persona has. */
function freshIdentity(
  { conversations, randomBytes }: PersonaRoutesOptions,
  place: AgentPlace,
  channel: Persona['channel'],
): FreshIdentity {
  const address = `persona:${idFromBytes('at', randomBytes(idBytes))}`
  return { address, asid: conversations.asidOf(place, channel, address) }
}

/** The shard of the agent tells it too; asked here, it has begun when the caller hears of it. */
async function begun(
  { shards, begin }: PersonaRoutesOptions,
  agent: AgentPlace,
  { channel, historySeed: seed = [] }: PersonaView,
  { asid, address }: FreshIdentity,
): Promise<void> {
  if (seed.length > 0) await shards.ask(asid, begin, { who: { asid, agent, channel, address, sandbox: true }, seed })
}

function collection(options: PersonaRoutesOptions): Route[] {
  const { shards, personas, pages, randomBytes } = options
  return [
    route({
      ...ofPersonas,
      access: reading,
      method: 'GET',
      path: collectionPath,
      summary: 'List the personas of an agent, oldest first',
      query: PageQuery,
      reply: { 200: PersonaList },
      errors: ['request.invalid'],
      async handler({ params: { org: orgId, agent: agentId }, query }) {
        const place = { orgId, agentId }
        const all = await shards.read(agentKeyOf(place), personas.queries.list, place)
        if (isRefusal(all)) return all
        const found = wholeOrPaged(all, { ...query, pages, scope: `personas:${agentKeyOf(place)}` })
        return isRefusal(found) ? found : json(200, found)
      },
    }),
    route({
      ...ofPersonas,
      access: playing,
      method: 'POST',
      path: collectionPath,
      summary: 'Make somebody to rehearse with',
      body: PersonaCreate,
      reply: { 201: PersonaView },
      errors: ['request.invalid'],
      async handler({ params: { org: orgId, agent: agentId }, body, caller }) {
        const { name, channel = 'rcs', ...preset } = body
        const place = { orgId, agentId }
        const personaId = idFromBytes('psn', randomBytes(idBytes))
        const identity = freshIdentity(options, place, channel)
        const input = { ...place, personaId, name, channel, preset, identity }
        const made = await shards.ask(agentKeyOf(place), personas.commands.create, input, { by: actorOf(caller) })
        if (isRefusal(made)) return made
        await begun(options, place, made, identity)
        return json(201, made)
      },
    }),
  ]
}

function item(options: PersonaRoutesOptions): Route[] {
  const { shards, personas } = options
  return [
    route({
      ...ofPersonas,
      access: reading,
      method: 'GET',
      path: itemPath,
      summary: 'Read a persona as it has become',
      reply: { 200: PersonaView },
      errors: ['agent.persona.not_found'],
      async handler({ params }) {
        const place = placeOf(params)
        const found = await shards.read(agentKeyOf(place), personas.queries.read, place)
        return isRefusal(found) ? found : json(200, found)
      },
    }),
    route({
      ...ofPersonas,
      access: writing,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete a persona with all that was said to and by it',
      reply: { 204: null },
      errors: ['agent.persona.not_found'],
      async handler({ params, caller }) {
        const place = placeOf(params)
        const gone = await shards.ask(agentKeyOf(place), personas.commands.remove, place, { by: actorOf(caller) })
        return isRefusal(gone) ? gone : noContent
      },
    }),
    route({
      ...ofPersonas,
      access: playing,
      method: 'POST',
      path: `${itemPath}/_reset`,
      summary: 'Begin anew: a fresh identity and conversation, and the person as first made',
      reply: { 200: PersonaView },
      errors: ['agent.persona.not_found'],
      async handler({ params, caller }) {
        const { personaId, ...place } = placeOf(params)
        const owner = agentKeyOf(place)
        const before = await shards.read(owner, personas.queries.read, { ...place, personaId })
        if (isRefusal(before)) return before
        const identity = freshIdentity(options, place, before.channel)
        const input = { ...place, personaId, identity }
        const reset = await shards.ask(owner, personas.commands.reset, input, { by: actorOf(caller) })
        if (isRefusal(reset)) return reset
        await begun(options, place, reset, identity)
        return json(200, reset)
      },
    }),
  ]
}

function rehearsals({ shards, personas, sandbox, pages }: PersonaRoutesOptions): Route[] {
  const speakerOf = (place: OnePersona) => shards.read(agentKeyOf(place), personas.queries.speaker, place)
  return [
    route({
      ...ofPersonas,
      access: playing,
      method: 'POST',
      path: turnsPath,
      summary: 'Do something as the persona, and see what the agent says to it',
      body: DirectiveBody,
      reply: { 200: TurnRun },
      errors: ['request.invalid', 'agent.persona.not_found', 'agent.persona.unavailable', 'agent.sandbox.unavailable'],
      async handler({ params, body }) {
        const directive = directiveOf(body)
        if (isRefusal(directive)) return directive
        const { personaId, ...place } = placeOf(params)
        const speaker = await speakerOf({ ...place, personaId })
        if (isRefusal(speaker)) return speaker
        const ran = await sandbox.run({ place, ...speaker }, directive)
        if (isRefusal(ran)) return ran
        return json(200, { turn: turnAsRead(ran.turn), replies: ran.replies.map(turnAsRead), pending: ran.isPending })
      },
    }),
    route({
      ...ofPersonas,
      access: reading,
      method: 'GET',
      path: turnsPath,
      summary: 'List what was said to and by the persona, oldest first',
      query: TurnQuery,
      reply: { 200: TurnList },
      errors: ['request.invalid', 'agent.persona.not_found', 'agent.persona.unavailable'],
      async handler({ params, query: { limit = page.defaultRows, pageToken } }) {
        const speaker = await speakerOf(placeOf(params))
        if (isRefusal(speaker)) return speaker
        // A reset begins another list, which a token of the one before does not open.
        const scope = `turns ${speaker.asid}`
        const from = pageToken === undefined ? [0] : pages.read(scope, pageToken)
        if (!from) return invalid('pageToken', 'is not a token of this list')
        const found = await sandbox.turns(speaker.asid, from[0] as number, limit)
        if (isRefusal(found)) return found
        const data = found.turns.map(turnAsRead)
        return json(200, found.isMore ? { data, nextPageToken: pages.write(scope, [data.at(-1)!.number]) } : { data })
      },
    }),
  ]
}

function turnAsRead({ at, isSeed, message, directive, ...turn }: Turn): TurnView {
  return {
    ...turn,
    at: new Date(at).toISOString(),
    ...(message && { message }),
    ...(directive && { directive }),
    ...(isSeed && { seeded: true as const }),
  }
}

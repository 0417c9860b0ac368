/** Routes of personas and of their turns. */
import { actorOf } from '../../core/access.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { page } from '../../core/limits/index.js'
import { DirectiveBody, parseDirective } from '../../core/sandbox/directive.js'
import type { Turn } from '../../core/sandbox/turn.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import { paginateIfRequested } from '../../runtime/http/pagination.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Conversations } from '../people/conversations.js'
import type { NewIdentity, Personas } from './commands.js'
import type { SandboxCommands, SandboxConversations } from './conversations.js'
import {
  ofPersonas,
  PageQuery,
  PersonaCreate,
  PersonaList,
  PersonaView,
  playAccess,
  readAccess,
  TurnList,
  TurnQuery,
  TurnRun,
  type TurnView,
  writeAccess,
} from './schema.js'
import type { Persona, PersonaRef } from './store.js'

export interface PersonaRoutesOptions {
  readonly shards: Shards
  readonly personas: Pick<Personas, 'commands' | 'queries'>
  readonly conversations: Pick<Conversations, 'asidOf'>
  readonly sandbox: SandboxConversations
  readonly begin: SandboxCommands['begin']
  readonly pages: PageTokens
  readonly randomBytes: (count: number) => Uint8Array
}

const collectionPath = '/orgs/{org}/agents/{agent}/personas'
const itemPath = `${collectionPath}/{personaId}` as const
const turnsPath = `${itemPath}/turns` as const
const idBytes = 17

export function personaRoutes(options: PersonaRoutesOptions): Route[] {
  return [...collection(options), ...item(options), ...turnRoutes(options)]
}

type ItemParams = { readonly org: string; readonly agent: string; readonly personaId: string }

function personaRefOf({ org: orgId, agent: agentId, personaId }: ItemParams): PersonaRef {
  return { orgId, agentId, personaId }
}

/** An identity with a random address: callers cannot guess it, and no provider reports such an address. */
function createIdentity(
  { conversations, randomBytes }: PersonaRoutesOptions,
  agent: AgentRef,
  channel: Persona['channel'],
): NewIdentity {
  const address = `persona:${idFromBytes('at', randomBytes(idBytes))}`
  return { address, asid: conversations.asidOf(agent, channel, address) }
}

/** The agent's shard starts the conversation too; this call makes sure that it has begun before the caller's answer. */
async function startConversation(
  { shards, begin }: PersonaRoutesOptions,
  agent: AgentRef,
  { channel, historySeed: seed = [] }: PersonaView,
  { asid, address }: NewIdentity,
): Promise<void> {
  if (seed.length > 0)
    await shards.execute(asid, begin, { identity: { asid, agent, channel, address, sandbox: true }, seed })
}

function collection(options: PersonaRoutesOptions): Route[] {
  const { shards, personas, pages, randomBytes } = options
  return [
    route({
      ...ofPersonas,
      access: readAccess,
      method: 'GET',
      path: collectionPath,
      summary: 'List the personas of an agent, oldest first',
      query: PageQuery,
      reply: { 200: PersonaList },
      errors: ['request.invalid'],
      async handler({ params: { org: orgId, agent: agentId }, query }) {
        const agent = { orgId, agentId }
        const all = await shards.query(formatAgentKey(agent), personas.queries.list, agent)
        if (isRefusal(all)) return all
        const list = paginateIfRequested(all, {
          ...query,
          pageTokens: pages,
          scope: `personas:${formatAgentKey(agent)}`,
        })
        return isRefusal(list) ? list : json(200, list)
      },
    }),
    route({
      ...ofPersonas,
      access: playAccess,
      method: 'POST',
      path: collectionPath,
      summary: 'Create a persona for the sandbox',
      body: PersonaCreate,
      reply: { 201: PersonaView },
      errors: ['request.invalid'],
      async handler({ params: { org: orgId, agent: agentId }, body, caller }) {
        const { name, channel = 'rcs', ...preset } = body
        const agent = { orgId, agentId }
        const personaId = idFromBytes('psn', randomBytes(idBytes))
        const identity = createIdentity(options, agent, channel)
        const input = { ...agent, personaId, name, channel, preset, identity }
        const created = await shards.execute(formatAgentKey(agent), personas.commands.create, input, {
          by: actorOf(caller),
        })
        if (isRefusal(created)) return created
        await startConversation(options, agent, created, identity)
        return json(201, created)
      },
    }),
  ]
}

function item(options: PersonaRoutesOptions): Route[] {
  const { shards, personas } = options
  return [
    route({
      ...ofPersonas,
      access: readAccess,
      method: 'GET',
      path: itemPath,
      summary: 'Read a persona as it has become',
      reply: { 200: PersonaView },
      errors: ['agent.persona.not_found'],
      async handler({ params }) {
        const ref = personaRefOf(params)
        const view = await shards.query(formatAgentKey(ref), personas.queries.read, ref)
        return isRefusal(view) ? view : json(200, view)
      },
    }),
    route({
      ...ofPersonas,
      access: writeAccess,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete a persona with all that was said to and by it',
      reply: { 204: null },
      errors: ['agent.persona.not_found'],
      async handler({ params, caller }) {
        const ref = personaRefOf(params)
        const removed = await shards.execute(formatAgentKey(ref), personas.commands.remove, ref, {
          by: actorOf(caller),
        })
        return isRefusal(removed) ? removed : noContent
      },
    }),
    route({
      ...ofPersonas,
      access: playAccess,
      method: 'POST',
      path: `${itemPath}/_reset`,
      summary: 'Start over: a new identity and conversation, and the person as first created',
      reply: { 200: PersonaView },
      errors: ['agent.persona.not_found'],
      async handler({ params, caller }) {
        const { personaId, ...ref } = personaRefOf(params)
        const owner = formatAgentKey(ref)
        const before = await shards.query(owner, personas.queries.read, { ...ref, personaId })
        if (isRefusal(before)) return before
        const identity = createIdentity(options, ref, before.channel)
        const input = { ...ref, personaId, identity }
        const reset = await shards.execute(owner, personas.commands.reset, input, { by: actorOf(caller) })
        if (isRefusal(reset)) return reset
        await startConversation(options, ref, reset, identity)
        return json(200, reset)
      },
    }),
  ]
}

function turnRoutes({ shards, personas, sandbox, pages }: PersonaRoutesOptions): Route[] {
  const loadIdentity = (agentRef: PersonaRef) =>
    shards.query(formatAgentKey(agentRef), personas.queries.personaIdentity, agentRef)
  return [
    route({
      ...ofPersonas,
      access: playAccess,
      method: 'POST',
      path: turnsPath,
      summary: 'Do something as the persona, and see what the agent says to it',
      body: DirectiveBody,
      reply: { 200: TurnRun },
      errors: ['request.invalid', 'agent.persona.not_found', 'agent.persona.unavailable', 'agent.sandbox.unavailable'],
      async handler({ params, body }) {
        const directive = parseDirective(body)
        if (isRefusal(directive)) return directive
        const { personaId, ...agentRef } = personaRefOf(params)
        const identity = await loadIdentity({ ...agentRef, personaId })
        if (isRefusal(identity)) return identity
        const run = await sandbox.run({ agentRef, ...identity }, directive)
        if (isRefusal(run)) return run
        return json(200, { turn: turnAsRead(run.turn), replies: run.replies.map(turnAsRead), pending: run.isPending })
      },
    }),
    route({
      ...ofPersonas,
      access: readAccess,
      method: 'GET',
      path: turnsPath,
      summary: 'List what was said to and by the persona, oldest first',
      query: TurnQuery,
      reply: { 200: TurnList },
      errors: ['request.invalid', 'agent.persona.not_found', 'agent.persona.unavailable'],
      async handler({ params, query: { limit = page.defaultRows, pageToken } }) {
        const identity = await loadIdentity(personaRefOf(params))
        if (isRefusal(identity)) return identity
        // A reset begins another list; a token of the list before it is not valid there.
        const scope = `turns ${identity.asid}`
        const from = pages.read(scope, pageToken)
        if (isRefusal(from)) return from
        const turnPage = await sandbox.turns(identity.asid, (from?.[0] ?? 0) as number, limit)
        if (isRefusal(turnPage)) return turnPage
        const data = turnPage.turns.map(turnAsRead)
        return json(
          200,
          turnPage.isMore ? { data, nextPageToken: pages.write(scope, [data.at(-1)!.number]) } : { data },
        )
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

/** Routes of outreach links. An invalid body is answered with 400 in the classic error style. */
import type { TSchema } from 'typebox'
import { actorOf } from '../../core/access.js'
import { formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal, refuse, statusOf } from '../../core/errors.js'
import { idFromBytes, toBase62 } from '../../core/ids.js'
import { outreachLink as limits } from '../../core/limits/index.js'
import { type Link, linkView } from '../../core/links/link.js'
import type { Clock } from '../../runtime/clock.js'
import { errorBodies } from '../../runtime/http/openapi-errors.js'
import { type Answer, json, noContent, type Route, route } from '../../runtime/http/route.js'
import { compileCheck } from '../../runtime/http/validator.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { OutreachConversations } from '../outreach/conversations.js'
import type { LinkCommands } from './commands.js'
import {
  LinkCreate,
  LinkList,
  LinkPatch,
  LinkView,
  ofLinks,
  RedeemBody,
  Redeemed,
  readAccess,
  writeAccess,
} from './schema.js'
import { type LinkRef, linkCodes, ownerOfCode } from './store.js'

export interface LinkRoutesOptions {
  readonly shards: Shards
  readonly links: Pick<LinkCommands, 'commands' | 'queries'>
  readonly conversations: OutreachConversations
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
  /** The public URL of a link's page, by its code. */
  readonly urlOf: (code: string) => string
}

const collectionPath = '/orgs/{org}/agents/{agent}/outreach-links'
const itemPath = `${collectionPath}/{id}` as const
const idBytes = 17

type ItemParams = { readonly org: string; readonly agent: string; readonly id: string }

function linkRefOf({ org: orgId, agent: agentId, id: linkId }: ItemParams): LinkRef {
  return { orgId, agentId, linkId }
}

function toClassicError(refusal: Refusal): Answer | Refusal {
  return statusOf(refusal) === 400 ? classicError(refusal.detail ?? '') : refusal
}

function classicError(message: string): Answer {
  return json(400, { statusCode: 400, message })
}

/** Validates a body by its schema; the error names every invalid field in one sentence. */
function createBodyCheck(schema: TSchema): (body: unknown) => Answer | undefined {
  const check = compileCheck(schema)
  return (body) => {
    const error = check(body)
    return error && classicError(error.map(({ field, message }) => `${field}: ${message}`).join('; '))
  }
}
const createError = createBodyCheck(LinkCreate)
const patchError = createBodyCheck(LinkPatch)

export function linkRoutes(options: LinkRoutesOptions): Route[] {
  return [...collection(options), ...item(options), redeemRoute(options)]
}

function collection({ shards, links, urlOf, randomBytes }: LinkRoutesOptions): Route[] {
  const view = (link: Link) => linkView(link, urlOf(link.code))
  return [
    route({
      ...ofLinks,
      access: readAccess,
      method: 'GET',
      path: collectionPath,
      summary: 'List the outreach links of an agent, newest first',
      reply: { 200: LinkList },
      async handler({ params: { org: orgId, agent: agentId } }) {
        const agent = { orgId, agentId }
        const allLinks = await shards.query(formatAgentKey(agent), links.queries.list, agent)
        return isRefusal(allLinks) ? allLinks : json(200, { data: allLinks.map(view) })
      },
    }),
    route({
      ...ofLinks,
      access: writeAccess,
      method: 'POST',
      path: collectionPath,
      summary: 'Make a link to a page where testers enter their number and are written to',
      body: LinkCreate,
      bodyUnchecked: true,
      malformedStatus: 400,
      reply: { 201: LinkView, 400: errorBodies.classic },
      async handler({ params: { org: orgId, agent: agentId }, body: request, caller }) {
        const error = createError(request)
        if (error) return error
        const linkRef = { orgId, agentId, linkId: idFromBytes('lnk', randomBytes(idBytes)) }
        const code = toBase62(randomBytes(limits.codeBytes))
        // The code row comes first. A code without its link does no harm, while a link without its code cannot be used.
        const reserved = await shards.execute(ownerOfCode(code), linkCodes.put, { ...linkRef, code })
        if (isRefusal(reserved)) return reserved
        const by = actorOf(caller)
        const created = await shards.execute(
          formatAgentKey(linkRef),
          links.commands.create,
          { ...linkRef, code, request },
          { by },
        )
        if (!isRefusal(created)) return json(201, view(created))
        // Without an answer the link may exist, so its code stays.
        if (created.refused === 'service.unavailable') return toClassicError(created)
        shards.execute(ownerOfCode(code), linkCodes.remove, { code }).catch(() => {
          // A code without a link does no harm.
        })
        return toClassicError(created)
      },
    }),
  ]
}

function item({ shards, links, urlOf }: LinkRoutesOptions): Route[] {
  return [
    route({
      ...ofLinks,
      access: writeAccess,
      method: 'PATCH',
      path: itemPath,
      summary: 'Disable a link, or resume it',
      body: LinkPatch,
      bodyUnchecked: true,
      malformedStatus: 400,
      reply: { 200: LinkView, 400: errorBodies.classic },
      async handler({ params, body, caller }) {
        const error = patchError(body)
        if (error) return error
        const linkRef = linkRefOf(params)
        const input = { ...linkRef, disabled: body.disabled }
        const link = await shards.execute(formatAgentKey(linkRef), links.commands.change, input, {
          by: actorOf(caller),
        })
        return isRefusal(link) ? link : json(200, linkView(link, urlOf(link.code)))
      },
    }),
    route({
      ...ofLinks,
      access: writeAccess,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete a link; its page stops working at once',
      reply: { 204: null },
      async handler({ params, caller }) {
        const linkRef = linkRefOf(params)
        const removed = await shards.execute(formatAgentKey(linkRef), links.commands.remove, linkRef, {
          by: actorOf(caller),
        })
        return isRefusal(removed) ? removed : noContent
      },
    }),
  ]
}

/** Why a conversation was not opened, for a caller who tests a link with a persona. */
const reasons: Readonly<Record<string, string>> = { optedOut: 'The persona has opted out.' }

function redeemRoute({ shards, links, conversations, clock, randomBytes }: LinkRoutesOptions): Route {
  return route({
    ...ofLinks,
    access: writeAccess,
    method: 'POST',
    path: `${itemPath}/redeem`,
    summary: 'Use a link as a persona: the opening arrives among its turns, and no use is taken',
    body: RedeemBody,
    reply: { 202: Redeemed },
    errors: [
      'request.invalid',
      'agent.persona.not_found',
      'agent.persona.unavailable',
      'agent.outreach_link.unavailable',
      'agent.sandbox.unavailable',
    ],
    async handler({ params, body: { personaId } }) {
      const { linkId, ...agent } = linkRefOf(params)
      const input = { ...agent, linkId, personaId, at: clock.now() }
      const personaOpener = await shards.query(formatAgentKey(agent), links.queries.personaOpener, input)
      if (isRefusal(personaOpener)) return personaOpener
      const { identity, message } = personaOpener
      const sendId = idFromBytes('lnk', randomBytes(idBytes))
      const openRequest = { agent, sendId, attempt: 1, isLast: true, ...identity, message, sandbox: true } as const
      const answer = await conversations.open(openRequest)
      if (isRefusal(answer)) return answer
      if ('messageId' in answer) return json(202, { status: 'queued', personaId, userId: identity.asid })
      const reason = 'reason' in answer ? answer.reason : ''
      if (reason === 'noBinding') return refuse('agent.sandbox.unavailable')
      return refuse('agent.outreach_link.unavailable', { detail: reasons[reason] ?? `It was not taken: ${reason}.` })
    },
  })
}

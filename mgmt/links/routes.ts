/** The routes of outreach links. What is wrong with a body is answered with 400 in the classic style. */
import type { TSchema } from 'typebox'
import { actorOf } from '../../core/access.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { isRefusal, type Refusal, refuse, statusOf } from '../../core/errors.js'
import { idFromBytes, inBase62 } from '../../core/ids.js'
import { outreachLink as limits } from '../../core/limits.js'
import { type Link, linkView } from '../../core/links/link.js'
import type { Clock } from '../../runtime/clock.js'
import { errorBodies } from '../../runtime/http/openapi-errors.js'
import { type Answer, json, noContent, type Route, route } from '../../runtime/http/route.js'
import { compileCheck } from '../../runtime/http/validate.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { OutreachConversations } from '../outreach/conversations.js'
import type { LinkCommands } from './commands.js'
import { LinkCreate, LinkList, LinkPatch, LinkView, ofLinks, RedeemBody, Redeemed, reading, writing } from './schema.js'
import { linkCodes, type OneLink, ownerOfCode } from './store.js'

export interface LinkRoutesOptions {
  readonly shards: Shards
  readonly links: Pick<LinkCommands, 'commands' | 'queries'>
  readonly conversations: OutreachConversations
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
  /** Where people reach the page of a link, by its code. */
  readonly urlOf: (code: string) => string
}

const collectionPath = '/orgs/{org}/agents/{agent}/outreach-links'
const itemPath = `${collectionPath}/{id}` as const
const idBytes = 17

type ItemParams = { readonly org: string; readonly agent: string; readonly id: string }

function placeOf({ org: orgId, agent: agentId, id: linkId }: ItemParams): OneLink {
  return { orgId, agentId, linkId }
}

function refusedAs(refusal: Refusal): Answer | Refusal {
  return statusOf(refusal) === 400 ? classic(refusal.detail ?? '') : refusal
}

function classic(message: string): Answer {
  return json(400, { statusCode: 400, message })
}

/** A body judged by its schema: what is wrong is said of every field in one sentence. */
function judging(schema: TSchema): (body: unknown) => Answer | undefined {
  const check = compileCheck(schema)
  return (body) => {
    const wrong = check(body)
    return wrong && classic(wrong.map(({ field, message }) => `${field}: ${message}`).join('; '))
  }
}
const wrongCreate = judging(LinkCreate)
const wrongPatch = judging(LinkPatch)

export function linkRoutes(options: LinkRoutesOptions): Route[] {
  return [...collection(options), ...item(options), redeeming(options)]
}

function collection({ shards, links, urlOf, randomBytes }: LinkRoutesOptions): Route[] {
  const shown = (link: Link) => linkView(link, urlOf(link.code))
  return [
    route({
      ...ofLinks,
      access: reading,
      method: 'GET',
      path: collectionPath,
      summary: 'List the outreach links of an agent, newest first',
      reply: { 200: LinkList },
      async handler({ params: { org: orgId, agent: agentId } }) {
        const place = { orgId, agentId }
        const found = await shards.read(agentKeyOf(place), links.queries.list, place)
        return isRefusal(found) ? found : json(200, { data: found.map(shown) })
      },
    }),
    route({
      ...ofLinks,
      access: writing,
      method: 'POST',
      path: collectionPath,
      summary: 'Make a link to a page where testers enter their number and are written to',
      body: LinkCreate,
      bodyUnchecked: true,
      malformedStatus: 400,
      reply: { 201: LinkView, 400: errorBodies.classic },
      async handler({ params: { org: orgId, agent: agentId }, body: wish, caller }) {
        const wrong = wrongCreate(wish)
        if (wrong) return wrong
        const place = { orgId, agentId, linkId: idFromBytes('lnk', randomBytes(idBytes)) }
        const code = inBase62(randomBytes(limits.codeBytes))
        // The code comes first: one without its link harms nobody, while a link without its code cannot be used.
        const led = await shards.ask(ownerOfCode(code), linkCodes.put, { ...place, code })
        if (isRefusal(led)) return led
        const by = actorOf(caller)
        const made = await shards.ask(agentKeyOf(place), links.commands.create, { ...place, code, wish }, { by })
        if (!isRefusal(made)) return json(201, shown(made))
        // Without an answer the link may be there all the same.
        if (made.refused === 'service.unavailable') return refusedAs(made)
        shards.ask(ownerOfCode(code), linkCodes.remove, { code }).catch(() => {
          // A code that leads to no link harms nobody.
        })
        return refusedAs(made)
      },
    }),
  ]
}

function item({ shards, links, urlOf }: LinkRoutesOptions): Route[] {
  return [
    route({
      ...ofLinks,
      access: writing,
      method: 'PATCH',
      path: itemPath,
      summary: 'Disable a link, or resume it',
      body: LinkPatch,
      bodyUnchecked: true,
      malformedStatus: 400,
      reply: { 200: LinkView, 400: errorBodies.classic },
      async handler({ params, body, caller }) {
        const wrong = wrongPatch(body)
        if (wrong) return wrong
        const place = placeOf(params)
        const input = { ...place, disabled: body.disabled }
        const link = await shards.ask(agentKeyOf(place), links.commands.change, input, { by: actorOf(caller) })
        return isRefusal(link) ? link : json(200, linkView(link, urlOf(link.code)))
      },
    }),
    route({
      ...ofLinks,
      access: writing,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete a link; its page is gone at once',
      reply: { 204: null },
      async handler({ params, caller }) {
        const place = placeOf(params)
        const gone = await shards.ask(agentKeyOf(place), links.commands.remove, place, { by: actorOf(caller) })
        return isRefusal(gone) ? gone : noContent
      },
    }),
  ]
}

/** Why a conversation would not be opened, for whoever rehearses a link. */
const reasons: Readonly<Record<string, string>> = { optedOut: 'The persona has opted out.' }

function redeeming({ shards, links, conversations, clock, randomBytes }: LinkRoutesOptions): Route {
  return route({
    ...ofLinks,
    access: writing,
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
      const { linkId, ...place } = placeOf(params)
      const asked = { ...place, linkId, personaId, at: clock.now() }
      const found = await shards.read(agentKeyOf(place), links.queries.rehearsal, asked)
      if (isRefusal(found)) return found
      const { speaker, message } = found
      const sendId = idFromBytes('lnk', randomBytes(idBytes))
      const opening = { place, sendId, attempt: 1, isLast: true, ...speaker, message, sandbox: true } as const
      const answer = await conversations.open(opening)
      if (isRefusal(answer)) return answer
      if ('messageId' in answer) return json(202, { status: 'queued', personaId, userId: speaker.asid })
      const reason = 'reason' in answer ? answer.reason : ''
      if (reason === 'noBinding') return refuse('agent.sandbox.unavailable')
      return refuse('agent.outreach_link.unavailable', { detail: reasons[reason] ?? `It was not taken: ${reason}.` })
    },
  })
}

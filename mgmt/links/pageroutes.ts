/** Where people are who were given a link: the page, and the number that they enter there. */
import { createHmac } from 'node:crypto'
import Type from 'typebox'
import { agentKeyOf } from '../../core/agentkey.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { http, outreachLink as limits } from '../../core/limits.js'
import { possiblePhoneOf } from '../../core/people/address.js'
import type { Clock } from '../../runtime/clock.js'
import { type Answer, type Route, route } from '../../runtime/http/route.js'
import type { Buckets } from '../../runtime/limits/contract.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { OutreachConversations } from '../outreach/conversations.js'
import { type LinkCommands, linkChannel } from './commands.js'
import { type AgentLook, closedPage, entryPage, foreignPage, laterPage, sentPage } from './page.js'
import { linkCodes, type OneLink, ownerOfCode } from './store.js'

export interface LinkPageOptions {
  readonly shards: Shards
  readonly links: Pick<LinkCommands, 'commands' | 'queries'>
  readonly conversations: Pick<OutreachConversations, 'asidOf'>
  readonly buckets: Buckets
  readonly clock: Clock
  /** What numbers are named by where they are only counted. */
  readonly numberKey: Uint8Array
  /** Where others reach the page. */
  readonly publicUrl: () => string
}

/** Below the prefix of the gateway: the one address that is open to everybody anyway. */
export const pagePath = '/start/{code}'

const ofPage = {
  plane: 'gateway',
  tag: 'Outreach links',
  access: { who: 'public' },
  path: pagePath,
} as const
const html = 'text/html'

interface Found {
  readonly place: OneLink
  readonly look: AgentLook
}

export function linkPageRoutes(options: LinkPageOptions): Route[] {
  const { shards, links, conversations, buckets, clock } = options

  /** The link that the code leads to while it is open, or the page that says that there is none. */
  async function found(code: string): Promise<Found | Answer> {
    const place = await shards.read(ownerOfCode(code), linkCodes.find, { code })
    if (!place) return closedPage
    if (isRefusal(place)) return refusedAs(place)
    const entry = await shards.read(agentKeyOf(place), links.queries.entry, { ...place, at: clock.now() })
    return isRefusal(entry) ? refusedAs(entry) : { place, look: entry }
  }

  const markOf = (number: string) => createHmac('sha256', options.numberKey).update(number).digest('base64url')

  return [
    route({
      ...ofPage,
      method: 'GET',
      summary: 'The page of an outreach link: a tester enters a number there',
      query: Type.Object({ sent: Type.Optional(Type.String({ maxLength: 1 })) }, { additionalProperties: false }),
      reply: { 200: html, 404: html, 429: html, 503: html },
      async handler({ params: { code }, query: { sent }, connection }) {
        const spent = await buckets.spend('linkLooks', connection.remoteAddress())
        if (!spent.allowed) return laterPage(429, spent.retryAfterSeconds)
        if (sent !== undefined) return sentPage
        const at = await found(code)
        return 'status' in at ? at : entryPage(at.look)
      },
    }),
    route({
      ...ofPage,
      method: 'POST',
      summary: 'Enter a number at the page of an outreach link; the answer is the same for every number',
      headers: ['origin', 'sec-fetch-site'],
      rawTypes: ['application/x-www-form-urlencoded'],
      bodyLimitBytes: limits.formBytes,
      reply: { 200: html, 303: null, 403: html, 404: html, 429: html, 503: html },
      async handler({ params: { code }, body, header, connection }) {
        if (isForeign(header('sec-fetch-site'), header('origin'), options.publicUrl())) return foreignPage
        const spent = await buckets.spend('linkTries', connection.remoteAddress())
        if (!spent.allowed) return laterPage(429, spent.retryAfterSeconds)
        const at = await found(code)
        if ('status' in at) return at
        const entered = (
          new URLSearchParams(Buffer.from(body as unknown as Uint8Array).toString()).get('phone') ?? ''
        ).slice(0, limits.numberChars)
        const address = possiblePhoneOf(entered)
        if (address === undefined) return entryPage(at.look, entered)
        const { allowed } = await buckets.spend('linkNumbers', markOf(address))
        // Whoever enters a number too often is told nothing else, so that nobody learns what others entered.
        if (!allowed) return sent(code)
        const asid = conversations.asidOf(at.place, linkChannel, address)
        const taken = await shards.ask(agentKeyOf(at.place), links.commands.redeem, { ...at.place, asid, address })
        return isRefusal(taken) ? refusedAs(taken) : sent(code)
      },
    }),
  ]
}

/** A page that is shown by an address of its own can be loaded again without sending the number again. */
function sent(code: string): Answer {
  return { status: 303, headers: { location: `${code}?sent=1` } }
}

function refusedAs({ refused }: Refusal): Answer {
  return refused === 'service.unavailable' ? laterPage(503, http.retryAfterSeconds) : closedPage
}

/** Browsers say where a form came from. Whoever says nothing is no browser and acts for nobody but themselves. */
function isForeign(site: string, origin: string, publicUrl: string): boolean {
  if (site !== '') return site !== 'same-origin'
  return origin !== '' && origin !== new URL(publicUrl).origin
}

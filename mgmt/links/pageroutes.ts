/** Gateway routes of outreach links: the page, and the form with the phone number. */
import { createHmac } from 'node:crypto'
import Type from 'typebox'
import { formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { http, outreachLink as limits } from '../../core/limits/index.js'
import { possiblePhoneOf } from '../../core/people/address.js'
import type { Clock } from '../../runtime/clock.js'
import { type Answer, type Route, route } from '../../runtime/http/route.js'
import type { Buckets } from '../../runtime/ratelimit/contract.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { OutreachConversations } from '../outreach/conversations.js'
import { type LinkCommands, linkChannel } from './commands.js'
import { type AgentBranding, closedPage, crossOriginPage, entryPage, retryPage, sentPage } from './page.js'
import { type LinkRef, linkCodes, ownerOfCode } from './store.js'

export interface LinkPageOptions {
  readonly shards: Shards
  readonly links: Pick<LinkCommands, 'commands' | 'queries'>
  readonly conversations: Pick<OutreachConversations, 'asidOf'>
  readonly buckets: Buckets
  readonly clock: Clock
  /** Key of the hash under which rate limits count a number. */
  readonly numberKey: Uint8Array
  /** Base URL of the page. */
  readonly publicUrl: () => string
}

/** Below the gateway's prefix, because the gateway is the one address that is public anyway. */
export const pagePath = '/start/{code}'

const ofPage = {
  plane: 'gateway',
  tag: 'Outreach links',
  access: { who: 'public' },
  path: pagePath,
} as const
const html = 'text/html'

interface OpenLink {
  readonly linkRef: LinkRef
  readonly branding: AgentBranding
}

export function linkPageRoutes(options: LinkPageOptions): Route[] {
  const { shards, links, conversations, buckets, clock } = options

  /** The link of a code while it is open; otherwise the page that says that the link is closed. */
  async function loadLink(code: string): Promise<OpenLink | Answer> {
    const linkRef = await shards.query(ownerOfCode(code), linkCodes.find, { code })
    if (!linkRef) return closedPage
    if (isRefusal(linkRef)) return refusalPage(linkRef)
    const branding = await shards.query(formatAgentKey(linkRef), links.queries.linkBranding, {
      ...linkRef,
      at: clock.now(),
    })
    return isRefusal(branding) ? refusalPage(branding) : { linkRef, branding }
  }

  const hashNumber = (number: string) => createHmac('sha256', options.numberKey).update(number).digest('base64url')

  return [
    route({
      ...ofPage,
      method: 'GET',
      summary: 'The page of an outreach link: a tester enters a number there',
      query: Type.Object({ sent: Type.Optional(Type.String({ maxLength: 1 })) }, { additionalProperties: false }),
      reply: { 200: html, 404: html, 429: html, 503: html },
      async handler({ params: { code }, query: { sent }, connection }) {
        const budget = await buckets.spend('linkViews', connection.remoteAddress())
        if (!budget.allowed) return retryPage(429, budget.retryAfterSeconds)
        if (sent !== undefined) return sentPage
        const loaded = await loadLink(code)
        return 'status' in loaded ? loaded : entryPage(loaded.branding)
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
        if (isCrossOrigin(header('sec-fetch-site'), header('origin'), options.publicUrl())) return crossOriginPage
        const budget = await buckets.spend('linkAttempts', connection.remoteAddress())
        if (!budget.allowed) return retryPage(429, budget.retryAfterSeconds)
        const loaded = await loadLink(code)
        if ('status' in loaded) return loaded
        const entered = (
          new URLSearchParams(Buffer.from(body as unknown as Uint8Array).toString()).get('phone') ?? ''
        ).slice(0, limits.numberChars)
        const address = possiblePhoneOf(entered)
        if (address === undefined) return entryPage(loaded.branding, entered)
        const { allowed } = await buckets.spend('linkNumbers', hashNumber(address))
        // Above the limit the answer is the same page, so that it does not reveal which numbers others entered.
        if (!allowed) return redirectToSent(code)
        const asid = conversations.asidOf(loaded.linkRef, linkChannel, address)
        const redeemed = await shards.execute(formatAgentKey(loaded.linkRef), links.commands.redeem, {
          ...loaded.linkRef,
          asid,
          address,
        })
        return isRefusal(redeemed) ? refusalPage(redeemed) : redirectToSent(code)
      },
    }),
  ]
}

/** Redirects to a page with its own address, so that a reload does not submit the number again. */
function redirectToSent(code: string): Answer {
  return { status: 303, headers: { location: `${code}?sent=1` } }
}

function refusalPage({ refused }: Refusal): Answer {
  return refused === 'service.unavailable' ? retryPage(503, http.retryAfterSeconds) : closedPage
}

/**
 * Browsers send the origin of a form. A client that sends neither header is not a browser, so no site acts on behalf of
 * its user.
 */
function isCrossOrigin(site: string, origin: string, publicUrl: string): boolean {
  if (site !== '') return site !== 'same-origin'
  return origin !== '' && origin !== new URL(publicUrl).origin
}

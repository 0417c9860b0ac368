/** The routes of sends and of how an agent sends. */
import { actorOf, type Member } from '../../core/access.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { invalid, isRefusal, type Refusal } from '../../core/errors.js'
import { page } from '../../core/limits.js'
import { NamedSend, requested } from '../../core/outreach/request.js'
import { SendingSettings } from '../../core/outreach/settings.js'
import { OutreachSend } from '../../core/outreach/view.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Sends } from './api.js'
import type { sendCommands } from './commands.js'
import type { SendQueries } from './queries.js'
import {
  CreateResult,
  configured,
  configuring,
  ofSends,
  reading,
  SendFilter,
  SendList,
  sending,
  writing,
} from './schema.js'

export interface OutreachRoutesOptions {
  readonly shards: Shards
  readonly sends: Sends
  readonly commands: Pick<ReturnType<typeof sendCommands>, 'cancel' | 'setSending'>
  readonly queries: Pick<SendQueries, 'one' | 'stretch' | 'sending'>
}

const agentPath = '/orgs/{org}/agents/{agent}'
const itemPath = `${agentPath}/outreach/sends/{sendId}` as const
const sendingPath = `${agentPath}/settings/sending` as const

const seesAddress = ({ scopes }: Member) => scopes.has('people:export')

export function outreachRoutes(options: OutreachRoutesOptions): Route[] {
  return [sendRoute(options), listRoute(options), ...itemRoutes(options), ...sendingRoutes(options)]
}

function sendRoute({ sends }: OutreachRoutesOptions): Route {
  return route({
    ...ofSends,
    access: sending,
    method: 'POST',
    path: `${agentPath}/outreach/{outreachId}/sends`,
    summary: 'Open a conversation with one person',
    budget: 'send',
    body: NamedSend,
    reply: { 202: CreateResult },
    errors: [
      'request.invalid',
      'agent.not_found',
      'agent.outreach.not_found',
      'agent.outreach.consent_declined',
      'agent.outreach.consent_denied',
      'agent.outreach.opted_out',
      'agent.outreach.recipient_not_found',
      'agent.outreach.no_channel_identity',
      'agent.outreach.invalid_address',
      'agent.outreach.channel_unavailable',
      'agent.outreach.missing_inputs',
      'agent.outreach_send.upstream',
      'agent.outreach_send.timeout',
    ],
    async handler({ params: { org: orgId, agent: agentId, outreachId }, body, caller }) {
      const request = requested(outreachId, body)
      if (isRefusal(request)) return request
      const isDryRun = body.dryRun === true
      const made = await sends.create({ orgId, agentId }, request, actorOf(caller), isDryRun ? { isDryRun } : {})
      return isRefusal(made) ? made : json(202, made)
    },
  })
}

function listRoute({ shards, queries }: OutreachRoutesOptions): Route {
  return route({
    ...ofSends,
    access: reading,
    method: 'GET',
    path: `${agentPath}/outreach/sends`,
    summary: 'List sends, newest first',
    query: SendFilter,
    reply: { 200: SendList },
    errors: ['request.invalid', 'agent.not_found'],
    async handler({ params: { org: orgId, agent: agentId }, query: { limit = page.defaultRows, ...filter }, caller }) {
      const wrong = wrongMoment('since', filter.since) ?? wrongMoment('until', filter.until)
      if (wrong) return wrong
      const place = { orgId, agentId }
      const data: OutreachSend[] = []
      let after: string | undefined
      do {
        const room = limit - data.length
        const asked = { ...place, filter, limit: room, seesAddress: seesAddress(caller), ...(after && { after }) }
        const found = await shards.read(agentKeyOf(place), queries.stretch, asked)
        if (isRefusal(found)) return found
        data.push(...found.data)
        after = found.after
      } while (after !== undefined && data.length < limit)
      return json(200, { data })
    },
  })
}

function wrongMoment(field: string, written: string | undefined): Refusal | undefined {
  return written !== undefined && Number.isNaN(Date.parse(written))
    ? invalid(field, 'must be a moment in ISO 8601')
    : undefined
}

function itemRoutes({ shards, commands, queries }: OutreachRoutesOptions): Route[] {
  return [
    route({
      ...ofSends,
      access: reading,
      method: 'GET',
      path: itemPath,
      summary: 'Read a send',
      reply: { 200: OutreachSend },
      errors: ['agent.not_found'],
      async handler({ params: { org: orgId, agent: agentId, sendId }, caller }) {
        const place = { orgId, agentId }
        const asked = { ...place, sendId, seesAddress: seesAddress(caller) }
        const send = await shards.read(agentKeyOf(place), queries.one, asked)
        return isRefusal(send) ? send : json(200, send)
      },
    }),
    route({
      ...ofSends,
      access: writing,
      method: 'POST',
      path: `${itemPath}/cancel`,
      summary: 'Cancel a send that still waits',
      reply: { 200: OutreachSend },
      errors: ['agent.not_found', 'agent.outreach.send_not_cancellable'],
      async handler({ params: { org: orgId, agent: agentId, sendId }, caller }) {
        const place = { orgId, agentId }
        const asked = { ...place, sendId, seesAddress: seesAddress(caller) }
        const send = await shards.ask(agentKeyOf(place), commands.cancel, asked, { by: actorOf(caller) })
        return isRefusal(send) ? send : json(200, send)
      },
    }),
  ]
}

function sendingRoutes({ shards, commands, queries }: OutreachRoutesOptions): Route[] {
  return [
    route({
      ...ofSends,
      access: configured,
      method: 'GET',
      path: sendingPath,
      summary: 'Read how an agent sends',
      reply: { 200: SendingSettings },
      errors: ['agent.not_found'],
      async handler({ params: { org: orgId, agent: agentId } }) {
        const place = { orgId, agentId }
        const found = await shards.read(agentKeyOf(place), queries.sending, place)
        return isRefusal(found) ? found : json(200, found)
      },
    }),
    route({
      ...ofSends,
      access: configuring,
      method: 'PUT',
      path: sendingPath,
      summary: 'Replace how an agent sends; what is left out is as usual',
      body: SendingSettings,
      reply: { 200: SendingSettings },
      errors: ['request.invalid', 'agent.not_found'],
      async handler({ params: { org: orgId, agent: agentId }, body: sent, caller }) {
        const place = { orgId, agentId }
        const kept = await shards.ask(
          agentKeyOf(place),
          commands.setSending,
          { ...place, sent },
          { by: actorOf(caller) },
        )
        return isRefusal(kept) ? kept : json(200, kept)
      },
    }),
  ]
}

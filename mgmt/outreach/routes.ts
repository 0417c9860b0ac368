/** Routes of sends and of the sending settings. */
import { actorOf, type Member } from '../../core/access.js'
import { formatAgentKey } from '../../core/agentref.js'
import { invalid, isRefusal, type Refusal } from '../../core/errors.js'
import { page } from '../../core/limits/index.js'
import { NamedSend, parseSendRequest } from '../../core/outreach/request.js'
import { SendingSettings } from '../../core/outreach/settings.js'
import { OutreachSend } from '../../core/outreach/view.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Sends } from './api.js'
import type { sendCommands } from './commands.js'
import type { SendQueries } from './queries.js'
import {
  CreateResult,
  ofSends,
  readAccess,
  SendFilter,
  SendList,
  sendAccess,
  settingsReadAccess,
  settingsWriteAccess,
  writeAccess,
} from './schema.js'

export interface OutreachRoutesOptions {
  readonly shards: Shards
  readonly sends: Sends
  readonly commands: Pick<ReturnType<typeof sendCommands>, 'cancel' | 'setSending'>
  readonly queries: Pick<SendQueries, 'one' | 'scan' | 'sending'>
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
    access: sendAccess,
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
      const request = parseSendRequest(outreachId, body)
      if (isRefusal(request)) return request
      const isDryRun = body.dryRun === true
      const created = await sends.create({ orgId, agentId }, request, actorOf(caller), isDryRun ? { isDryRun } : {})
      return isRefusal(created) ? created : json(202, created)
    },
  })
}

function listRoute({ shards, queries }: OutreachRoutesOptions): Route {
  return route({
    ...ofSends,
    access: readAccess,
    method: 'GET',
    path: `${agentPath}/outreach/sends`,
    summary: 'List sends, newest first',
    query: SendFilter,
    reply: { 200: SendList },
    errors: ['request.invalid', 'agent.not_found'],
    async handler({ params: { org: orgId, agent: agentId }, query: { limit = page.defaultRows, ...filter }, caller }) {
      const error = momentError('since', filter.since) ?? momentError('until', filter.until)
      if (error) return error
      const agent = { orgId, agentId }
      const data: OutreachSend[] = []
      let after: string | undefined
      do {
        const remaining = limit - data.length
        const input = { ...agent, filter, limit: remaining, seesAddress: seesAddress(caller), ...(after && { after }) }
        const scan = await shards.query(formatAgentKey(agent), queries.scan, input)
        if (isRefusal(scan)) return scan
        data.push(...scan.data)
        after = scan.after
      } while (after !== undefined && data.length < limit)
      return json(200, { data })
    },
  })
}

function momentError(field: string, text: string | undefined): Refusal | undefined {
  return text !== undefined && Number.isNaN(Date.parse(text))
    ? invalid(field, 'must be a moment in ISO 8601')
    : undefined
}

function itemRoutes({ shards, commands, queries }: OutreachRoutesOptions): Route[] {
  return [
    route({
      ...ofSends,
      access: readAccess,
      method: 'GET',
      path: itemPath,
      summary: 'Read a send',
      reply: { 200: OutreachSend },
      errors: ['agent.not_found'],
      async handler({ params: { org: orgId, agent: agentId, sendId }, caller }) {
        const agent = { orgId, agentId }
        const input = { ...agent, sendId, seesAddress: seesAddress(caller) }
        const send = await shards.query(formatAgentKey(agent), queries.one, input)
        return isRefusal(send) ? send : json(200, send)
      },
    }),
    route({
      ...ofSends,
      access: writeAccess,
      method: 'POST',
      path: `${itemPath}/cancel`,
      summary: 'Cancel a send that still waits',
      reply: { 200: OutreachSend },
      errors: ['agent.not_found', 'agent.outreach.send_not_cancellable'],
      async handler({ params: { org: orgId, agent: agentId, sendId }, caller }) {
        const agent = { orgId, agentId }
        const input = { ...agent, sendId, seesAddress: seesAddress(caller) }
        const send = await shards.execute(formatAgentKey(agent), commands.cancel, input, { by: actorOf(caller) })
        return isRefusal(send) ? send : json(200, send)
      },
    }),
  ]
}

function sendingRoutes({ shards, commands, queries }: OutreachRoutesOptions): Route[] {
  return [
    route({
      ...ofSends,
      access: settingsReadAccess,
      method: 'GET',
      path: sendingPath,
      summary: 'Read how an agent sends',
      reply: { 200: SendingSettings },
      errors: ['agent.not_found'],
      async handler({ params: { org: orgId, agent: agentId } }) {
        const agent = { orgId, agentId }
        const settings = await shards.query(formatAgentKey(agent), queries.sending, agent)
        return isRefusal(settings) ? settings : json(200, settings)
      },
    }),
    route({
      ...ofSends,
      access: settingsWriteAccess,
      method: 'PUT',
      path: sendingPath,
      summary: 'Replace how an agent sends; what is left out is as usual',
      body: SendingSettings,
      reply: { 200: SendingSettings },
      errors: ['request.invalid', 'agent.not_found'],
      async handler({ params: { org: orgId, agent: agentId }, body: sent, caller }) {
        const agent = { orgId, agentId }
        const settings = await shards.execute(
          formatAgentKey(agent),
          commands.setSending,
          { ...agent, sent },
          { by: actorOf(caller) },
        )
        return isRefusal(settings) ? settings : json(200, settings)
      },
    }),
  ]
}

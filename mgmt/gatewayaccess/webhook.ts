/** Gateway routes by which an agent reads and sets its webhook. Without a webhook the built-in runtime answers. */
import { actorOf } from '../../core/access.js'
import { formatAgentKey } from '../../core/agentref.js'
import { invalid, isRefusal } from '../../core/errors.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { GatewayCommands } from './commands.js'
import { AgentWebhook, AgentWebhookSet, Confirmation } from './schema.js'
import { gatewayQueries } from './store.js'

export interface AgentWebhookRoutesOptions {
  readonly shards: Shards
  readonly commands: Pick<GatewayCommands, 'setWebhook' | 'removeWebhook'>
  /** A sentence about the problem of a URL, or undefined for an allowed URL. */
  readonly checkUrl: (url: string) => string | undefined
}

const common = { plane: 'gateway', path: '/webhook', tag: 'Webhook', access: { who: 'agent' } } as const

export function agentWebhookRoutes({ shards, commands, checkUrl }: AgentWebhookRoutesOptions): Route[] {
  const setWebhookRoute = (method: 'POST' | 'PATCH', summary: string): Route =>
    route({
      ...common,
      method,
      summary,
      body: AgentWebhookSet,
      malformedStatus: 400,
      reply: { 200: AgentWebhook },
      async handler({ body: { webhookUrl, instanceId }, caller }) {
        const urlError = checkUrl(webhookUrl)
        if (urlError) return invalid('webhookUrl', urlError, { status: 400 })
        const { orgId, agentId } = caller
        const input = { orgId, agentId, webhookUrl, ...(instanceId !== undefined && { instanceId }) }
        const webhook = await shards.execute(formatAgentKey(caller), commands.setWebhook, input, {
          by: actorOf(caller),
        })
        return isRefusal(webhook) ? webhook : json(200, webhook)
      },
    })
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Read where events go',
      reply: { 200: AgentWebhook },
      errors: ['resource.not_found'],
      async handler({ caller }) {
        const { orgId, agentId } = caller
        const webhook = await shards.query(formatAgentKey(caller), gatewayQueries.webhook, { orgId, agentId })
        return isRefusal(webhook) ? webhook : json(200, webhook)
      },
    }),
    setWebhookRoute('POST', 'Set where events go'),
    setWebhookRoute('PATCH', 'Set where events go; the same as POST'),
    route({
      ...common,
      method: 'DELETE',
      summary: 'Take the webhook away; the built-in runtime answers from then on',
      reply: { 200: Confirmation },
      errors: ['resource.not_found'],
      async handler({ caller }) {
        const { orgId, agentId } = caller
        const input = { orgId, agentId }
        const outcome = await shards.execute(formatAgentKey(caller), commands.removeWebhook, input, {
          by: actorOf(caller),
        })
        return isRefusal(outcome) ? outcome : json(200, { message: 'The webhook was removed.' })
      },
    }),
  ]
}

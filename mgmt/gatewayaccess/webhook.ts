/** The gateway routes by which an agent says where its events go. Without a webhook the built-in runtime answers. */
import { actorOf } from '../../core/access.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { invalid, isRefusal } from '../../core/errors.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { GatewayCommands } from './commands.js'
import { AgentWebhook, AgentWebhookSet, Confirmation } from './schema.js'
import { gatewayQueries } from './store.js'

export interface AgentWebhookRoutesOptions {
  readonly shards: Shards
  readonly commands: Pick<GatewayCommands, 'setWebhook' | 'removeWebhook'>
  /** A sentence saying what is wrong with a URL, or undefined. */
  readonly checkUrl: (url: string) => string | undefined
}

const about = { plane: 'gateway', path: '/webhook', tag: 'Webhook', access: { who: 'agent' } } as const

export function agentWebhookRoutes({ shards, commands, checkUrl }: AgentWebhookRoutesOptions): Route[] {
  const setting = (method: 'POST' | 'PATCH', summary: string): Route =>
    route({
      ...about,
      method,
      summary,
      body: AgentWebhookSet,
      malformedStatus: 400,
      reply: { 200: AgentWebhook },
      async handler({ body: { webhookUrl, instanceId }, caller }) {
        const wrong = checkUrl(webhookUrl)
        if (wrong) return invalid('webhookUrl', wrong, { status: 400 })
        const { orgId, agentId } = caller
        const input = { orgId, agentId, webhookUrl, ...(instanceId !== undefined && { instanceId }) }
        const set = await shards.ask(agentKeyOf(caller), commands.setWebhook, input, { by: actorOf(caller) })
        return isRefusal(set) ? set : json(200, set)
      },
    })
  return [
    route({
      ...about,
      method: 'GET',
      summary: 'Read where events go',
      reply: { 200: AgentWebhook },
      errors: ['resource.not_found'],
      async handler({ caller }) {
        const { orgId, agentId } = caller
        const found = await shards.read(agentKeyOf(caller), gatewayQueries.webhook, { orgId, agentId })
        return isRefusal(found) ? found : json(200, found)
      },
    }),
    setting('POST', 'Set where events go'),
    setting('PATCH', 'Set where events go; the same as POST'),
    route({
      ...about,
      method: 'DELETE',
      summary: 'Take the webhook away; the built-in runtime answers from then on',
      reply: { 200: Confirmation },
      errors: ['resource.not_found'],
      async handler({ caller }) {
        const { orgId, agentId } = caller
        const input = { orgId, agentId }
        const done = await shards.ask(agentKeyOf(caller), commands.removeWebhook, input, { by: actorOf(caller) })
        return isRefusal(done) ? done : json(200, { message: 'The webhook was removed.' })
      },
    }),
  ]
}

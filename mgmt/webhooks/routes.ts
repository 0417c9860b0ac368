/** Routes of org webhooks. */
import { actorOf } from '../../core/access.js'
import { invalid, isRefusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { WebhookCommands } from './commands.js'
import { deliveryRoutes } from './deliverylog.js'
import { webhookQueries } from './queries.js'
import { createBody, ofWebhooks, patchBody, webhookList, webhookView, webhookWithSecret } from './schema.js'
import { newSecret, type Sealer, sealSecret } from './secret.js'

export interface WebhookRoutesOptions {
  readonly shards: Shards
  readonly commands: WebhookCommands
  readonly sealer: Sealer
  readonly pages: PageTokens
  /** A sentence about the problem of a URL, or undefined for an allowed URL. */
  readonly checkUrl: (url: string) => string | undefined
  readonly randomBytes: (count: number) => Uint8Array
}

export function webhookRoutes(options: WebhookRoutesOptions): Route[] {
  return [...collection(options), ...item(options), ...deliveryRoutes(options)]
}

function collection({ shards, commands, sealer, checkUrl, randomBytes }: WebhookRoutesOptions): Route[] {
  return [
    route({
      ...ofWebhooks,
      method: 'GET',
      path: '/orgs/{org}/webhooks',
      summary: 'List the webhooks of the org',
      reply: { 200: webhookList },
      async handler({ params: { org: orgId } }) {
        const data = await shards.query(orgId, webhookQueries.list, { orgId })
        return isRefusal(data) ? data : json(200, { data })
      },
    }),
    route({
      ...ofWebhooks,
      method: 'POST',
      path: '/orgs/{org}/webhooks',
      summary: 'Register a webhook; its signing secret is shown here and never again',
      body: createBody,
      reply: { 201: webhookWithSecret },
      errors: ['request.invalid'],
      async handler({ params: { org: orgId }, body: { url, events = [], active = true, description }, caller }) {
        const urlError = checkUrl(url)
        if (urlError) return invalid('url', urlError)
        const id = idFromBytes('wh', randomBytes(17))
        const signingSecret = newSecret(randomBytes)
        const secret = await sealSecret(sealer, orgId, id, signingSecret)
        if (isRefusal(secret)) return secret
        const input = { orgId, id, url, events, active, description, secret }
        const answer = await shards.execute(orgId, commands.create, input, { by: actorOf(caller) })
        return isRefusal(answer) ? answer : json(201, { ...answer, signingSecret })
      },
    }),
  ]
}

function item({ shards, commands, sealer, checkUrl, randomBytes }: WebhookRoutesOptions): Route[] {
  const path = '/orgs/{org}/webhooks/{webhookId}'
  return [
    route({
      ...ofWebhooks,
      method: 'GET',
      path,
      summary: 'Read a webhook',
      reply: { 200: webhookView },
      errors: ['resource.not_found'],
      async handler({ params: { org: orgId, webhookId } }) {
        const webhook = await shards.query(orgId, webhookQueries.read, { orgId, webhookId })
        return isRefusal(webhook) ? webhook : json(200, webhook)
      },
    }),
    route({
      ...ofWebhooks,
      method: 'PATCH',
      path,
      summary: 'Change a webhook; making it inactive pauses its deliveries',
      body: patchBody,
      reply: { 200: webhookView },
      errors: ['resource.not_found', 'request.invalid'],
      async handler({ params: { org: orgId, webhookId: id }, body: change, caller }) {
        const urlError = change.url === undefined ? undefined : checkUrl(change.url)
        if (urlError) return invalid('url', urlError)
        const answer = await shards.execute(orgId, commands.update, { orgId, id, change }, { by: actorOf(caller) })
        return isRefusal(answer) ? answer : json(200, answer)
      },
    }),
    route({
      ...ofWebhooks,
      method: 'DELETE',
      path,
      summary: 'Delete a webhook together with its deliveries',
      reply: { 204: null },
      errors: ['resource.not_found'],
      async handler({ params: { org: orgId, webhookId: id }, caller }) {
        const answer = await shards.execute(orgId, commands.remove, { orgId, id }, { by: actorOf(caller) })
        return isRefusal(answer) ? answer : noContent
      },
    }),
    route({
      ...ofWebhooks,
      method: 'POST',
      path: `${path}/_rotate`,
      summary: 'Replace the signing secret; the old one signs nothing from now on',
      reply: { 200: webhookWithSecret },
      errors: ['resource.not_found'],
      async handler({ params: { org: orgId, webhookId: id }, caller }) {
        const signingSecret = newSecret(randomBytes)
        const change = await sealSecret(sealer, orgId, id, signingSecret)
        if (isRefusal(change)) return change
        const answer = await shards.execute(orgId, commands.rotate, { orgId, id, change }, { by: actorOf(caller) })
        return isRefusal(answer) ? answer : json(200, { ...answer, signingSecret })
      },
    }),
  ]
}

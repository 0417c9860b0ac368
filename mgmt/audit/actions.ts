/** The table of audited routes: the action that the trail records for each successful call. */
import type { Route } from '../../runtime/http/route.js'

const agent = '/orgs/{org}/agents/{agent}'

const deletedAction = 'agent.deleted'
export const refusedAction = 'access.refused'
export const recoveredAction = 'operator_key.recovered'

/** By method and path, as routes declare them. */
export const auditedRoutes: Readonly<Record<string, string>> = {
  'POST /orgs/{org}/api-keys': 'api_key.created',
  'PATCH /orgs/{org}/api-keys/{keyId}': 'api_key.changed',
  'DELETE /orgs/{org}/api-keys/{keyId}': 'api_key.revoked',
  'POST /session': 'session.created',
  'PATCH /orgs/{org}': 'org.changed',
  'POST /orgs/{org}/webhooks': 'webhook.created',
  'PATCH /orgs/{org}/webhooks/{webhookId}': 'webhook.changed',
  'DELETE /orgs/{org}/webhooks/{webhookId}': 'webhook.deleted',
  'POST /orgs/{org}/webhooks/{webhookId}/_rotate': 'webhook.secret_rotated',
  'POST /orgs/{org}/connections/{provider}/_start': 'connection.sign_in_started',
  'POST /orgs/{org}/connections/{id}/_reconnect': 'connection.sign_in_started',
  'DELETE /orgs/{org}/connections/{id}': 'connection.deleted',
  [`DELETE ${agent}`]: deletedAction,
  [`POST ${agent}/gateway/_rotateToken`]: 'gateway.token_rotated',
  [`POST ${agent}/gateway/_rotateSecret`]: 'gateway.secret_rotated',
  [`POST ${agent}/channels`]: 'binding.created',
  [`PATCH ${agent}/channels/{bindingId}`]: 'binding.changed',
  [`DELETE ${agent}/channels/{bindingId}`]: 'binding.deleted',
  [`POST ${agent}/channels/{bindingId}/_disable`]: 'binding.disabled',
  [`POST ${agent}/channels/{bindingId}/_enable`]: 'binding.enabled',
  [`PUT ${agent}/notifications`]: 'notifications.changed',
  [`PUT ${agent}/integrations/{id}`]: 'integration.changed',
  [`DELETE ${agent}/integrations/{id}`]: 'integration.deleted',
  [`PUT ${agent}/tool-bindings/{toolId}`]: 'tool.changed',
  [`PATCH ${agent}/tool-bindings/{toolId}`]: 'tool.changed',
  [`DELETE ${agent}/tool-bindings/{toolId}`]: 'tool.deleted',
  [`POST ${agent}/tools/{toolId}/oauth/start`]: 'tool.sign_in_started',
  [`POST ${agent}/tools/{toolId}/oauth/disconnect`]: 'tool.disconnected',
  [`POST ${agent}/emulator-links`]: 'emulator_link.created',
  [`DELETE ${agent}/emulator-links/{linkId}`]: 'emulator_link.revoked',
  [`POST ${agent}/emulator/sittings`]: 'emulator_sitting.created',
  [`GET ${agent}/export`]: 'agent.exported',
  [`POST ${agent}/import`]: 'agent.imported',
  [`GET ${agent}/people/export`]: 'people.exported',
  [`POST ${agent}/people/import`]: 'people.imported',
  [`GET ${agent}/campaigns/{campaignId}/export`]: 'campaign.exported',
  'POST /system/backups': 'backup.started',
  'GET /system/backups/{backup}/files/{number}': 'backup.read',
  'DELETE /system/backups/{backup}': 'backup.deleted',
  'PUT /system/shards/{shard}/node': 'shard.moved',
  'POST /system/emulator/tickets': 'emulator_ticket.created',
}

/**
 * Changes of an agent's configuration. The agent's activity lists each with its changes, so it skips their audit
 * entries.
 */
export const configurationActions: ReadonlySet<string> = new Set([
  'notifications.changed',
  'integration.changed',
  'integration.deleted',
  'tool.changed',
  'tool.deleted',
  'agent.imported',
])

/**
 * Does the agent's activity list the entry? The deletion of an agent is no activity of a later agent of the same id.
 */
export function isActivity(action: string): boolean {
  return !configurationActions.has(action) && action !== deletedAction
}

export function withAuditActions(routes: readonly Route[]): Route[] {
  return routes.map((route) => {
    const audit = auditedRoutes[`${route.method} ${route.path}`]
    return audit ? { ...route, audit } : route
  })
}

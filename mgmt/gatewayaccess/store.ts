/** The gateway table: one row of credentials and webhook for each agent, in the agent's shard, with its queries. */
import { timingSafeEqual } from 'node:crypto'
import { noVoice } from '../../core/agent/voice.js'
import type { AgentRef } from '../../core/agentref.js'
import { refuse } from '../../core/errors.js'
import type { Query } from '../../runtime/shard/contract.js'
import { type Reader, table } from '../../runtime/store/contract.js'
import type { Credentials } from '../agents/credentials.js'
import { readsVoice } from '../agents/voice.js'
import type { AgentWebhook, GatewayAccess, Mode } from './schema.js'

export interface GatewayRecord extends Credentials, AgentRef {
  readonly webhook?: AgentWebhook
}

export const gatewayTable = table<[orgId: string, agentId: string], GatewayRecord>('gateway')

export const notFound = refuse('resource.not_found')
export const noWebhook = refuse('resource.not_found', { detail: 'The agent has no webhook.' })

export function modeOf({ webhook }: GatewayRecord): Mode {
  return webhook ? 'webhook' : 'managed'
}

export function isManaged(reader: Reader, { orgId, agentId }: AgentRef): boolean {
  const record = reader.get(gatewayTable, [orgId, agentId])
  return record !== undefined && modeOf(record) === 'managed'
}

const read: Query<AgentRef, GatewayAccess> = {
  name: 'gateway.read',
  read(reader, { orgId, agentId }) {
    const record = reader.get(gatewayTable, [orgId, agentId])
    if (!record) return notFound
    return {
      accessTokenPrefix: record.token.prefix,
      signingSecretPrefix: record.secret.prefix,
      ...record.webhook,
      mode: modeOf(record),
      ...(!record.webhook && !readsVoice(reader, { orgId, agentId }) && { warning: noVoice }),
    }
  },
}

const webhook: Query<AgentRef, AgentWebhook> = {
  name: 'gateway.webhook',
  read: (reader, { orgId, agentId }) => reader.get(gatewayTable, [orgId, agentId])?.webhook ?? noWebhook,
}

/** Is a token with this hash the agent's current token? */
const isCurrentToken: Query<AgentRef & { readonly hash: Uint8Array }, boolean> = {
  name: 'gateway.isCurrentToken',
  read(reader, { orgId, agentId, hash }) {
    const record = reader.get(gatewayTable, [orgId, agentId])
    return record !== undefined && timingSafeEqual(record.token.hash, hash)
  },
}

export const gatewayQueries = { read, webhook, isCurrentToken }

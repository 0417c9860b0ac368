/** Commands that change an agent's gateway access, and the row's creation and removal with the agent. */
import type { AgentRef } from '../../core/agentref.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { AgentListener } from '../agents/commands.js'
import type { SealedSecret, TokenDigest } from '../agents/credentials.js'
import type { AgentWebhook } from './schema.js'
import { type GatewayRecord, gatewayTable, notFound, noWebhook } from './store.js'
import { ownerOfToken, tokenIndex } from './tokenindex.js'

/** The creation of an agent also creates its gateway access. */
export const accessLifecycle: AgentListener = {
  created(tx, { orgId, agentId, credentials }) {
    tx.put(gatewayTable, [orgId, agentId], { orgId, agentId, ...credentials })
  },
  removed(tx, { orgId, agentId }) {
    const record = tx.get(gatewayTable, [orgId, agentId])
    if (!record) return
    tx.remove(gatewayTable, [orgId, agentId])
    removeFromIndex(tx, record)
  },
}

function removeFromIndex(tx: Tx, { token: { hash } }: GatewayRecord): void {
  tx.send(ownerOfToken(hash), tokenIndex.remove, { hash })
}

/** The command `orgEvent` notifies the org's webhooks. */
export function createGatewayCommands(orgEvent: Command<OrgEventPayload, unknown>) {
  function saveRecord(tx: Tx, record: GatewayRecord, changed: string, { by }: CommandMeta): void {
    const { orgId, agentId } = record
    tx.put(gatewayTable, [orgId, agentId], record)
    const data = { id: agentId, changed: [`gateway.${changed}`], ...(by && { by }) }
    tx.send(orgId, orgEvent, { type: 'agent.updated', orgId, agentId, data })
  }

  const rotateToken: Command<AgentRef & { readonly token: TokenDigest }, true> = {
    name: 'gateway.rotateToken',
    decide(tx, { orgId, agentId, token }, meta) {
      const record = tx.get(gatewayTable, [orgId, agentId])
      if (!record) return notFound
      removeFromIndex(tx, record)
      saveRecord(tx, { ...record, token }, 'accessToken', meta)
      return true
    },
  }

  const rotateSecret: Command<AgentRef & { readonly secret: SealedSecret }, true> = {
    name: 'gateway.rotateSecret',
    decide(tx, { orgId, agentId, secret }, meta) {
      const record = tx.get(gatewayTable, [orgId, agentId])
      if (!record) return notFound
      saveRecord(tx, { ...record, secret }, 'signingSecret', meta)
      return true
    },
  }

  /** An instance id stays until a caller sets another one. */
  const setWebhook: Command<AgentRef & { readonly webhookUrl: string; readonly instanceId?: string }, AgentWebhook> = {
    name: 'gateway.setWebhook',
    decide(tx, { orgId, agentId, webhookUrl, instanceId }, meta) {
      const record = tx.get(gatewayTable, [orgId, agentId])
      if (!record) return notFound
      const webhook = { webhookUrl, instanceId: instanceId ?? record.webhook?.instanceId ?? agentId }
      const isSame = webhookUrl === record.webhook?.webhookUrl && webhook.instanceId === record.webhook.instanceId
      if (!isSame) saveRecord(tx, { ...record, webhook }, 'webhook', meta)
      return webhook
    },
  }

  const removeWebhook: Command<AgentRef, true> = {
    name: 'gateway.removeWebhook',
    decide(tx, { orgId, agentId }, meta) {
      const record = tx.get(gatewayTable, [orgId, agentId])
      if (!record?.webhook) return noWebhook
      const { webhook: _webhook, ...rest } = record
      saveRecord(tx, rest, 'webhook', meta)
      return true
    },
  }

  return { rotateToken, rotateSecret, setWebhook, removeWebhook }
}
export type GatewayCommands = ReturnType<typeof createGatewayCommands>

/** The commands that change an agent's gateway access, and what of it comes and goes with the agent. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import type { AgentListener } from '../agents/commands.js'
import type { SealedSecret, TokenMark } from '../agents/credentials.js'
import type { AgentWebhook } from './schema.js'
import { type GatewayRecord, gatewayTable, notFound, noWebhook } from './store.js'
import { ownerOfToken, tokenIndex } from './tokenindex.js'

/** Every agent has gateway access from its creation on. */
export const accessLifecycle: AgentListener = {
  created(tx, { orgId, agentId, credentials }) {
    tx.put(gatewayTable, [orgId, agentId], { orgId, agentId, ...credentials })
  },
  removed(tx, { orgId, agentId }) {
    const record = tx.get(gatewayTable, [orgId, agentId])
    if (!record) return
    tx.remove(gatewayTable, [orgId, agentId])
    forget(tx, record)
  },
}

function forget(tx: Tx, { token: { hash } }: GatewayRecord): void {
  tx.tell(ownerOfToken(hash), tokenIndex.remove, { hash })
}

/** `orgEvent` is the command by which the org's webhooks are told. */
export function gatewayCommands(orgEvent: Command<OrgEventPayload, unknown>) {
  function saved(tx: Tx, record: GatewayRecord, changed: string, { by }: Told): void {
    const { orgId, agentId } = record
    tx.put(gatewayTable, [orgId, agentId], record)
    const data = { id: agentId, changed: [`gateway.${changed}`], ...(by && { by }) }
    tx.tell(orgId, orgEvent, { type: 'agent.updated', orgId, agentId, data })
  }

  const rotateToken: Command<AgentPlace & { readonly token: TokenMark }, true> = {
    name: 'gateway.rotateToken',
    decide(tx, { orgId, agentId, token }, told) {
      const record = tx.get(gatewayTable, [orgId, agentId])
      if (!record) return notFound
      forget(tx, record)
      saved(tx, { ...record, token }, 'accessToken', told)
      return true
    },
  }

  const rotateSecret: Command<AgentPlace & { readonly secret: SealedSecret }, true> = {
    name: 'gateway.rotateSecret',
    decide(tx, { orgId, agentId, secret }, told) {
      const record = tx.get(gatewayTable, [orgId, agentId])
      if (!record) return notFound
      saved(tx, { ...record, secret }, 'signingSecret', told)
      return true
    },
  }

  /** An instance id once chosen stays until another is. */
  const setWebhook: Command<AgentPlace & { readonly webhookUrl: string; readonly instanceId?: string }, AgentWebhook> =
    {
      name: 'gateway.setWebhook',
      decide(tx, { orgId, agentId, webhookUrl, instanceId }, told) {
        const record = tx.get(gatewayTable, [orgId, agentId])
        if (!record) return notFound
        const webhook = { webhookUrl, instanceId: instanceId ?? record.webhook?.instanceId ?? agentId }
        const isSame = webhookUrl === record.webhook?.webhookUrl && webhook.instanceId === record.webhook.instanceId
        if (!isSame) saved(tx, { ...record, webhook }, 'webhook', told)
        return webhook
      },
    }

  const removeWebhook: Command<AgentPlace, true> = {
    name: 'gateway.removeWebhook',
    decide(tx, { orgId, agentId }, told) {
      const record = tx.get(gatewayTable, [orgId, agentId])
      if (!record?.webhook) return noWebhook
      const { webhook: _gone, ...rest } = record
      saved(tx, rest, 'webhook', told)
      return true
    },
  }

  return { rotateToken, rotateSecret, setWebhook, removeWebhook }
}
export type GatewayCommands = ReturnType<typeof gatewayCommands>

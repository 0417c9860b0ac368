/** What campaigns let go of: a snapshot that was replaced, a campaign that was deleted, an agent that is gone; a part at a time. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { isOver } from '../../core/campaign/status.js'
import { campaign as limits, outreachSend } from '../../core/limits.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import type { Key } from '../../runtime/store/contract.js'
import { findAgent } from '../agents/store.js'
import type { CampaignDeps } from './deps.js'
import { allTables, campaignAt, type OneCampaign, rowTables, snapshotTables } from './store.js'

const clearName = 'campaigns.clear'
const retireName = 'campaigns.retire'

/** Of the agent; of one campaign; of one snapshot or list of it. */
export interface Clearing extends AgentIncarnation {
  readonly campaignId?: string
  readonly of?: string
}

export function clearLater(tx: Tx, { orgId, agentId, serial, campaignId, of }: Clearing, dueAt: number): void {
  const input: Clearing = {
    orgId,
    agentId,
    serial,
    ...(campaignId !== undefined && { campaignId }),
    ...(of !== undefined && { of }),
  }
  const name = `${clearName}:${serial}:${campaignId ?? ''}:${of ?? ''}`
  tx.schedule({ name, dueAt, command: clearName, input })
}

/** Nobody can see them any more, so it does not matter how long they take to go. Answers how many rows went. */
export const clearCommand: Command<Clearing, number> = {
  name: clearName,
  decide(tx, what, { at }) {
    const { campaignId, of } = what
    const tables = campaignId === undefined ? allTables : of === undefined ? rowTables : snapshotTables
    const prefix: Key = [
      ...scopeOf(what),
      ...(campaignId === undefined ? [] : [campaignId]),
      ...(of === undefined ? [] : [of]),
    ]
    let room: number = limits.rowsPerSweep
    for (const table of tables) {
      if (room === 0) break
      for (const { key } of [...tx.range(table, { prefix, limit: room })]) {
        tx.remove(table, key)
        room--
      }
    }
    if (room === 0) clearLater(tx, what, at)
    return limits.rowsPerSweep - room
  },
}

/** Rows are kept for as long as the sends they stand for; what they came to is on the record of the campaign for good. */
export function retireLater(
  tx: Tx,
  { timeScale }: Pick<CampaignDeps, 'timeScale'>,
  one: OneCampaign,
  at: number,
): void {
  const dueAt = at + Math.ceil(outreachSend.keptMs / timeScale)
  tx.schedule({ name: `${retireName}:${one.serial}:${one.campaignId}`, dueAt, command: retireName, input: one })
}

export function retireCommand(deps: Pick<CampaignDeps, 'timeScale'>): Command<OneCampaign, boolean> {
  return {
    name: retireName,
    decide(tx, one, { at }) {
      const campaign = campaignAt(tx, one)
      if (!campaign?.snapshot) return false
      if (isOver(campaign.status)) clearLater(tx, { ...one, of: campaign.snapshot }, at)
      else retireLater(tx, deps, one, at)
      return true
    },
  }
}

/** Called in the commit that deletes an agent. */
export function clearRemovedAgent(tx: Tx, { orgId, agentId }: AgentPlace): void {
  const agent = findAgent(tx, { orgId, agentId })
  if (agent) clearLater(tx, { orgId, agentId, serial: agent.serial }, 0)
}

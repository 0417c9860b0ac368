/**
 * Deletes replaced snapshots, deleted campaigns, and all campaign rows of deleted agents, a bounded part per commit.
 */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { isFinished } from '../../core/campaign/status.js'
import { campaign as limits, outreachSend } from '../../core/limits/index.js'
import { scaledMs } from '../../core/time.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import type { Key } from '../../runtime/store/contract.js'
import { findAgent } from '../agents/store.js'
import type { CampaignDeps } from './deps.js'
import { allTables, type CampaignRef, getCampaign, rowTables, snapshotTables } from './store.js'

const clearName = 'campaigns.clear'
const retireName = 'campaigns.retire'

/** Of the agent; of one campaign; of one snapshot or list of it. */
export interface ClearTask extends AgentIncarnation {
  readonly campaignId?: string
  readonly part?: string
}

export function scheduleClear(
  tx: Tx,
  { orgId, agentId, incarnation, campaignId, part }: ClearTask,
  dueAt: number,
): void {
  const input: ClearTask = {
    orgId,
    agentId,
    incarnation,
    ...(campaignId !== undefined && { campaignId }),
    ...(part !== undefined && { part }),
  }
  const name = `${clearName}:${incarnation}:${campaignId ?? ''}:${part ?? ''}`
  tx.schedule({ name, dueAt, command: clearName, input })
}

/**
 * Deletes a part and reschedules itself for the rest; answers how many rows it deleted. Delay is harmless: the rows are
 * unreachable already.
 */
export const clearCommand: Command<ClearTask, number> = {
  name: clearName,
  decide(tx, task, { at }) {
    const { campaignId, part } = task
    const tables = campaignId === undefined ? allTables : part === undefined ? rowTables : snapshotTables
    const prefix: Key = [
      ...scopeOf(task),
      ...(campaignId === undefined ? [] : [campaignId]),
      ...(part === undefined ? [] : [part]),
    ]
    let remaining: number = limits.rowsPerSweep
    for (const table of tables) {
      if (remaining === 0) break
      for (const { key } of [...tx.range(table, { prefix, limit: remaining })]) {
        tx.remove(table, key)
        remaining--
      }
    }
    if (remaining === 0) scheduleClear(tx, task, at)
    return limits.rowsPerSweep - remaining
  },
}

/**
 * Schedules the deletion of a campaign's rows for when its sends expire; the report stays on the campaign's record for
 * good.
 */
export function scheduleRetire(
  tx: Tx,
  { timeScale }: Pick<CampaignDeps, 'timeScale'>,
  ref: CampaignRef,
  at: number,
): void {
  const dueAt = at + scaledMs(outreachSend.retentionMs, timeScale)
  tx.schedule({ name: `${retireName}:${ref.incarnation}:${ref.campaignId}`, dueAt, command: retireName, input: ref })
}

export function retireCommand(deps: Pick<CampaignDeps, 'timeScale'>): Command<CampaignRef, boolean> {
  return {
    name: retireName,
    decide(tx, ref, { at }) {
      const campaign = getCampaign(tx, ref)
      if (!campaign?.snapshot) return false
      if (isFinished(campaign.status)) scheduleClear(tx, { ...ref, part: campaign.snapshot }, at)
      else scheduleRetire(tx, deps, ref, at)
      return true
    },
  }
}

/** Called in the commit that deletes an agent. */
export function clearRemovedAgent(tx: Tx, { orgId, agentId }: AgentRef): void {
  const agent = findAgent(tx, { orgId, agentId })
  if (agent) scheduleClear(tx, { orgId, agentId, incarnation: agent.incarnation }, 0)
}

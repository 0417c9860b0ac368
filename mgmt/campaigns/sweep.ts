/** What campaigns let go of: a snapshot that was replaced, a campaign that was deleted, an agent that is gone; a part at a time. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { isFinished } from '../../core/campaign/status.js'
import { campaign as limits, outreachSend } from '../../core/limits/index.js'
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

/** Nobody can see them any more, so it does not matter how long they take to go. Answers how many rows went. */
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

/** Rows are kept for as long as the sends they stand for; what they came to is on the record of the campaign for good. */
export function scheduleRetire(
  tx: Tx,
  { timeScale }: Pick<CampaignDeps, 'timeScale'>,
  ref: CampaignRef,
  at: number,
): void {
  const dueAt = at + Math.ceil(outreachSend.keptMs / timeScale)
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

/** Campaigns that wait for a binding go on as soon as one is ready, in the commit that makes it so. */
import { scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { campaign as limits } from '../../core/limits.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { scheduleTick } from './scheduler.js'
import { keepProgress, type OneCampaign, openTable, progressOf } from './store.js'
import { resumeOrCancelLater } from './waitingsends.js'

/** Those beyond the bound look at their binding by themselves, within a minute. */
export function onBindingReady(tx: Tx, { orgId, agentId }: AgentPlace, at: number): void {
  const agent = findAgent(tx, { orgId, agentId })
  if (!agent) return
  const place = { orgId, agentId, serial: agent.serial }
  for (const { key, value } of [...tx.range(openTable, { prefix: scopeOf(place), limit: limits.rowsPerSweep })]) {
    if (value.status !== 'running') continue
    const one: OneCampaign = { ...place, campaignId: key[4] }
    keepProgress(tx, one, scheduleTick(tx, one, progressOf(tx, one), at))
    resumeOrCancelLater(tx, one, at)
  }
}

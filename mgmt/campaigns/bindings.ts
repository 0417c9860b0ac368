/** Continues campaigns that wait for a binding, in the commit that makes a binding ready. */
import { scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { campaign as limits } from '../../core/limits/index.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { scheduleTick } from './scheduler.js'
import { type CampaignRef, openTable, progressOf, saveProgress } from './store.js'
import { resumeOrCancelLater } from './waitingsends.js'

/** Wakes a bounded number of campaigns; the others check their binding themselves within a minute. */
export function onBindingReady(tx: Tx, { orgId, agentId }: AgentRef, at: number): void {
  const agent = findAgent(tx, { orgId, agentId })
  if (!agent) return
  const agentRef = { orgId, agentId, incarnation: agent.incarnation }
  for (const { key, value } of [...tx.range(openTable, { prefix: scopeOf(agentRef), limit: limits.rowsPerSweep })]) {
    if (value.status !== 'running') continue
    const ref: CampaignRef = { ...agentRef, campaignId: key[4] }
    saveProgress(tx, ref, scheduleTick(tx, ref, progressOf(tx, ref), at))
    resumeOrCancelLater(tx, ref, at)
  }
}

/** Campaigns that wait for a binding go on as soon as one is ready, in the commit that makes it so. */
import { scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { campaign as limits } from '../../core/limits.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { driveLater } from './driving.js'
import type { Doors } from './needs.js'
import { keepProgress, type OneCampaign, openTable, progressOf } from './store.js'
import { tendLater } from './tending.js'

/** Those beyond the bound look at their binding by themselves, within a minute. */
export function whenReady({ agents }: Pick<Doors, 'agents'>) {
  return (tx: Tx, { orgId, agentId }: AgentPlace, at: number): void => {
    const serial = agents.serialOf(tx, { orgId, agentId })
    if (serial === undefined) return
    const place = { orgId, agentId, serial }
    for (const { key, value } of [...tx.range(openTable, { prefix: scopeOf(place), limit: limits.rowsPerSweep })]) {
      if (value.status !== 'running') continue
      const one: OneCampaign = { ...place, campaignId: key[4] }
      keepProgress(tx, one, driveLater(tx, one, progressOf(tx, one), at))
      tendLater(tx, one, at)
    }
  }
}

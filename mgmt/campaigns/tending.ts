/** Sends of a campaign that wait for another attempt: they rest while it does, and end with it. */
import { isOver } from '../../core/campaign/status.js'
import { campaign as limits } from '../../core/limits.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import { type Found, sameCampaign } from './finding.js'
import type { Doors } from './needs.js'
import { homeOf, type OneCampaign, waitingTable } from './store.js'

const tendName = 'campaigns.tend'

interface Tending extends OneCampaign {
  readonly after?: string
}

/** Walks through those that wait: they go back into the queue when the campaign goes on, and end when it is over. */
export function tend(tx: Tx, doors: Pick<Doors, 'sends'>, found: Found, told: Told, after?: string): void {
  const { one, campaign, place } = found
  const name = `${tendName}:${one.serial}:${one.campaignId}`
  const prefix = [...homeOf(place), one.campaignId] as const
  const from = after === undefined ? {} : { after: [...prefix, after] }
  const ids = [...tx.range(waitingTable, { prefix, ...from, limit: limits.rowsPerSweep })].map(({ key }) => key[4])
  for (const sendId of ids) {
    if (isOver(campaign.status)) doors.sends.cancel(tx, place, sendId, `The campaign is ${campaign.status}.`, told)
    else if (campaign.status === 'running') doors.sends.resume(tx, place, sendId, told)
  }
  const last = ids.length === limits.rowsPerSweep ? ids.at(-1) : undefined
  if (last === undefined) tx.unschedule(name)
  else {
    const input: Tending = { ...one, after: last }
    tx.schedule({ name, dueAt: told.at, command: tendName, input })
  }
}

export function tendCommand(doors: Doors): Command<Tending, true> {
  return {
    name: tendName,
    decide(tx, { after, ...one }, told) {
      const found = sameCampaign(doors, tx, one)
      if (found) tend(tx, doors, found, told, after)
      return true
    },
  }
}

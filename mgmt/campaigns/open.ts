/** Campaigns as a node puts them together: what runs where agents are, what sends and documents ask of it, and the routes. */
import type { Route } from '../../runtime/http/route.js'
import type { Performer, Repertoire, Shards } from '../../runtime/shard/contract.js'
import { whenReady } from './bindings.js'
import { openCampaigns } from './campaigns.js'
import { batchEffect, openDriving } from './driving.js'
import type { Attempting, Doors } from './needs.js'
import { campaignQueries } from './reading.js'
import { type CampaignRoutesOptions, campaignRoutes } from './routes.js'
import { openRunning } from './running.js'
import { openStaging } from './staging.js'
import { campaignPart, clearCommand, retireCommand } from './sweep.js'
import { tendCommand } from './tending.js'
import { openWaiting } from './waiting.js'
import { batchPerformer } from './worker.js'

export function openCampaignArea(doors: Doors) {
  const records = openCampaigns(doors)
  const waiting = openWaiting(doors)
  const commands = {
    ...records.commands,
    ...openStaging(doors).commands,
    ...openRunning(doors).commands,
    ...openDriving(doors).commands,
    tend: tendCommand(doors),
    clear: clearCommand,
    retire: retireCommand(doors),
  }
  const queries = { ...records.queries, ...campaignQueries(doors), ...waiting.queries }
  return {
    commands,
    queries,
    part: campaignPart(doors),
    /** For sends: what becomes of a campaign's own, and who names an outreach. */
    ofSends: { campaigned: waiting.campaigned, leaves: waiting.leaves, rests: waiting.rests },
    /** For bindings: called when one becomes ready. */
    ready: whenReady(doors),
    referrersOf: records.referrersOf,
    /** For the agent's document: which segments are being drafted for. */
    draftCampaignsOf: records.draftCampaignsOf,
    performers({
      shards,
      attempt,
    }: {
      readonly shards: Shards
      readonly attempt: Attempting
    }): Record<string, Performer> {
      return { [batchEffect]: batchPerformer({ shards, attempt, commands }) as Performer }
    },
    routes: (over: Omit<CampaignRoutesOptions, 'area'>): Route[] =>
      campaignRoutes({ ...over, area: { commands, queries } }),
  }
}
export type CampaignArea = ReturnType<typeof openCampaignArea>

export function campaignRepertoire({ commands, queries }: Pick<CampaignArea, 'commands' | 'queries'>) {
  const all = { commands: Object.values(commands), queries: Object.values(queries) }
  return all as unknown as Pick<Repertoire, 'commands' | 'queries'>
}

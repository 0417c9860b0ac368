/** All commands and queries of campaigns, and what the routes over them work with. */
import type { Clock } from '../../runtime/clock.js'
import type { Pages } from '../../runtime/http/page.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { createCampaignRecords } from './commands.js'
import type { CampaignDeps } from './deps.js'
import { createLifecycle } from './lifecycle.js'
import { campaignQueries } from './queries.js'
import { createScheduler } from './scheduler.js'
import { createStaging } from './staging.js'
import { clearCommand, retireCommand } from './sweep.js'
import { tendCommand } from './waitingsends.js'

export function createCampaignOperations(deps: CampaignDeps) {
  const { referrersOf, draftCampaignsOf, ...records } = createCampaignRecords(deps)
  const commands = {
    ...records.commands,
    ...createStaging(deps).commands,
    ...createLifecycle(deps).commands,
    ...createScheduler(deps).commands,
    tend: tendCommand(deps),
    clear: clearCommand,
    retire: retireCommand(deps),
  }
  const queries = { ...records.queries, ...campaignQueries(deps) }
  return { commands, queries, referrersOf, draftCampaignsOf }
}
export type CampaignOperations = ReturnType<typeof createCampaignOperations>

export interface CampaignRouteDeps {
  readonly shards: Shards
  readonly pages: Pages
  readonly clock: Pick<Clock, 'now'>
  readonly area: Pick<CampaignOperations, 'commands' | 'queries'>
}

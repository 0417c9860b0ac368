/** All commands and queries of campaigns, and the dependencies of their routes. */
import type { Clock } from '../../runtime/clock.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { createCampaignRecords } from './commands.js'
import type { CampaignDeps } from './deps.js'
import { createLifecycle } from './lifecycle.js'
import { createCampaignQueries } from './queries.js'
import { createScheduler } from './scheduler.js'
import { createStaging } from './staging.js'
import { clearCommand, retireCommand } from './sweep.js'
import { createUpdateWaitingCommand } from './waitingsends.js'

export function createCampaignOperations(deps: CampaignDeps) {
  const { referrersOf, draftCampaignsOf, ...records } = createCampaignRecords(deps)
  const commands = {
    ...records.commands,
    ...createStaging(deps).commands,
    ...createLifecycle(deps).commands,
    ...createScheduler(deps).commands,
    updateWaiting: createUpdateWaitingCommand(deps),
    clear: clearCommand,
    retire: retireCommand(deps),
  }
  const queries = { ...records.queries, ...createCampaignQueries(deps) }
  return { commands, queries, referrersOf, draftCampaignsOf }
}
export type CampaignOperations = ReturnType<typeof createCampaignOperations>

export interface CampaignRouteDeps {
  readonly shards: Shards
  readonly pages: PageTokens
  readonly clock: Pick<Clock, 'now'>
  readonly operations: Pick<CampaignOperations, 'commands' | 'queries'>
}

/** The table of statuses: every status against every trigger, and what follows from it. */
import t from 'tap'
import {
  type CampaignStatus,
  type CampaignTrigger,
  campaignStatuses,
  campaignTransitions,
  campaignTriggers,
  isDeletable,
  isFinished,
  mayTransition,
  nextCampaignStatus,
} from '../../../core/campaign/status.js'

const leadsTo: Readonly<Record<CampaignTrigger, Partial<Record<CampaignStatus, CampaignStatus>>>> = {
  edit: { draft: 'draft', staged: 'draft' },
  stage: { draft: 'staged', staged: 'staged' },
  start: { staged: 'running' },
  pause: { running: 'paused' },
  resume: { paused: 'running' },
  cancel: { draft: 'cancelled', staged: 'cancelled', running: 'cancelled', paused: 'cancelled' },
  complete: { running: 'completed' },
  fail: { running: 'failed' },
}

t.test('Every status changes as the contract says on each trigger, and in no other way', async (t) => {
  for (const from of campaignStatuses) {
    for (const on of campaignTriggers) {
      t.equal(nextCampaignStatus(from, on), leadsTo[on][from], `${from} on ${on}`)
      t.equal(mayTransition(from, on), leadsTo[on][from] !== undefined)
    }
  }
})

t.test('A transition whose condition does not hold is not made', async (t) => {
  for (const { from, on, when } of campaignTransitions) {
    for (const status of from) {
      const nextStatus = nextCampaignStatus(status, on, (condition) => condition !== when)
      t.equal(nextStatus !== undefined, when === 'always', `${status} on ${on}`)
    }
  }
})

t.test('Completed, cancelled and failed are final, and a campaign that may still send cannot be deleted', async (t) => {
  t.same(campaignStatuses.filter(isFinished), ['completed', 'cancelled', 'failed'])
  t.same(
    campaignStatuses.filter((status) => !isDeletable(status)),
    ['running', 'paused'],
  )
})

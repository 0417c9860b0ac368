/** What is read of a campaign: its recipients and what became of each, what one of them would be sent, and its report. */
import { scopeOf } from '../../core/agent/scope.js'
import { isTest } from '../../core/campaign/campaign.js'
import { estimateOf } from '../../core/campaign/pace.js'
import { type Recipient, type RecipientState, standingOfSend, standingWithout } from '../../core/campaign/recipient.js'
import { screened } from '../../core/campaign/screening.js'
import { noTally, shownTally } from '../../core/campaign/tally.js'
import {
  type CampaignPreview,
  type CampaignRecipient,
  type CampaignReport,
  type CampaignStaged,
  previewOf,
  recipientAsRead,
} from '../../core/campaign/view.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { campaign as limits } from '../../core/limits.js'
import { isOutreachChannel } from '../../core/outreach/request.js'
import type { Send } from '../../core/outreach/send.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { CampaignDeps } from './deps.js'
import { type CampaignId, type LoadedCampaign, loadCampaign, notFound } from './load.js'
import { screeningOf } from './staging.js'
import { progressTable, recipientTable, sendIdsOf, snapshotTable } from './store.js'

export interface RecipientStretch extends CampaignId {
  readonly state?: RecipientState
  readonly limit: number
  /** The walk goes on behind this row. */
  readonly after?: number
}

/** A row with the send it became, for those who list what became of it. */
export interface RecipientFound {
  readonly shown: CampaignRecipient
  readonly send?: Send
}

export interface RecipientsFound {
  readonly rows: readonly RecipientFound[]
  /** Where to go on; absent at the end. */
  readonly after?: number
}

export function campaignQueries(deps: CampaignDeps) {
  /** In the order in which it is their turn. It looks at a bounded number of rows, however few of them are wanted. */
  const recipients: Query<RecipientStretch, RecipientsFound> = {
    name: 'campaigns.recipients',
    read(reader, { state, limit, after, ...named }) {
      const found = loadCampaign(deps, reader, named)
      if (isRefusal(found)) return found
      const { snapshot } = found.campaign
      if (snapshot === undefined) return { rows: [] }
      const prefix = [...scopeOf(found.place), named.campaignId, snapshot] as const
      const from = after === undefined ? {} : { after: [...prefix, after] }
      const rows: RecipientFound[] = []
      let seen = 0
      const first = after === undefined ? 0 : after + 1
      const sendIds = sendIdsOf(reader, prefix, first, first + limits.rowsPerRead)
      for (const { key, value } of reader.range(recipientTable, { prefix, ...from })) {
        const one = asFound(reader, found, key[5], value, sendIds.get(key[5]))
        if (one && (state === undefined || one.shown.state === state)) rows.push(one)
        if (rows.length >= limit || ++seen >= limits.rowsPerRead) return { rows, after: key[5] }
      }
      return { rows }
    },
  }

  /** A row goes with its send. */
  function asFound(
    reader: Reader,
    found: LoadedCampaign,
    index: number,
    row: Recipient,
    sendId = row.sendId,
  ): RecipientFound | undefined {
    if (sendId === undefined) return { shown: recipientAsRead(index, row, standingWithout(row, found.campaign)) }
    const send = deps.bulkSends.sendAt(reader, found.place, sendId)
    return (
      send && {
        shown: recipientAsRead(index, { ...row, sendId }, standingOfSend(send), send.detail, send.nextAttemptAt),
        send,
      }
    )
  }

  const preview: Query<CampaignId & { readonly personId: string; readonly at: number }, CampaignPreview> = {
    name: 'campaigns.preview',
    read(reader, { personId, at, ...named }) {
      const found = loadCampaign(deps, reader, named)
      if (isRefusal(found)) return found
      const screening = screeningOf(deps, reader, found, at)
      if (!screening) return refuse('agent.campaign.invalid', { detail: 'Its outreach is not there or switched off.' })
      const person = isTest(found.campaign)
        ? deps.personas.personOf(reader, found.place, personId)
        : deps.people.byId(reader, found.place, personId)
      if (!person || (person.sandbox && !screening.isTest)) return notFound
      return previewOf(person, screened(person, screening), screening.isTest ? personId : undefined)
    },
  }

  const report: Query<CampaignId, CampaignReport> = {
    name: 'campaigns.reportOf',
    read(reader, named) {
      const found = loadCampaign(deps, reader, named)
      if (isRefusal(found)) return found
      const progress = reader.get(progressTable, [...scopeOf(found.place), named.campaignId])
      return { ...shownTally(progress?.tally ?? noTally), test: isTest(found.campaign) }
    },
  }

  /** What staging found, once it is whole. */
  const staged: Query<CampaignId, CampaignStaged> = {
    name: 'campaigns.staged',
    read(reader, named) {
      const found = loadCampaign(deps, reader, named)
      if (isRefusal(found)) return found
      const { id, status, counts, snapshot, stagedAt } = found.campaign
      if (!counts || snapshot === undefined) return notFound
      const { previews = [] } = reader.get(snapshotTable, [...scopeOf(found.place), id, snapshot]) ?? {}
      const paces = isTest(found.campaign) ? [] : deps.channels.pacesOf(reader, found.place)
      return {
        id,
        status,
        stagedAt: new Date(stagedAt!).toISOString(),
        counts,
        durationEstimate: paces
          .filter(({ channel }) => isOutreachChannel(channel))
          .map((pace) => estimateOf(pace, counts.sendable)),
        previews: [...previews],
      }
    },
  }

  return { recipients, preview, report, staged }
}
export type CampaignQueries = ReturnType<typeof campaignQueries>

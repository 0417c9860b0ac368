/** Queries of a campaign: its recipients and their states, the preview for one recipient, and the report. */
import { scopeOf } from '../../core/agent/scope.js'
import { isTest } from '../../core/campaign/campaign.js'
import { emptyTally, tallyView } from '../../core/campaign/counts.js'
import { checkEligibility } from '../../core/campaign/eligibility.js'
import {
  type Recipient,
  type RecipientState,
  recipientStatusOf,
  statusWithoutSend,
} from '../../core/campaign/recipient.js'
import { estimateOf } from '../../core/campaign/throughput.js'
import {
  type CampaignPreview,
  type CampaignRecipient,
  type CampaignReport,
  type CampaignStaged,
  previewOf,
  recipientView,
} from '../../core/campaign/view.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { campaign as limits } from '../../core/limits/index.js'
import { isOutreachChannel } from '../../core/outreach/request.js'
import type { Send } from '../../core/outreach/send.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { CampaignDeps } from './deps.js'
import { type CampaignId, type LoadedCampaign, loadCampaign, notFound } from './load.js'
import { eligibilityInputOf } from './staging.js'
import { progressTable, recipientTable, sendIdsOf, snapshotTable } from './store.js'

export interface RecipientPageQuery extends CampaignId {
  readonly state?: RecipientState
  readonly limit: number
  /** Continues after this row. */
  readonly after?: number
}

/** A recipient with its send, for lists and exports. */
export interface RecipientRow {
  readonly view: CampaignRecipient
  readonly send?: Send
}

export interface RecipientPage {
  readonly rows: readonly RecipientRow[]
  /** Where the next page begins; absent at the end. */
  readonly after?: number
}

export function createCampaignQueries(deps: CampaignDeps) {
  /** In the order of dispatch. One call reads a bounded number of rows, however few match. */
  const recipients: Query<RecipientPageQuery, RecipientPage> = {
    name: 'campaigns.recipients',
    read(reader, { state, limit, after, ...ids }) {
      const loaded = loadCampaign(deps, reader, ids)
      if (isRefusal(loaded)) return loaded
      const { snapshot } = loaded.campaign
      if (snapshot === undefined) return { rows: [] }
      const prefix = [...scopeOf(loaded.agentRef), ids.campaignId, snapshot] as const
      const from = after === undefined ? {} : { after: [...prefix, after] }
      const rows: RecipientRow[] = []
      let scanned = 0
      const first = after === undefined ? 0 : after + 1
      const sendIds = sendIdsOf(reader, prefix, first, first + limits.rowsPerRead)
      for (const { key, value } of reader.range(recipientTable, { prefix, ...from })) {
        const entry = toRecipientRow(reader, loaded, key[5], value, sendIds.get(key[5]))
        if (entry && (state === undefined || entry.view.state === state)) rows.push(entry)
        if (rows.length >= limit || ++scanned >= limits.rowsPerRead) return { rows, after: key[5] }
      }
      return { rows }
    },
  }

  /** Joins a row with its send. */
  function toRecipientRow(
    reader: Reader,
    loaded: LoadedCampaign,
    index: number,
    row: Recipient,
    sendId = row.sendId,
  ): RecipientRow | undefined {
    if (sendId === undefined) return { view: recipientView(index, row, statusWithoutSend(row, loaded.campaign)) }
    const send = deps.bulkSends.sendAt(reader, loaded.agentRef, sendId)
    return (
      send && {
        view: recipientView(index, { ...row, sendId }, recipientStatusOf(send), send.detail, send.nextAttemptAt),
        send,
      }
    )
  }

  const preview: Query<CampaignId & { readonly personId: string; readonly at: number }, CampaignPreview> = {
    name: 'campaigns.preview',
    read(reader, { personId, at, ...ids }) {
      const loaded = loadCampaign(deps, reader, ids)
      if (isRefusal(loaded)) return loaded
      const eligibility = eligibilityInputOf(deps, reader, loaded, at)
      if (!eligibility)
        return refuse('agent.campaign.invalid', { detail: 'Its outreach is not there or switched off.' })
      const person = isTest(loaded.campaign)
        ? deps.personas.personOf(reader, loaded.agentRef, personId)
        : deps.people.byId(reader, loaded.agentRef, personId)
      if (!person || (person.sandbox && !eligibility.isTest)) return notFound
      return previewOf(person, checkEligibility(person, eligibility), eligibility.isTest ? personId : undefined)
    },
  }

  const report: Query<CampaignId, CampaignReport> = {
    name: 'campaigns.reportOf',
    read(reader, ids) {
      const loaded = loadCampaign(deps, reader, ids)
      if (isRefusal(loaded)) return loaded
      const progress = reader.get(progressTable, [...scopeOf(loaded.agentRef), ids.campaignId])
      return { ...tallyView(progress?.tally ?? emptyTally), test: isTest(loaded.campaign) }
    },
  }

  /** The result of staging, once the snapshot is complete. */
  const stagingResult: Query<CampaignId, CampaignStaged> = {
    name: 'campaigns.staged',
    read(reader, ids) {
      const loaded = loadCampaign(deps, reader, ids)
      if (isRefusal(loaded)) return loaded
      const { id, status, counts, snapshot, stagedAt } = loaded.campaign
      if (!counts || snapshot === undefined) return notFound
      const { previews = [] } = reader.get(snapshotTable, [...scopeOf(loaded.agentRef), id, snapshot]) ?? {}
      const throughputs = isTest(loaded.campaign) ? [] : deps.channels.throughputOf(reader, loaded.agentRef)
      return {
        id,
        status,
        stagedAt: new Date(stagedAt!).toISOString(),
        counts,
        durationEstimate: throughputs
          .filter(({ channel }) => isOutreachChannel(channel))
          .map((throughput) => estimateOf(throughput, counts.sendable)),
        previews: [...previews],
      }
    },
  }

  return { recipients, preview, report, stagingResult }
}
export type CampaignQueries = ReturnType<typeof createCampaignQueries>

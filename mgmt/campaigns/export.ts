/**
 * The route that exports the recipients of a campaign as CSV: streamed page by page, so memory does not grow with their
 * number.
 */
import { formatAgentKey } from '../../core/agentref.js'
import type { RecipientState } from '../../core/campaign/recipient.js'
import { isRefusal } from '../../core/errors.js'
import { campaign as limits } from '../../core/limits/index.js'
import { rowText } from '../../core/people/csv.js'
import { type Route, route } from '../../runtime/http/route.js'
import type { CampaignId } from './load.js'
import type { CampaignRouteDeps } from './operations.js'
import type { RecipientRow } from './queries.js'
import { campaignIdOf, ExportQuery, itemPath, readAccess, routeDefaults } from './schema.js'

const csvType = 'text/csv'

interface Column {
  readonly name: string
  readonly write: (row: RecipientRow) => string | undefined
}

const isoTime = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

const columns: readonly Column[] = [
  { name: 'id', write: ({ view }) => view.id },
  { name: 'personId', write: ({ view }) => view.personId },
  { name: 'personaId', write: ({ view }) => view.personaId },
  { name: 'state', write: ({ view }) => view.state },
  { name: 'reason', write: ({ view }) => view.reason },
  { name: 'detail', write: ({ view }) => view.detail },
  { name: 'channel', write: ({ view }) => view.channel },
  { name: 'asid', write: ({ view }) => view.asid },
  { name: 'sendId', write: ({ view }) => view.sendId },
  { name: 'attempts', write: ({ send }) => send && String(send.attempts) },
  { name: 'sentAt', write: ({ send }) => isoTime(send?.sentAt) },
  { name: 'deliveredAt', write: ({ send }) => isoTime(send?.receipts?.deliveredAt) },
  { name: 'readAt', write: ({ send }) => isoTime(send?.receipts?.readAt) },
  { name: 'failedAt', write: ({ send }) => isoTime(send?.failedAt ?? send?.receipts?.failedAt) },
  { name: 'respondedAt', write: ({ send }) => isoTime(send?.respondedAt) },
]
/** Only for callers with permission to export people. */
const address: Column = { name: 'address', write: ({ send }) => (send?.sandbox ? undefined : send?.address) }

export function exportRoute({ shards, operations: { queries } }: CampaignRouteDeps): Route {
  const readPage = (ids: CampaignId, state: RecipientState | undefined, after: number | undefined) =>
    shards.query(formatAgentKey(ids), queries.recipients, {
      ...ids,
      limit: limits.exportRowsPerRead,
      ...(state && { state }),
      ...(after !== undefined && { after }),
    })
  type RecipientPage = Exclude<Awaited<ReturnType<typeof readPage>>, { refused: string }>

  async function* csvRows(
    ids: CampaignId,
    state: RecipientState | undefined,
    selected: readonly Column[],
    first: RecipientPage,
  ) {
    yield rowText(selected.map(({ name }) => name))
    for (let page: RecipientPage = first; ; ) {
      if (page.rows.length > 0) {
        yield page.rows.map((row) => rowText(selected.map(({ write }) => write(row) ?? ''))).join('')
      }
      if (page.after === undefined) return
      const next = await readPage(ids, state, page.after)
      // The answer has begun and cannot become a refusal: a throw cuts the file off, which its reader notices.
      if (isRefusal(next)) throw new Error(`recipients could not be read to the end: ${next.refused}`)
      page = next
    }
  }

  return route({
    ...routeDefaults,
    access: readAccess,
    method: 'GET',
    path: `${itemPath}/export`,
    summary: 'Export the recipients of a campaign as CSV; with addresses for those who may export people',
    query: ExportQuery,
    reply: { 200: csvType },
    errors: ['request.invalid', 'agent.not_found'],
    async handler({ params, query: { state }, caller }) {
      const ids = campaignIdOf(params)
      const first = await readPage(ids, state, undefined)
      if (isRefusal(first)) return first
      return {
        status: 200,
        type: `${csvType}; charset=utf-8`,
        headers: {
          'content-disposition': `attachment; filename="${ids.campaignId}.csv"`,
          'cache-control': 'no-store',
        },
        body: csvRows(ids, state, caller.scopes.has('people:export') ? [...columns, address] : columns, first),
      }
    },
  })
}

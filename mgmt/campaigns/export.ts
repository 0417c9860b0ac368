/** The route that writes the recipients of a campaign as CSV: read part by part, so it takes no more memory for more of them. */
import { agentKeyOf } from '../../core/agentkey.js'
import type { RecipientState } from '../../core/campaign/recipient.js'
import { isRefusal } from '../../core/errors.js'
import { campaign as limits } from '../../core/limits.js'
import { rowText } from '../../core/people/csv.js'
import { type Route, route } from '../../runtime/http/route.js'
import type { CampaignId } from './load.js'
import type { CampaignRouteDeps } from './operations.js'
import type { RecipientFound } from './queries.js'
import { ExportQuery, itemPath, namedIn, ofCampaigns, reading } from './schema.js'

const csvType = 'text/csv'

interface Column {
  readonly name: string
  readonly write: (row: RecipientFound) => string | undefined
}

const when = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

const columns: readonly Column[] = [
  { name: 'id', write: ({ shown }) => shown.id },
  { name: 'personId', write: ({ shown }) => shown.personId },
  { name: 'personaId', write: ({ shown }) => shown.personaId },
  { name: 'state', write: ({ shown }) => shown.state },
  { name: 'reason', write: ({ shown }) => shown.reason },
  { name: 'detail', write: ({ shown }) => shown.detail },
  { name: 'channel', write: ({ shown }) => shown.channel },
  { name: 'asid', write: ({ shown }) => shown.asid },
  { name: 'sendId', write: ({ shown }) => shown.sendId },
  { name: 'attempts', write: ({ send }) => send && String(send.attempts) },
  { name: 'sentAt', write: ({ send }) => when(send?.sentAt) },
  { name: 'deliveredAt', write: ({ send }) => when(send?.receipts?.deliveredAt) },
  { name: 'readAt', write: ({ send }) => when(send?.receipts?.readAt) },
  { name: 'failedAt', write: ({ send }) => when(send?.failedAt ?? send?.receipts?.failedAt) },
  { name: 'respondedAt', write: ({ send }) => when(send?.respondedAt) },
]
/** For callers who may export people. */
const address: Column = { name: 'address', write: ({ send }) => (send?.sandbox ? undefined : send?.address) }

export function exportRoute({ shards, area: { queries } }: CampaignRouteDeps): Route {
  const part = (named: CampaignId, state: RecipientState | undefined, after: number | undefined) =>
    shards.read(agentKeyOf(named), queries.recipients, {
      ...named,
      limit: limits.exportRowsPerRead,
      ...(state && { state }),
      ...(after !== undefined && { after }),
    })
  type Part = Exclude<Awaited<ReturnType<typeof part>>, { refused: string }>

  async function* text(named: CampaignId, state: RecipientState | undefined, shown: readonly Column[], first: Part) {
    yield rowText(shown.map(({ name }) => name))
    for (let found: Part = first; ; ) {
      if (found.rows.length > 0) {
        yield found.rows.map((row) => rowText(shown.map(({ write }) => write(row) ?? ''))).join('')
      }
      if (found.after === undefined) return
      const next = await part(named, state, found.after)
      // What was begun cannot become a refusal: a file that is cut off tells its reader so.
      if (isRefusal(next)) throw new Error(`recipients could not be read to the end: ${next.refused}`)
      found = next
    }
  }

  return route({
    ...ofCampaigns,
    access: reading,
    method: 'GET',
    path: `${itemPath}/export`,
    summary: 'Export the recipients of a campaign as CSV; with addresses for those who may export people',
    query: ExportQuery,
    reply: { 200: csvType },
    errors: ['request.invalid', 'agent.not_found'],
    async handler({ params, query: { state }, caller }) {
      const named = namedIn(params)
      const first = await part(named, state, undefined)
      if (isRefusal(first)) return first
      return {
        status: 200,
        type: `${csvType}; charset=utf-8`,
        headers: {
          'content-disposition': `attachment; filename="${named.campaignId}.csv"`,
          'cache-control': 'no-store',
        },
        body: text(named, state, caller.scopes.has('people:export') ? [...columns, address] : columns, first),
      }
    },
  })
}

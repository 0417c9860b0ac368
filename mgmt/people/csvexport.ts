/** Route that exports people as CSV, read in bounded parts, so its memory does not grow with the number of people. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import { person as limits } from '../../core/limits/index.js'
import { exportColumns } from '../../core/people/columns.js'
import { rowText } from '../../core/people/csv.js'
import type { PersonFilter } from '../../core/people/filter.js'
import { type Route, route } from '../../runtime/http/route.js'
import { filterError } from './parse.js'
import type { PeopleRouteDeps } from './routedeps.js'
import { csvType, exportAccess, ofPeople, personExportQuery } from './schema.js'

export function exportRoute({ shards, people, fieldsOf }: PeopleRouteDeps): Route {
  type Columns = ReturnType<typeof exportColumns>

  async function* rows(agent: AgentRef, filter: PersonFilter, columns: Columns): AsyncGenerator<string> {
    yield rowText(columns.map(({ name }) => name))
    const scanInput = { ...agent, filter, seesAddresses: true, limit: limits.exportRowsPerScan }
    let after: string | undefined
    do {
      const scan = await shards.query(
        formatAgentKey(agent),
        people.queries.scan,
        after === undefined ? scanInput : { ...scanInput, after },
      )
      // The response has begun, so it cannot become a refusal; the truncated file shows the failure.
      if (isRefusal(scan)) throw new Error(`people could not be read to the end: ${scan.refused}`)
      if (scan.people.length > 0) {
        yield scan.people.map((person) => rowText(columns.map(({ write }) => write(person)))).join('')
      }
      after = scan.next
    } while (after !== undefined)
  }

  return route({
    ...ofPeople,
    access: exportAccess,
    method: 'GET',
    path: '/orgs/{org}/agents/{agent}/people/export',
    summary: 'Export people as CSV, all of them or those of a filter',
    query: personExportQuery,
    reply: { 200: csvType },
    errors: ['resource.not_found', 'request.invalid'],
    async handler({ params: { org: orgId, agent: agentId }, query }) {
      const agent = { orgId, agentId }
      const filter = query as PersonFilter
      const error = filterError(filter)
      if (error) return error
      const declared = await fieldsOf(agent)
      if (isRefusal(declared)) return declared
      return {
        status: 200,
        type: `${csvType}; charset=utf-8`,
        headers: { 'content-disposition': `attachment; filename="${agentId}-people.csv"`, 'cache-control': 'no-store' },
        body: rows(agent, filter, exportColumns(declared)),
      }
    },
  })
}

/** The route that writes people as CSV: looked through part by part, so it takes no more memory for more of them. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { isRefusal } from '../../core/errors.js'
import { person as limits } from '../../core/limits.js'
import { exportColumns } from '../../core/people/columns.js'
import { rowText } from '../../core/people/csv.js'
import type { PersonFilter } from '../../core/people/filter.js'
import { type Route, route } from '../../runtime/http/route.js'
import { wrongFilter } from './asked.js'
import type { PeopleRouteDeps } from './routedeps.js'
import { csvType, exporting, ofPeople, personExportQuery } from './schema.js'

export function exportRoute({ shards, people, fieldsOf }: PeopleRouteDeps): Route {
  type Columns = ReturnType<typeof exportColumns>

  async function* rows(place: AgentPlace, filter: PersonFilter, columns: Columns): AsyncGenerator<string> {
    yield rowText(columns.map(({ name }) => name))
    const look = { ...place, filter, seesAddresses: true, limit: limits.exportRowsPerLook }
    let after: string | undefined
    do {
      const looked = await shards.read(
        agentKeyOf(place),
        people.queries.look,
        after === undefined ? look : { ...look, after },
      )
      // What was begun cannot become a refusal: a file that is cut off tells its reader so.
      if (isRefusal(looked)) throw new Error(`people could not be read to the end: ${looked.refused}`)
      if (looked.people.length > 0) {
        yield looked.people.map((person) => rowText(columns.map(({ write }) => write(person)))).join('')
      }
      after = looked.next
    } while (after !== undefined)
  }

  return route({
    ...ofPeople,
    access: exporting,
    method: 'GET',
    path: '/orgs/{org}/agents/{agent}/people/export',
    summary: 'Export people as CSV, all of them or those of a filter',
    query: personExportQuery,
    reply: { 200: csvType },
    errors: ['resource.not_found', 'request.invalid'],
    async handler({ params: { org: orgId, agent: agentId }, query }) {
      const place = { orgId, agentId }
      const filter = query as PersonFilter
      const wrong = wrongFilter(filter)
      if (wrong) return wrong
      const declared = await fieldsOf(place)
      if (isRefusal(declared)) return declared
      return {
        status: 200,
        type: `${csvType}; charset=utf-8`,
        headers: { 'content-disposition': `attachment; filename="${agentId}-people.csv"`, 'cache-control': 'no-store' },
        body: rows(place, filter, exportColumns(declared)),
      }
    },
  })
}

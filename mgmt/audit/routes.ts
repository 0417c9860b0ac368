/** The route that lists the audit trail of an org. */
import { invalid, isRefusal } from '../../core/errors.js'
import { page } from '../../core/limits.js'
import type { Clock } from '../../runtime/clock.js'
import type { Pages } from '../../runtime/http/page.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { AuditList, AuditQuery } from './schema.js'
import type { AuditPosition, AuditStore } from './store.js'

export interface AuditRoutesOptions {
  readonly shards: Shards
  readonly store: Pick<AuditStore, 'queries'>
  readonly pages: Pages
  readonly clock: Clock
}

export function auditRoutes({ shards, store, pages, clock }: AuditRoutesOptions): Route[] {
  return [
    route({
      plane: 'mgmt',
      tag: 'Org',
      access: { who: 'member', role: 'admin', scopes: ['org:admin'] },
      method: 'GET',
      path: '/orgs/{org}/audit',
      summary:
        'List who did what to credentials, bindings and exports, and who was refused, newest first, for 180 days',
      query: AuditQuery,
      reply: { 200: AuditList },
      errors: ['request.invalid'],
      async handler({ params: { org: orgId }, query: { limit = page.defaultRows, pageToken, ...filter } }) {
        const scope = `audit:${orgId}:${JSON.stringify(Object.entries(filter).sort())}`
        const before = pageToken === undefined ? undefined : (pages.read(scope, pageToken) as AuditPosition | undefined)
        if (pageToken !== undefined && !before) return invalid('pageToken', 'is not a token of this list')
        const { start, end, ...of } = filter
        const window = { ...(start && { start: Date.parse(start) }), ...(end && { end: Date.parse(end) }) }
        if (start && end && Date.parse(start) >= Date.parse(end)) return invalid('end', 'must be after start')
        const wanted = { orgId, ...of, ...window, limit, ...(before && { before }), now: clock.now() }
        const found = await shards.read(orgId, store.queries.list, wanted)
        if (isRefusal(found)) return found
        const { data, last } = found
        return json(200, { data, ...(last && { nextPageToken: pages.write(scope, last) }) })
      },
    }),
  ]
}

/** The route that lists the audit trail of an org. */
import { invalid, isRefusal } from '../../core/errors.js'
import { page } from '../../core/limits/index.js'
import type { Clock } from '../../runtime/clock.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { AuditList, AuditQuery } from './schema.js'
import type { AuditPosition, AuditStore } from './store.js'

export interface AuditRoutesOptions {
  readonly shards: Shards
  readonly store: Pick<AuditStore, 'queries'>
  readonly pages: PageTokens
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
        const before = pages.read(scope, pageToken)
        if (isRefusal(before)) return before
        const { start, end, ...criteria } = filter
        const window = { ...(start && { start: Date.parse(start) }), ...(end && { end: Date.parse(end) }) }
        if (start && end && Date.parse(start) >= Date.parse(end)) return invalid('end', 'must be after start')
        const input = {
          orgId,
          ...criteria,
          ...window,
          limit,
          ...(before && { before: before as AuditPosition }),
          now: clock.now(),
        }
        const result = await shards.query(orgId, store.queries.list, input)
        if (isRefusal(result)) return result
        const { data, last } = result
        return json(200, { data, ...(last && { nextPageToken: pages.write(scope, last) }) })
      },
    }),
  ]
}

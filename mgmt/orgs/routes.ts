/** Routes that read and change the org itself. */
import { actorOf } from '../../core/access.js'
import { invalid, isRefusal, refuse } from '../../core/errors.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { Org, OrgPatch } from './schema.js'
import { patchOrg, readOrg } from './store.js'

export function orgRoutes({ shards }: { shards: Shards }): Route[] {
  const common = { plane: 'mgmt', path: '/orgs/{org}', tag: 'Org', reply: { 200: Org } } as const
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Read the org',
      access: { who: 'member', role: 'viewer' },
      async handler({ params: { org: orgId } }) {
        const org = await shards.query(orgId, readOrg, { orgId })
        return isRefusal(org) ? org : json(200, org)
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      summary: 'Change name, description or time zone',
      access: { who: 'member', role: 'admin', scopes: ['org:admin'] },
      body: OrgPatch,
      async handler({ params, body, caller }) {
        if (Object.keys(body).length === 0) {
          return refuse('request.invalid', { status: 400, detail: 'Give at least one of name, description, timeZone.' })
        }
        const { name } = body
        if (name !== undefined && name.trim() === '') return invalid('name', 'must hold more than space')
        const org = await shards.execute(params.org, patchOrg, { id: params.org, patch: body }, { by: actorOf(caller) })
        return isRefusal(org) ? org : json(200, org)
      },
    }),
  ]
}

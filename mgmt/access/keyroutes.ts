/** Routes that create, read, change and revoke API keys. */
import { randomBytes } from 'node:crypto'
import Type from 'typebox'
import { actorOf } from '../../core/access.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { KeyCommands } from './commands.js'
import { issueKey } from './issue.js'
import { ApiKey, ApiKeyCreate, ApiKeyCreated, ApiKeyPatch } from './schema.js'
import { keyQueries } from './store.js'

const common = {
  plane: 'mgmt',
  tag: 'API keys',
  access: { who: 'member', role: 'admin', scopes: ['org:admin'] },
} as const
const onlyOperators = refuse('auth.forbidden', { detail: 'Only a system operator makes a system operator’s key.' })
const collection = '/orgs/{org}/api-keys'
const item = '/orgs/{org}/api-keys/{keyId}'

export function keyRoutes({ shards, commands }: { shards: Shards; commands: KeyCommands }): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: collection,
      summary: 'List the keys, oldest first',
      reply: { 200: Type.Object({ data: Type.Array(ApiKey) }, { additionalProperties: false }) },
      async handler({ params: { org: orgId } }) {
        const data = await shards.query(orgId, keyQueries.list, { orgId })
        return isRefusal(data) ? data : json(200, { data })
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: collection,
      summary: 'Make a key; the answer is the only place it ever appears',
      body: ApiKeyCreate,
      reply: { 201: ApiKeyCreated },
      errors: ['auth.forbidden'],
      async handler({ params, body: { isSysop, ...body }, caller }) {
        if (isSysop && !(caller.kind === 'key' && caller.isSysop)) return onlyOperators
        const input = { scopes: [], ...body, orgId: params.org, ...(isSysop && { sysop: true as const }) }
        const created = await issueKey({ shards, commands, randomBytes }, input, actorOf(caller))
        return isRefusal(created) ? created : json(201, created)
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: item,
      summary: 'Read a key',
      reply: { 200: ApiKey },
      async handler({ params: { org: orgId, keyId } }) {
        const key = await shards.query(orgId, keyQueries.read, { orgId, keyId })
        return isRefusal(key) ? key : json(200, key)
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      path: item,
      summary: 'Change name, description, scopes or expiry',
      body: ApiKeyPatch,
      reply: { 200: ApiKey },
      async handler({ params: { org: orgId, keyId }, body: patch, caller }) {
        const request = { orgId, keyId, patch, isSysop: caller.isSysop }
        const key = await shards.execute(orgId, commands.patch, request, { by: actorOf(caller) })
        return isRefusal(key) ? key : json(200, key)
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: item,
      summary: 'Revoke a key at once',
      reply: { 204: null },
      async handler({ params: { org: orgId, keyId }, caller }) {
        const request = { orgId, keyId, isSysop: caller.isSysop }
        const outcome = await shards.execute(orgId, commands.revoke, request, { by: actorOf(caller) })
        return isRefusal(outcome) ? outcome : noContent
      },
    }),
  ]
}

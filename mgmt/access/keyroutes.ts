/** Making, reading, changing and revoking API keys. */
import { randomBytes } from 'node:crypto'
import Type from 'typebox'
import { actorOf } from '../../core/access.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { hashKey, makeKey, shownPrefix } from './keys.js'
import { ApiKey, ApiKeyCreate, ApiKeyCreated, ApiKeyPatch } from './schema.js'
import { createKey, keysOf, keyTable, patchKey, revokeKey, shownKey } from './store.js'

const common = {
  plane: 'mgmt',
  tag: 'API keys',
  access: { who: 'member', role: 'admin', scopes: ['org:admin'] },
} as const
const collection = '/orgs/{org}/api-keys'
const item = '/orgs/{org}/api-keys/{keyId}'

export function keyRoutes({ shards }: { shards: Shards }): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: collection,
      summary: 'List the keys, oldest first',
      reply: { 200: Type.Object({ data: Type.Array(ApiKey) }, { additionalProperties: false }) },
      handler: ({ params }) => json(200, { data: keysOf(shards.view(params.org), params.org).map(shownKey) }),
    }),
    route({
      ...common,
      method: 'POST',
      path: collection,
      summary: 'Make a key; the answer is the only place it ever appears',
      body: ApiKeyCreate,
      reply: { 201: ApiKeyCreated },
      async handler({ params, body, caller }) {
        const key = makeKey(randomBytes)
        const made = { scopes: [], ...body, orgId: params.org, prefix: shownPrefix(key), hash: hashKey(key) }
        const record = await shards.ask(params.org, createKey, made, { by: actorOf(caller) })
        return isRefusal(record) ? record : json(201, { ...shownKey(record), key })
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: item,
      summary: 'Read a key',
      reply: { 200: ApiKey },
      handler({ params }) {
        const record = shards.view(params.org).get(keyTable, [params.org, params.keyId])
        return record ? json(200, shownKey(record)) : refuse('resource.not_found')
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      path: item,
      summary: 'Change name, description, scopes or expiry',
      body: ApiKeyPatch,
      reply: { 200: ApiKey },
      async handler({ params, body, caller }) {
        const change = { orgId: params.org, keyId: params.keyId, patch: body }
        const record = await shards.ask(params.org, patchKey, change, { by: actorOf(caller) })
        return isRefusal(record) ? record : json(200, shownKey(record))
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: item,
      summary: 'Revoke a key at once',
      reply: { 204: null },
      async handler({ params, caller }) {
        const key = { orgId: params.org, keyId: params.keyId }
        const done = await shards.ask(params.org, revokeKey, key, { by: actorOf(caller) })
        return isRefusal(done) ? done : noContent
      },
    }),
  ]
}

/** Routes of the caller's identity, sign-in, and the emulator's view of its grant. */
import { randomBytes } from 'node:crypto'
import Type from 'typebox'
import { isRefusal, refuse } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { orgName } from '../orgs/store.js'
import type { VerifiedGrant } from './grants.js'
import type { IdTokens } from './idtokens.js'
import { EmulatorSession, Me, Session, SessionAsk } from './schema.js'

const tag = 'Access'

export interface AccessRoutesOptions {
  readonly shards: Shards
  readonly idTokens: IdTokens
}

export function accessRoutes({ shards, idTokens }: AccessRoutesOptions): Route[] {
  return [
    route({
      plane: 'mgmt',
      method: 'GET',
      path: '/me',
      tag,
      summary: 'Who the token is',
      access: { who: 'any' },
      reply: { 200: Me },
      async handler({ caller }) {
        const { id, orgId, role, isSysop, scopes } = caller
        const name = await shards.query(orgId, orgName, { orgId })
        if (isRefusal(name)) return name
        return json(200, {
          caller: { kind: 'user', id },
          org: { id: orgId, ...(name !== null && { name }), role },
          isSysop,
          scopes: [...scopes],
          rateLimit: null,
        })
      },
    }),
    route({
      plane: 'mgmt',
      method: 'POST',
      path: '/session',
      tag,
      summary: 'Trade an API key for an ID token of one hour',
      access: { who: 'any', scopes: ['org:admin'] },
      body: SessionAsk,
      bodyOptional: true,
      reply: { 200: Session },
      errors: ['auth.forbidden', 'resource.not_found'],
      async handler({ caller, body }) {
        if (!idTokens.mint)
          return refuse('resource.not_found', { detail: 'Another issuer signs this node’s users in.' })
        if (caller.kind !== 'key') return refuse('auth.forbidden', { detail: 'A session is made with an API key.' })
        const role = (body as typeof body | undefined)?.role ?? 'admin'
        const session = { id: idFromBytes('ses', randomBytes(17)), orgId: caller.orgId, role, keyId: caller.id }
        const { idToken, expiresAt } = await idTokens.mint(session)
        return json(200, { idToken, expiresAt: new Date(expiresAt).toISOString() })
      },
    }),
    route({
      plane: 'mgmt',
      method: 'GET',
      path: '/.well-known/jwks.json',
      tag,
      summary: 'Public keys of the ID tokens this node signs',
      access: { who: 'public' },
      reply: { 200: Type.Object({ keys: Type.Array(Type.Object({}, { additionalProperties: true })) }) },
      handler: async () => json(200, await idTokens.jwks(), { 'cache-control': 'public, max-age=300' }),
    }),
    route({
      plane: 'mgmt',
      method: 'GET',
      path: '/emulator/session',
      tag,
      summary: 'The org and agent an emulator grant opens',
      access: { who: 'emulator' },
      reply: { 200: EmulatorSession },
      handler({ caller }) {
        const { orgId, agentId, form, expiresAt } = caller as VerifiedGrant
        return json(200, { orgId, agentId, kind: form, expiresAt: expiresAt && new Date(expiresAt).toISOString() })
      },
    }),
  ]
}

/** Who may call what: for every declared route, every way of being refused; then the tokens themselves. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import t from 'tap'
import {
  expandScopes,
  isAtLeast,
  restrictToKey,
  roleOfKey,
  roles,
  type Scope,
  scopes,
  scopesOfRole,
} from '../../core/access.js'
import { readConfig } from '../../runtime/config/config.js'
import type { Route } from '../../runtime/http/route.js'
import { nameOf } from '../contract/routes.js'
import { manualClock, waitUntil } from '../harness/clock.js'
import { openTestNode, type Response } from '../harness/node.js'

const node = await openTestNode()
t.teardown(() => node.close())
await node.makeOrg('elsewhere')
const planes = node.node.planes
const routes = [...planes.mgmt.routes, ...planes.gateway.routes]
const prefix = { mgmt: '/v1', gateway: '/v4' } as const

function call(route: Route, token: string | undefined, org = 'demo', json?: unknown): Promise<Response> {
  const path = prefix[route.plane] + route.path.replace('{org}', org).replace(/\{\w+\}/g, 'nothing-of-that-name')
  return node[route.plane](route.method, path, { token, json: json ?? (route.body ? {} : undefined) })
}

/** Every scope but those that would open the route. */
function scopesWithout(needed: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => !needed.some((need) => expandScopes([scope]).includes(need)))
}

const needs = (route: Route): readonly Scope[] => ('scopes' in route.access && route.access.scopes) || []
/** An agent of the org whose routes are called, and the token that it is. */
const agents = '/v1/orgs/demo/agents'
await node.mgmt('POST', agents, { token: node.key, json: { name: 'Ada' } })
const rotated = await node.mgmt('POST', `${agents}/ada/gateway/_rotateToken`, { token: node.key })
const accessToken: string = rotated.json.accessToken
const grantOf = async (path: string, { mgmt, key: token } = node): Promise<string> =>
  (await mgmt('POST', `${agents}/ada/${path}`, { token })).json.token
const [grant, sitting] = [await grantOf('emulator-links'), await grantOf('emulator/sittings')]
const journeyKey = await node.createKey(['integrations:journey'])
const sessions = Object.fromEntries(
  await Promise.all(roles.slice(0, 3).map(async (role) => [role, await node.createSession(role)])),
)

for (const route of routes) {
  t.test(`${nameOf(route)} admits the callers of the contract and no others`, async (t) => {
    const { access } = route
    if (access.who === 'public') {
      t.not((await call(route, undefined)).status, 401, 'it needs no token')
      t.not((await call(route, 'sk-svc-wrong')).status, 401, 'a token that is wrong does not matter')
      return
    }
    const wrong = [
      undefined,
      'sk-svc-wrong',
      `${node.key}x`,
      `${node.key.slice(0, -1)}${node.key.endsWith('a') ? 'b' : 'a'}`,
      'garbage',
      `${grant}x`,
      'v9.a.b',
      'eyJhbGciOiJub25lIn0.e30.',
    ]
    for (const token of wrong) {
      const { status, json, headers } = await call(route, token)
      t.equal(status, 401, `no entry with ${String(token).slice(0, 12)}`)
      t.equal(json.code, 'auth.unauthenticated')
      t.equal(headers['www-authenticate'], 'Bearer')
    }
    if (access.who === 'agent') {
      for (const token of [node.key, grant, sitting, sessions.admin, `${accessToken}x`]) {
        t.equal((await call(route, token)).status, 401, 'the token is the agent, and no other is')
      }
      t.notOk([401, 403].includes((await call(route, accessToken)).status), 'the agent’s own token is let in')
      return
    }
    t.equal((await call(route, accessToken)).status, 401, 'an agent token cannot manage')
    if (access.who === 'emulator') {
      t.equal((await call(route, node.key)).status, 403, 'an API key is no emulator grant')
      t.equal((await call(route, grant)).status, 200)
      return
    }
    for (const token of [grant, sitting]) {
      const { status, json } = await call(route, token)
      t.equal(status, 403, 'an emulator grant goes no further than its agent’s personas')
      t.equal(json.code, 'auth.emulator_grant.forbidden')
    }
    if (access.who === 'member' && route.path.includes('{org}')) {
      const foreign = await call(route, node.key, 'elsewhere')
      const unknown = await call(route, node.key, 'no-such-org')
      t.equal(foreign.status, 404, 'a token of another org gets nothing')
      t.equal(foreign.text, unknown.text, 'not even whether the org exists')
      t.same(Object.keys(foreign.headers), Object.keys(unknown.headers))
    }
    const floor = access.who === 'member' ? access.role : 'viewer'
    for (const role of roles.slice(0, roles.indexOf(floor))) {
      const { status, json } = await call(route, sessions[role])
      t.equal(status, 403, `a signed-in ${role} is below the floor`)
      t.equal(json.code, 'auth.forbidden')
    }
    if (needs(route).length > 0) {
      const without = scopesWithout(needs(route))
      for (const token of [
        await node.createKey(without),
        ...(needs(route).includes('integrations:journey') ? [] : [journeyKey]),
      ]) {
        if (needs(route).includes('catalogs:read') && token !== journeyKey) continue
        const { status, json } = await call(route, token)
        t.equal(status, 403, 'a key without the scope is refused')
        t.equal(json.code, 'auth.scope_missing')
      }
    }
    const welcome = await call(route, node.key)
    t.notOk([401, 403].includes(welcome.status), 'the key with every scope is let in')
    const closed = (route.body as { additionalProperties?: boolean } | undefined)?.additionalProperties === false
    if (route.body) {
      t.ok(closed, 'the body is closed')
      const { status, json } = await call(route, node.key, 'demo', { surprise: 1 })
      t.equal(status, route.malformedStatus ?? 422, 'a key the body does not know is refused')
      // A body of the classic style has no list of fields: its sentence names them.
      const named: { field: string }[] = json.errors ?? [{ field: /\bsurprise\b/.exec(json.message)?.[0] ?? '' }]
      t.ok(
        // Some resources name their fields with their own name before it.
        named.some(({ field }) => /^((scheduling|notifications|integration)\.)?surprise$/.test(field)),
        'and named',
      )
    }
  })
}

t.test('A scope implies the scopes that the contract lists', async (t) => {
  t.same(expandScopes(['agents:write']), ['agents:read', 'agents:write', 'catalogs:read'])
  t.same(expandScopes(['people:write']), ['people:read', 'people:write', 'people:export', 'catalogs:read'])
  t.same(expandScopes([]), ['catalogs:read'], 'the catalogs come with every token')
  t.same(expandScopes(['integrations:journey']), ['integrations:journey'], 'the journey scope implies no other')
  t.same([...scopesOfRole.viewer], ['agents:read', 'people:read', 'knowledge:read', 'messages:read', 'catalogs:read'])
  t.notOk(scopesOfRole.editor.includes('org:admin'))
  t.ok(scopesOfRole.admin.includes('webhooks:manage') && scopesOfRole.owner.includes('org:admin'))
  t.equal(roleOfKey([]), 'viewer')
  t.equal(roleOfKey(['agents:read', 'templates:apply']), 'editor')
  t.equal(roleOfKey(['org:admin']), 'admin')
  const anyScopes = fc.subarray([...scopes])
  fc.assert(
    fc.property(anyScopes, anyScopes, (one, other) => {
      const both = expandScopes([...one, ...other])
      return (
        expandScopes(one).every((scope) => both.includes(scope) || scope === 'catalogs:read') &&
        new Set(both).size === both.length
      )
    }),
  )
})

t.test('GET /me shows a key’s id, role, expanded scopes and whether it is the system operator’s', async (t) => {
  const me = (await node.mgmt('GET', '/v1/me', { token: node.key })).json
  t.match(me, {
    caller: { kind: 'user', id: /^key_/ },
    org: { id: 'demo', name: 'Demo', role: 'admin' },
    isSysop: true,
    rateLimit: null,
  })
  t.same(me.scopes, [...scopes])
  const reader = (await node.mgmt('GET', '/v1/me', { token: await node.createKey(['people:write']) })).json
  t.match(reader, { org: { role: 'editor' }, isSysop: false })
  t.same(reader.scopes, ['people:read', 'people:write', 'people:export', 'catalogs:read'])
  const user = (await node.mgmt('GET', '/v1/me', { token: sessions.viewer })).json
  t.match(user, { caller: { kind: 'user' }, org: { role: 'viewer' }, isSysop: false })
})

t.test('An emulator grant names the org and agent it opens, and its sitting ends after an hour', async (t) => {
  const link = await node.mgmt('GET', '/v1/emulator/session', { token: grant })
  t.match(link.json, { orgId: 'demo', agentId: 'ada', kind: 'link' })
  const clock = manualClock()
  const own = await openTestNode({ clock })
  t.teardown(() => own.close())
  await own.mgmt('POST', agents, { token: own.key, json: { name: 'Ada' } })
  const token = await grantOf('emulator/sittings', own)
  t.match((await own.mgmt('GET', '/v1/emulator/session', { token })).json, {
    kind: 'sitting',
    expiresAt: '2026-03-01T13:00:00.000Z',
  })
  t.equal((await node.mgmt('GET', '/v1/emulator/session', { token })).status, 401, 'another installation refuses it')
  await clock.advance(3_600_000)
  t.equal((await own.mgmt('GET', '/v1/emulator/session', { token })).status, 401)
})

t.test('A session lasts an hour, requests no more than admin, and ends with the key that created it', async (t) => {
  const clock = manualClock()
  const own = await openTestNode({ clock })
  t.teardown(() => own.close())
  const token = await own.createKey(['org:admin'])
  const { id: keyId } = (await own.mgmt('GET', '/v1/me', { token })).json.caller
  const made = await own.mgmt('POST', '/v1/session', { token, json: { role: 'viewer' } })
  t.equal(made.status, 200)
  t.equal(made.json.expiresAt, '2026-03-01T13:00:00.000Z')
  const me = await own.mgmt('GET', '/v1/me', { token: made.json.idToken })
  t.equal(me.json.org.role, 'viewer')
  t.match(me.json.caller.id, /^ses_/, 'a session is distinguished from its key')
  t.equal((await own.mgmt('POST', '/v1/session', { token })).status, 200, 'the body may be left out')
  t.equal((await own.mgmt('POST', '/v1/session', { token, json: { role: 'owner' } })).status, 422)
  t.equal(
    (await own.mgmt('POST', '/v1/session', { token: await own.createSession('admin') })).status,
    403,
    'a session makes no session',
  )
  const { keys } = (await own.mgmt('GET', '/v1/.well-known/jwks.json')).json
  t.match(keys, [{ kty: 'OKP', crv: 'Ed25519', use: 'sig', d: undefined }])
  t.equal(
    (await node.mgmt('GET', '/v1/me', { token: made.json.idToken })).status,
    401,
    'another installation does not accept it',
  )

  await own.mgmt('DELETE', `/v1/orgs/demo/api-keys/${keyId}`, { token: own.key })
  t.equal((await own.mgmt('GET', '/v1/me', { token: made.json.idToken })).status, 401)
  const other = (await own.mgmt('POST', '/v1/session', { token: own.key })).json.idToken
  t.equal((await own.mgmt('GET', '/v1/me', { token: other })).status, 200)
  await clock.advance(3_600_000)
  t.equal((await own.mgmt('GET', '/v1/me', { token: other })).status, 401, 'an hour later it is over')
})

t.test('A session never has more scopes than its key has at that moment', async (t) => {
  const own = await openTestNode()
  t.teardown(() => own.close())
  const keys = '/v1/orgs/demo/api-keys'
  const made = await own.mgmt('POST', keys, {
    token: own.key,
    json: { name: 'console', scopes: ['org:admin', 'agents:read'] },
  })
  const item = `${keys}/${made.json.id}`
  const { idToken: token } = (await own.mgmt('POST', '/v1/session', { token: made.json.key })).json
  t.same((await own.mgmt('GET', '/v1/me', { token })).json.scopes, ['agents:read', 'catalogs:read', 'org:admin'])
  t.equal((await own.mgmt('GET', keys, { token })).status, 200)
  const raised = await own.mgmt('PATCH', item, { token, json: { scopes: [...scopes] } })
  t.equal(raised.status, 422, 'a session does not change the scopes of its own key')

  await own.mgmt('PATCH', item, { token: own.key, json: { scopes: ['agents:read'] } })
  const me = (await own.mgmt('GET', '/v1/me', { token })).json
  t.equal(me.org.role, 'viewer')
  t.same(me.scopes, ['agents:read', 'catalogs:read'])
  t.equal((await own.mgmt('GET', keys, { token })).status, 403)
  t.equal((await own.mgmt('POST', keys, { token, json: { name: 'x', scopes: ['org:admin'] } })).status, 403)
  t.equal((await own.mgmt('POST', '/v1/orgs/demo/agents', { token, json: { name: 'B' } })).status, 403)

  await own.mgmt('PATCH', item, { token: own.key, json: { scopes: [...scopes] } })
  t.equal((await own.mgmt('GET', '/v1/me', { token })).json.org.role, 'admin', 'and follows it up again')
})

t.test('For any scopes of a key and a role, a session has those of both and the lower role', async () => {
  fc.assert(
    fc.property(fc.subarray([...scopes]), fc.constantFrom(...roles), (granted, role) => {
      const about = { id: 'x', orgId: 'demo', isSysop: false } as const
      const key = { ...about, kind: 'key', role: roleOfKey(granted), scopes: new Set(expandScopes(granted)) } as const
      const session = { ...about, kind: 'session', role, scopes: new Set(scopesOfRole[role]) } as const
      const bound = restrictToKey(session, key)
      return (
        scopes.every((scope) => bound.scopes.has(scope) === (key.scopes.has(scope) && session.scopes.has(scope))) &&
        isAtLeast(key.role, bound.role) &&
        isAtLeast(role, bound.role) &&
        [key.role, role].includes(bound.role)
      )
    }),
  )
})

t.test('Only system operators change and remove a system operator’s key, and they may create others', async (t) => {
  const own = await openTestNode()
  t.teardown(() => own.close())
  const keys = '/v1/orgs/demo/api-keys'
  const { id } = (await own.mgmt('GET', '/v1/me', { token: own.key })).json.caller
  const before = (await own.mgmt('GET', `${keys}/${id}`, { token: own.key })).json
  t.equal(before.isSysop, true)
  const session = (await own.mgmt('POST', '/v1/session', { token: own.key })).json.idToken
  for (const token of [await own.createKey([...scopes]), await own.createKey(['org:admin']), session]) {
    for (const json of [{ scopes: [] }, { name: 'mine' }, { expiresAt: '2099-01-01T00:00:00Z' }]) {
      const changed = await own.mgmt('PATCH', `${keys}/${id}`, { token, json })
      t.ok([403, 422].includes(changed.status), `${JSON.stringify(json)} is refused`)
    }
    const removed = await own.mgmt('DELETE', `${keys}/${id}`, { token })
    t.equal(removed.status, 403)
    t.equal(removed.json.code, 'auth.forbidden')
    const made = await own.mgmt('POST', keys, { token, json: { name: 'operator', isSysop: true } })
    t.equal(made.status, 403, 'nor do they make one')
  }
  const { lastUsedAt: _1, ...unchanged } = before
  t.match((await own.mgmt('GET', `${keys}/${id}`, { token: own.key })).json, unchanged)

  const second = await own.mgmt('POST', keys, {
    token: own.key,
    json: { name: 'operator', scopes: [...scopes], isSysop: true },
  })
  t.equal(second.status, 201)
  t.match((await own.mgmt('GET', '/v1/me', { token: second.json.key })).json, { isSysop: true })
  t.equal((await own.mgmt('DELETE', `${keys}/${id}`, { token: second.json.key })).status, 204)
  t.equal((await own.mgmt('GET', '/v1/me', { token: own.key })).status, 401)
  t.equal((await own.mgmt('GET', '/v1/system/status', { token: second.json.key })).status, 200)
})

t.test('A start with PARLEY_RECOVER makes the given key the system operator’s again', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const keys = '/v1/orgs/demo/api-keys'
  const env = { PARLEY_BOOTSTRAP_KEY: 'sk-svc-a-key-that-the-operator-chose' }
  const token = env.PARLEY_BOOTSTRAP_KEY
  const first = await openTestNode({ dir, env })
  const { id } = (await first.mgmt('GET', '/v1/me', { token })).json.caller
  t.equal((await first.mgmt('DELETE', `${keys}/${id}`, { token })).status, 204)
  await first.close()

  const without = await openTestNode({ dir, env })
  t.equal((await without.mgmt('GET', '/v1/me', { token })).status, 401, 'the variable alone restores nothing')
  await without.close()

  for (const time of ['once', 'twice']) {
    const recovered = await openTestNode({ dir, env: { ...env, PARLEY_RECOVER: 'true' } })
    const me = await recovered.mgmt('GET', '/v1/me', { token })
    t.match(me.json, { isSysop: true, org: { id: 'demo', role: 'admin' }, scopes: [...scopes] }, `asked ${time}`)
    t.equal((await recovered.mgmt('GET', keys, { token })).json.data.length, 1)
    const { data } = (await recovered.mgmt('GET', '/v1/orgs/demo/audit?action=operator_key', { token })).json
    t.equal(data.length, time === 'once' ? 1 : 2)
    t.match(data[0], { action: 'operator_key.recovered', actor: { kind: 'system' }, target: me.json.caller.id })
    t.equal(recovered.logged.filter(({ action }) => action === 'operator_key.recovered').length, 1)
    await recovered.close()
  }

  const weaker = await openTestNode({ dir, env })
  const [{ id: weakerKeyId }] = (await weaker.mgmt('GET', keys, { token })).json.data
  const other = (await weaker.mgmt('POST', keys, { token, json: { name: 'o', scopes: [...scopes], isSysop: true } }))
    .json
  const demoted = { scopes: [], expiresAt: '2026-03-01T12:00:01Z' }
  t.equal((await weaker.mgmt('PATCH', `${keys}/${weakerKeyId}`, { token: other.key, json: demoted })).status, 200)
  await weaker.close()
  const raised = await openTestNode({ dir, env: { ...env, PARLEY_RECOVER: 'true' } })
  const me = (await raised.mgmt('GET', '/v1/me', { token })).json
  t.match(
    me,
    { caller: { id: weakerKeyId }, isSysop: true, scopes: [...scopes] },
    'a key that was only weakened keeps its id',
  )
  t.notOk('expiresAt' in (await raised.mgmt('GET', `${keys}/${weakerKeyId}`, { token })).json)
  await raised.close()
  t.match(readConfig({ PARLEY_RECOVER: 'true' }), { problems: [/PARLEY_BOOTSTRAP_KEY/] }, 'it needs a key to give')
})

t.test('ID tokens of a configured issuer are checked by its published keys', async (t) => {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const stranger = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
  const issuer = createServer((request, response) => {
    const body = request.url?.includes('openid-configuration')
      ? { issuer: url, jwks_uri: `${url}/keys` }
      : { keys: [jwk] }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`
  const clock = manualClock()
  const own = await openTestNode({ clock, env: { PARLEY_OIDC_ISSUER: url, PARLEY_OIDC_AUDIENCE: 'console' } })
  t.teardown(async () => {
    await own.close()
    issuer.close()
  })
  const sign = (
    claims: Record<string, unknown>,
    about: { iss?: string; aud?: string; key?: typeof privateKey; exp?: number } = {},
  ) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setSubject('user-7')
      .setIssuer(about.iss ?? url)
      .setAudience(about.aud ?? 'console')
      .setExpirationTime(about.exp ?? Math.floor(clock.now() / 1000) + 60)
      .sign(about.key ?? privateKey)
  const me = async (token: string) => (await own.mgmt('GET', '/v1/me', { token })).status
  const good = { org: 'demo', role: 'editor' }

  const { json } = await own.mgmt('GET', '/v1/me', { token: await sign(good) })
  t.match(json, { caller: { id: 'user-7' }, org: { id: 'demo', role: 'editor' } })
  t.equal(await me(await sign(good, { iss: 'http://other' })), 401, 'another issuer')
  t.equal(await me(await sign(good, { aud: 'other' })), 401, 'another audience')
  t.equal(await me(await sign(good, { key: stranger.privateKey })), 401, 'another key')
  t.equal(await me(await sign(good, { exp: Math.floor(clock.now() / 1000) - 1 })), 401, 'run out')
  t.equal(await me(await sign({ org: 'demo', role: 'emperor' })), 401, 'a role that does not exist')
  t.equal(await me(await sign({ role: 'admin' })), 401, 'no org')
  const token = await sign(good)
  t.equal(await me(token), 200)
  await clock.advance(61_000)
  t.equal(await me(token), 401, 'a remembered token ends when it says')
  t.equal((await own.mgmt('POST', '/v1/session', { token: own.key })).status, 404, 'the node itself issues none then')
  t.same((await own.mgmt('GET', '/v1/.well-known/jwks.json')).json, { keys: [] })
})

t.test('An API key appears once, is kept as a hash, and can be read, changed and revoked', async (t) => {
  const clock = manualClock()
  const own = await openTestNode({ clock })
  t.teardown(() => own.close())
  const keys = '/v1/orgs/demo/api-keys'
  const token = own.key
  await clock.advance(1_000)
  const made = await own.mgmt('POST', keys, {
    token,
    json: { name: 'CI', scopes: ['agents:write'], description: 'builds' },
  })
  t.equal(made.status, 201)
  t.match(made.json, {
    id: /^key_/,
    name: 'CI',
    key: /^sk-svc-[0-9A-Za-z]{39}$/,
    scopes: ['agents:write'],
    createdAt: '2026-03-01T12:00:01.000Z',
  })
  t.ok(made.json.key.startsWith(made.json.prefix))
  const { id, key } = made.json
  const item = `${keys}/${id}`
  t.notMatch((await own.mgmt('GET', item, { token })).text, key)
  const { data } = (await own.mgmt('GET', keys, { token })).json
  t.same(
    data.map((each: { name: string }) => each.name),
    ['Bootstrap key', 'CI'],
  )

  t.equal((await own.mgmt('GET', '/v1/me', { token: key })).status, 200)
  await waitUntil(async () => 'lastUsedAt' in (await own.mgmt('GET', item, { token })).json)
  t.equal((await own.mgmt('GET', item, { token })).json.lastUsedAt, '2026-03-01T12:00:01.000Z')

  const patched = await own.mgmt('PATCH', item, {
    token,
    json: { description: null, scopes: ['people:read'], expiresAt: '2026-03-01T13:00:00Z' },
  })
  t.equal(patched.status, 200)
  t.notOk('description' in patched.json)
  t.same(
    (await own.mgmt('GET', '/v1/me', { token: key })).json.scopes,
    ['people:read', 'catalogs:read'],
    'new scopes count at once',
  )
  await clock.advance(3_600_000)
  t.equal((await own.mgmt('GET', '/v1/me', { token: key })).status, 401, 'an expired key is refused')
  await own.mgmt('PATCH', item, { token, json: { expiresAt: null } })
  t.equal((await own.mgmt('GET', '/v1/me', { token: key })).status, 200, 'and accepted again when the expiry is lifted')

  t.equal((await own.mgmt('DELETE', item, { token })).status, 204)
  t.equal((await own.mgmt('GET', '/v1/me', { token: key })).status, 401, 'a revoked key is refused at once')
  for (const method of ['GET', 'PATCH', 'DELETE'])
    t.equal((await own.mgmt(method, item, { token, json: {} })).status, 404)
})

t.test('An invalid creation or change of a key names the field, and changes nothing', async (t) => {
  const own = await openTestNode()
  t.teardown(() => own.close())
  const keys = '/v1/orgs/demo/api-keys'
  const token = own.key
  const before = (await own.mgmt('GET', keys, { token })).json.data.length
  const bad: [unknown, string][] = [
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x', scopes: ['everything'] }, 'scopes[0]'],
    [{ name: 'x', scopes: ['agents:read', 'agents:read'] }, 'scopes'],
    [{ name: 'x', expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    [{ name: 'x', key: 'sk-svc-mine' }, 'key'],
    [[], 'body'],
    [null, 'body'],
  ]
  for (const [json, field] of bad) {
    const answer = await own.mgmt('POST', keys, { token, json })
    t.equal(answer.status, 422)
    t.equal(answer.json.code, 'request.invalid')
    t.ok(
      answer.json.errors.some((error: { field: string }) => error.field === field),
      `${JSON.stringify(json)} names ${field}`,
    )
  }
  t.equal((await own.mgmt('GET', keys, { token })).json.data.length, before)
  const { id } = (await own.mgmt('GET', '/v1/me', { token })).json.caller
  const self = await own.mgmt('PATCH', `${keys}/${id}`, { token, json: { scopes: ['org:admin'] } })
  t.equal(self.status, 422, 'a key cannot change its own scopes')
  t.equal(
    (await own.mgmt('POST', keys, { token, json: { name: 'least' } })).json.scopes.length,
    0,
    'without requested scopes there are none',
  )
})

t.test('Any token of an org reads it, and its admins change it', async (t) => {
  const own = await openTestNode()
  t.teardown(() => own.close())
  const token = own.key
  const reader = await own.createKey(['integrations:journey'])
  t.match((await own.mgmt('GET', '/v1/orgs/demo', { token: reader })).json, {
    id: 'demo',
    name: 'Demo',
    features: [],
    products: [],
  })
  const changed = await own.mgmt('PATCH', '/v1/orgs/demo', {
    token,
    json: { name: 'Ada & Co', timeZone: 'Europe/London', description: 'x' },
  })
  t.match(changed.json, { name: 'Ada & Co', timeZone: 'Europe/London', description: 'x' })
  const cleared = await own.mgmt('PATCH', '/v1/orgs/demo', { token, json: { timeZone: null, description: null } })
  t.notOk('timeZone' in cleared.json || 'description' in cleared.json)
  t.equal(cleared.json.name, 'Ada & Co')
  t.equal((await own.mgmt('PATCH', '/v1/orgs/demo', { token, json: {} })).status, 400, 'nothing to change')
  for (const [json, field] of [
    [{ timeZone: 'Mars/Base' }, 'timeZone'],
    [{ id: 'x' }, 'id'],
    [{ name: null }, 'name'],
    [{ name: '   ' }, 'name'],
    [{ name: 'a\u0000b' }, 'name'],
  ] as const) {
    const answer = await own.mgmt('PATCH', '/v1/orgs/demo', { token, json })
    t.equal(answer.status, 422)
    t.equal(answer.json.errors[0].field, field)
  }
})

t.test('X-Svc-Agent is recorded when it is well formed, ignored otherwise, and never decides', async (t) => {
  const own = await openTestNode()
  t.teardown(() => own.close())
  for (const name of ['mcp.copilot-1', 'Not Allowed', 'a'.repeat(33)]) {
    const request = { token: own.key, json: { name: 'x' }, headers: { 'x-svc-agent': name } }
    t.equal((await own.mgmt('POST', '/v1/orgs/demo/api-keys', request)).status, 201)
  }
  const recorded = own.logged.filter(({ event }) => event === 'http.request.attributed')
  t.match(recorded, [{ svcAgent: 'mcp.copilot-1', method: 'POST', path: '/orgs/{org}/api-keys', outcome: 201 }])
  t.equal(recorded.length, 1)
})

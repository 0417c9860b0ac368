/** The routes of an agent's media: uploading, serving, listing and deleting pictures and files. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { agentLimits, knowledge as limits } from '../../../core/limits/index.js'
import type { Shards } from '../../../runtime/shard/contract.js'
import { waitUntil } from '../../harness/clock.js'
import { withSerialization } from '../../harness/serialization.js'
import { jpeg, pdf, png } from '../../runtime/media/samples.js'
import { fieldsOf, openAgentsFixture } from '../agents/fixture.js'

/** Commands that are not let through to their shard. */
const lost = new Set<string>()
const between = <S extends Shards>(shards: S): S => {
  const all = withSerialization(shards)
  return {
    ...all,
    execute: async (owner, command, input, options) =>
      lost.has(command.name) ? { refused: 'service.unavailable' } : all.execute(owner, command, input, options),
  } as S
}
const fixture = await openAgentsFixture({ wrapShards: between })
t.teardown(() => fixture.node.close())

const upload = (id: string, query: string, body: Uint8Array, type = 'application/octet-stream') =>
  fixture.node.mgmt('POST', `/v1/orgs/demo/agents/${id}/media${query}`, {
    token: fixture.node.key,
    body,
    headers: { 'content-type': type },
  })
const files = async () => (await readdir(join(fixture.node.dir, 'media'))).sort()
const pathOf = (url: string) => new URL(url).pathname

t.test('An upload has the type of its content, and is served at its url', async (t) => {
  const { id, call } = await fixture.agent()
  const made = await upload(id, '?name=Our%20logo.png', png, 'text/html')
  t.equal(made.status, 201)
  const at = new Date(fixture.node.clock.now()).toISOString()
  const { url, ...rest } = made.json
  t.strictSame(rest, {
    id: 'our-logo',
    name: 'Our logo.png',
    contentType: 'image/png',
    bytes: png.length,
    createdAt: at,
  })
  t.match(url, /^http:\/\/gateway\.test\/v4\/media\/[0-9a-z]{26}\.png$/)
  const served = await fixture.node.gateway('GET', pathOf(url))
  t.equal(served.status, 200)
  t.equal(served.headers['content-type'], 'image/png')
  t.equal(served.text, png.toString())
  t.strictSame((await call('GET', '/media/our-logo')).json, made.json)
  t.equal((await upload(id, '?name=Our%20logo.jpg', jpeg)).json.id, 'our-logo-2')
  t.match((await upload(id, '?id=menu', pdf)).json, { id: 'menu', contentType: 'application/pdf' })
  t.equal((await upload(id, '', png)).json.id, 'media')
  t.same(fieldsOf(await upload(id, '?id=menu', pdf)), ['id'])
  t.same(fieldsOf(await upload(id, '?id=Not+a+slug', pdf)), ['id'])
})

t.test('Content of an unknown type is refused under any name', async (t) => {
  const { id, call } = await fixture.agent()
  const before = await files()
  for (const body of ['<svg onload="alert(1)">', '<html>', '#!/bin/sh', '', '{"a":1}']) {
    for (const type of ['image/png', 'application/json', 'text/html']) {
      const refused = await upload(id, '?name=x.png', Buffer.from(body), type)
      t.equal(refused.status, 415, `${body} as ${type}`)
      t.equal(refused.json.code, 'request.unsupported_media_type')
    }
  }
  t.equal(
    (await upload(id, '', Buffer.concat([png, Buffer.alloc(agentLimits.media.bytes - png.length + 1)]))).status,
    413,
  )
  t.strictSame((await call('GET', '/media')).json, { data: [] })
  t.same(await files(), before)
  const whole = await upload(id, '', Buffer.concat([png, Buffer.alloc(agentLimits.media.bytes - png.length)]))
  t.equal(whole.json.bytes, agentLimits.media.bytes, 'ten MiB are accepted')
  t.equal((await upload('nobody', '', png)).status, 404)
})

t.test('A media item that a template, a playbook, a Fact or a Thing names cannot be deleted', async (t) => {
  const { id, call } = await fixture.agent()
  await upload(id, '?id=logo', png)
  for (const [path, body, field, drop] of [
    [
      '/message-templates',
      { id: 'm', name: 'M', body: 'See image:logo' },
      'messageTemplates[0].body',
      '/message-templates/m',
    ],
    ['/playbooks', { id: 'p', name: 'P', body: 'Show image:logo first.' }, 'playbooks[0].body', '/playbooks/p'],
    [
      '/knowledge/facts',
      { id: 'f', question: 'Q', answer: 'Look: image:logo' },
      'facts[0].answer',
      '/knowledge/facts/f',
    ],
  ] as const) {
    t.equal((await call('POST', path, body)).status, 201, path)
    const conflict = await call('DELETE', '/media/logo')
    t.equal(conflict.status, 409)
    t.equal(conflict.json.code, 'agent.integrity_conflict')
    t.same(fieldsOf(conflict), [field])
    t.equal((await call('DELETE', drop)).status, 204)
  }
  await call('PUT', '/knowledge/things', { things: [{ id: 'x', name: 'X', media: 'image:logo' }] })
  t.same(fieldsOf(await call('DELETE', '/media/logo')), ['things[0].media'])
  t.equal((await call('GET', '/media/logo')).status, 200)
  await call('PUT', '/knowledge/things', { things: [] })
  t.equal((await call('DELETE', '/media/logo')).status, 204)
})

t.test('A deleted media item loses its bytes, and a deleted agent all of them', async (t) => {
  const { id, call } = await fixture.agent()
  const before = await files()
  const { url } = (await upload(id, '?id=a', png)).json
  await upload(id, '?id=b', jpeg)
  t.equal((await files()).length, before.length + 2)
  t.equal((await call('DELETE', '/media/a')).status, 204)
  await waitUntil(async () => (await files()).length === before.length + 1)
  t.equal((await fixture.node.gateway('GET', pathOf(url))).status, 404)
  for (const method of ['GET', 'DELETE']) t.equal((await call(method, '/media/a')).status, 404)
  t.equal((await call('DELETE', '')).status, 204)
  await waitUntil(async () => (await files()).length === before.length)
  t.same(await files(), before)
})

t.test('A failed upload leaves nothing behind', async (t) => {
  const { id, call } = await fixture.agent()
  const before = await files()
  await upload(id, '?id=taken', png)
  const one = (await files()).length
  t.equal((await upload(id, '?id=taken', png)).status, 422)
  await waitUntil(async () => (await files()).length === one)
  const stale = (await call('GET', '/media')).headers.etag!
  await upload(id, '?id=other', png)
  const refused = await fixture.node.mgmt('POST', `/v1/orgs/demo/agents/${id}/media`, {
    token: fixture.node.key,
    body: png,
    headers: { 'content-type': 'image/png', 'if-match': stale },
  })
  t.equal(refused.status, 412)
  await waitUntil(async () => (await files()).length === one + 1)

  lost.add('knowledge.addMedia').add('knowledge.abandonUpload')
  t.equal((await upload(id, '?id=lost', png)).status, 503)
  t.equal((await files()).length, one + 2, 'the uploading process may die at any time')
  lost.clear()
  await fixture.node.clock.advance(limits.unfinishedMs)
  await waitUntil(async () => (await files()).length === one + 1, fixture.node.clock)
  t.equal((await call('GET', '/media')).json.data.length, 2)
  t.ok(before.length < one)
})

t.test('Media is listed in pages, with the scopes of agents', async (t) => {
  const { id, call } = await fixture.agent()
  for (const nth of [1, 2, 3]) await upload(id, `?id=m${nth}`, png)
  const first = await call('GET', '/media?limit=2')
  t.same(
    first.json.data.map((each: { id: string }) => each.id),
    ['m1', 'm2'],
  )
  const rest = await call('GET', `/media?limit=2&pageToken=${first.json.nextPageToken}`)
  t.same(
    rest.json.data.map((each: { id: string }) => each.id),
    ['m3'],
  )
  t.notOk('nextPageToken' in rest.json)
  const reader = fixture.callAs(await fixture.node.createKey(['agents:read']), id)
  t.equal((await reader('GET', '/media/m1')).status, 200)
  t.equal((await reader('DELETE', '/media/m1')).json.code, 'auth.scope_missing')
  const other = fixture.callAs(await fixture.node.createKey(['knowledge:write']), id)
  t.equal((await other('GET', '/media')).json.code, 'auth.scope_missing')
})

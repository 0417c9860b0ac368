/** Ending sign-ins: who used a connection, the grant that is taken back however long that takes, and agents that go. */
import t from 'tap'
import { oauth as limits } from '../../../core/limits/index.js'
import { createRevocationHandler } from '../../../mgmt/connections/revocation.js'
import type { EffectContext } from '../../../runtime/shard/contract.js'
import { flushPending, waitUntil } from '../../harness/clock.js'
import { calendar, openConnectionFixture } from './fixture.js'

const fixture = await openConnectionFixture(t)
const { provider, node } = fixture
const revocations = () => provider.count('/token/revocation')

/** Waits until no token that was ever given is worth anything. */
async function waitForRevocations(): Promise<void> {
  for (const token of provider.given) await waitUntil(async () => !(await provider.isGood(token)), node.clock)
}

async function agentUsing(id: string, name: string, connectionId: string): Promise<void> {
  await fixture.call('POST', '/orgs/demo/agents', { id, name })
  const path = `/orgs/demo/agents/${id}/tool-bindings/${encodeURIComponent(calendar)}`
  t.equal((await fixture.call('PUT', path, { config: { connectionId } })).status, 200)
}

t.test('A connection lists the agents whose tools name it, by their current names', async (t) => {
  const id = await fixture.connect({ label: 'Shared' })
  const other = await fixture.connect({ label: 'Other' })
  await agentUsing('a1', 'Zoe', id)
  await agentUsing('a2', 'Ada', id)
  await agentUsing('a3', 'Mia', id)
  await agentUsing('a4', 'Bob', other)
  const usedBy = async () => (await fixture.call('GET', `/orgs/demo/connections/${id}`)).json.usedBy
  t.strictSame(await usedBy(), [
    { agentId: 'a2', name: 'Ada' },
    { agentId: 'a3', name: 'Mia' },
    { agentId: 'a1', name: 'Zoe' },
  ])
  await fixture.call('PATCH', '/orgs/demo/agents/a1', { name: 'Abe' })
  await fixture.call('DELETE', '/orgs/demo/agents/a2')
  await fixture.call('DELETE', `/orgs/demo/agents/a3/tool-bindings/${encodeURIComponent(calendar)}`)
  t.strictSame(await usedBy(), [{ agentId: 'a1', name: 'Abe' }])
  const { data } = (await fixture.call('GET', '/orgs/demo/connections')).json
  const usage = data.map((each: { label: string; usedBy: unknown }) => [each.label, each.usedBy])
  t.strictSame(Object.fromEntries(usage), {
    Shared: [{ agentId: 'a1', name: 'Abe' }],
    Other: [{ agentId: 'a4', name: 'Bob' }],
  })

  const disconnected = await fixture.call('DELETE', `/orgs/demo/connections/${id}`)
  t.equal(disconnected.status, 200)
  t.strictSame(
    disconnected.json,
    { disconnected: true, usedBy: [{ agentId: 'a1', name: 'Abe' }] },
    'use never refuses it',
  )
  t.equal((await fixture.call('GET', `/orgs/demo/connections/${id}`)).status, 404)
  t.equal((await fixture.call('DELETE', `/orgs/demo/connections/${id}`)).status, 404)
  const binding = await fixture.call('GET', `/orgs/demo/agents/a1/tool-bindings/${encodeURIComponent(calendar)}`)
  t.equal(binding.json.config.connectionId, id, 'the binding stays')
  await waitUntil(() => revocations() > 0, node.clock)
  await fixture.call('DELETE', `/orgs/demo/connections/${other}`)
  await waitForRevocations()
  t.pass('and the grant is taken back at the provider')
})

t.test('An unreachable provider never keeps a credential alive here, and gets the revocation later', async (t) => {
  const id = await fixture.connect({ label: 'Away' })
  const before = revocations()
  provider.mode = 'gone'
  t.equal((await fixture.call('DELETE', `/orgs/demo/connections/${id}`)).status, 200)
  t.equal((await fixture.call('GET', `/orgs/demo/connections/${id}`)).status, 404)
  await waitUntil(() => revocations() > before, node.clock)
  provider.mode = 'unwell'
  const tried = revocations()
  await waitUntil(async () => {
    await node.clock.advance(1_000)
    return revocations() > tried
  })
  provider.mode = 'well'
  await waitUntil(async () => {
    await node.clock.advance(60_000)
    return !(await provider.isGood(provider.given.at(-2)!))
  })
  await waitForRevocations()
  t.pass('it was tried until it came through')
})

t.test('Revocation at a provider that is unreachable for a day is abandoned and logged', async (t) => {
  let now = 0
  let revokeCalls = 0
  const warnings: [string, unknown][] = []
  const revoked = createRevocationHandler({
    provider: {
      async revoke() {
        revokeCalls += 1
        return { ok: false, reason: 'unreachable' }
      },
    },
    sealer: { open: async () => '{"accessToken":"at"}' },
    clock: { now: () => now },
    log: { warn: (event, fields) => void warnings.push([event, fields]) },
  })
  const payload = { orgId: 'demo', provider: 'calendar', tokens: { sealed: new Uint8Array(), sealedFor: 'x' } }
  const runRevocation = (id: string) => revoked(payload, { id } as EffectContext)
  await t.rejects(runRevocation('one'))
  now = limits.revokeForMs - 1
  await t.rejects(runRevocation('one'))
  await t.rejects(runRevocation('two'), 'each has a day of its own')
  t.same(warnings, [])
  now = limits.revokeForMs
  await t.resolves(runRevocation('one'))
  t.same(warnings, [['connection.revocation_given_up', { orgId: 'demo', provider: 'calendar', why: 'unreachable' }]])
  await t.rejects(runRevocation('two'))
  t.equal(revokeCalls, 5)
})

t.test('A tool can be disconnected repeatedly, and its binding stays', async (t) => {
  await fixture.call('PUT', `/orgs/demo/agents/nova/tool-bindings/${encodeURIComponent(calendar)}`, { config: {} })
  await fixture.returnToCallback(await fixture.signIn())
  t.equal((await fixture.tool('GET', '/status')).json.status, 'connected')
  for (let time = 0; time < 2; time++) {
    const disconnected = await fixture.tool('POST', '/disconnect')
    t.equal(disconnected.status, 200)
    t.strictSame(disconnected.json, { status: 'not-connected' })
  }
  t.strictSame((await fixture.tool('GET', '/status')).json, { status: 'not-connected' })
  const token = provider.given.at(-2)!
  await waitUntil(async () => !(await provider.isGood(token)), node.clock)
  const binding = await fixture.call('GET', `/orgs/demo/agents/nova/tool-bindings/${encodeURIComponent(calendar)}`)
  t.equal(binding.status, 200)
  const statusEvents = await fixture.events(2, ({ agentId }) => agentId === 'nova')
  t.same(statusEvents.map(({ data }) => data.to).sort(), ['connected', 'not-connected'], 'reported once')
})

t.test('A tool whose binding is removed in any way loses its sign-in with its other secrets', async (t) => {
  const path = `/orgs/demo/agents/nova/tool-bindings/${encodeURIComponent(calendar)}`
  const ways = [
    () => fixture.call('DELETE', path),
    () => fixture.call('POST', '/orgs/demo/agents/nova/import', { toolBindings: [] }),
  ]
  for (const removeBinding of ways) {
    await fixture.call('PUT', path, { config: {} })
    await fixture.returnToCallback(await fixture.signIn())
    const token = provider.given.at(-2)!
    await fixture.call('PATCH', path, { config: { bufferMinutes: 5 } })
    t.equal((await fixture.tool('GET', '/status')).json.status, 'connected', 'a change of the binding leaves it')
    t.ok((await removeBinding()).status < 300)
    t.strictSame((await fixture.tool('GET', '/status')).json, { status: 'not-connected' })
    await waitUntil(async () => !(await provider.isGood(token)), node.clock)
  }
})

t.test('A deleted agent loses its sign-ins, including pending ones', async (t) => {
  await fixture.returnToCallback(await fixture.signIn())
  const token = provider.given.at(-2)!
  const waiting = await fixture.signIn()
  t.equal((await fixture.call('DELETE', '/orgs/demo/agents/nova')).status, 204)
  await waitUntil(async () => !(await provider.isGood(token)), node.clock)
  await fixture.call('POST', '/orgs/demo/agents', { name: 'Nova', id: 'nova' })
  t.strictSame(
    (await fixture.tool('GET', '/status')).json,
    { status: 'not-connected' },
    'a new agent with the same id has none',
  )
  t.equal((await fixture.returnToCallback(waiting)).status, 400)
  t.strictSame((await fixture.tool('GET', '/status')).json, { status: 'not-connected' })
  await flushPending()
  const output = fixture.everythingText()
  for (const each of provider.given) t.notOk(output.includes(each), 'and no token is in any answer or in the log')
})

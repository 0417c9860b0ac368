/** Connecting again what was disconnected: the id stays, and the tools that name it say how it stands. */
import t from 'tap'
import { calendar, openConnectionFixture, returnTo } from './fixture.js'

const fixture = await openConnectionFixture(t)
const { provider } = fixture
const bindingPath = (agent: string) => `/orgs/demo/agents/${agent}/tool-bindings/${encodeURIComponent(calendar)}`

/** The outcome that a browser is sent back with. */
async function outcomeOf(url: URL): Promise<Record<string, string>> {
  const back = await fixture.returnToCallback(url)
  const outcome = new URL(String(back.headers.location)).searchParams
  outcome.delete('tab')
  return Object.fromEntries(outcome)
}

async function reconnect(id: string, account?: string): Promise<Record<string, string>> {
  const begun = await fixture.call('POST', `/orgs/demo/connections/${id}/_reconnect`, { returnTo })
  t.equal(begun.status, 200)
  return outcomeOf(await provider.signIn(begun.json.authorizationUrl, account))
}

t.test('A sign-in with the same provider and account connects a disconnected connection under its id', async (t) => {
  const id = await fixture.connect({ label: 'Front' })
  t.equal((await fixture.call('PUT', bindingPath('nova'), { config: { connectionId: id } })).status, 200)
  t.equal((await fixture.call('DELETE', `/orgs/demo/connections/${id}`)).status, 200)
  t.equal((await fixture.call('GET', `/orgs/demo/connections/${id}`)).status, 404)
  t.equal(await fixture.connect({ label: 'Front' }), id, 'the same label')
  const read = (await fixture.call('GET', `/orgs/demo/connections/${id}`)).json
  t.match(read, { status: 'connected', label: 'Front', usedBy: [{ agentId: 'nova' }] })

  await fixture.call('DELETE', `/orgs/demo/connections/${id}`)
  const other = await fixture.connect({ label: 'Front' }, 'grace')
  t.not(other, id, 'another account is another connection')
  t.equal(await fixture.connect({}), id, 'without a label the account finds it')
  t.match((await fixture.call('GET', `/orgs/demo/connections/${id}`)).json, { label: 'Front' })
  await fixture.call('DELETE', `/orgs/demo/connections/${other}`)
  await fixture.call('DELETE', `/orgs/demo/connections/${id}`)
})

t.test('_reconnect keeps the id, requires the account of the connection, and knows no other id', async (t) => {
  const id = await fixture.connect({ label: 'Asked' })
  t.strictSame(await reconnect(id), { oauthStatus: 'success', connectionId: id }, 'one that is connected')
  await fixture.call('DELETE', `/orgs/demo/connections/${id}`)
  t.strictSame(await reconnect(id, 'grace'), { oauthStatus: 'error', reason: 'other_account' })
  t.equal((await fixture.call('GET', `/orgs/demo/connections/${id}`)).status, 404, 'which changes nothing')
  t.strictSame(await reconnect(id), { oauthStatus: 'success', connectionId: id })
  t.match((await fixture.call('GET', `/orgs/demo/connections/${id}`)).json, { id, label: 'Asked', status: 'connected' })
  const unknown = await fixture.call('POST', '/orgs/demo/connections/conn_never/_reconnect', {})
  t.match(unknown, { status: 404, json: { code: 'resource.not_found' } })
  await fixture.call('DELETE', `/orgs/demo/connections/${id}`)
})

t.test('configStatus names a connection that is missing or not connected', async (t) => {
  const path = bindingPath('nova')
  const id = await fixture.connect({ label: 'Status' })
  const config = { connectionId: id, calendarUrl: 'https://cal.example/dav' }
  const put = await fixture.call('PUT', path, { config })
  t.equal(put.status, 200)
  t.strictSame(put.json.configStatus, { complete: true, missing: [] })
  await fixture.call('DELETE', `/orgs/demo/connections/${id}`)
  const dead = { complete: false, missing: ['connectionId'], connection: { id, status: 'not-connected' } }
  const read = await fixture.call('GET', path)
  t.strictSame(read.json.configStatus, dead)
  const { data } = (await fixture.call('GET', path.slice(0, path.lastIndexOf('/')))).json
  t.strictSame(data[0].configStatus, dead)
  const repeated = await fixture.call('PUT', path, read.json)
  t.equal(repeated.status, 200, 'a read is put back')
  t.strictSame(repeated.json.configStatus, dead)
  t.strictSame((await fixture.call('POST', `${path}/_disable`)).json.configStatus, dead)
  await reconnect(id)
  t.strictSame((await fixture.call('GET', path)).json.configStatus, { complete: true, missing: [] })
})

t.test('A tool binding can only name a connection of the org', async (t) => {
  const path = bindingPath('nova')
  const before = (await fixture.call('GET', path)).json
  for (const method of ['PUT', 'PATCH']) {
    const refused = await fixture.call(method, path, { config: { connectionId: 'conn_never' } })
    t.match(refused, { status: 422, json: { code: 'request.invalid', errors: [{ field: 'config.connectionId' }] } })
  }
  t.strictSame((await fixture.call('GET', path)).json, before)
  const document = { toolBindings: [{ toolId: calendar, config: { connectionId: 'conn_elsewhere' } }] }
  t.equal((await fixture.call('POST', '/orgs/demo/agents/nova/import', document)).status, 200)
  const brought = await fixture.call('GET', path)
  const connection = { id: 'conn_elsewhere', status: 'not-connected' }
  t.match(brought.json.configStatus, { complete: false, connection }, 'an import brings ids of another org')
  t.equal((await fixture.call('PUT', path, brought.json)).status, 200, 'the stored value may be sent back')
  const none = '/orgs/demo/agents/nobody/tool-bindings/x'
  t.equal((await fixture.call('PUT', none, { config: { connectionId: 'conn_never' } })).status, 404)
})

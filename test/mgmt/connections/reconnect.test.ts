/** Connecting again what was disconnected: the id stays, and the tools that name it say how it stands. */
import t from 'tap'
import { calendar, openConnectionDesk, returnTo } from './desk.js'

const desk = await openConnectionDesk(t)
const { provider } = desk
const bindingPath = (agent: string) => `/orgs/demo/agents/${agent}/tool-bindings/${encodeURIComponent(calendar)}`

/** The outcome that a browser is sent back with. */
async function outcomeOf(url: URL): Promise<Record<string, string>> {
  const back = await desk.back(url)
  const outcome = new URL(String(back.headers.location)).searchParams
  outcome.delete('tab')
  return Object.fromEntries(outcome)
}

async function reconnect(id: string, account?: string): Promise<Record<string, string>> {
  const begun = await desk.call('POST', `/orgs/demo/connections/${id}/_reconnect`, { returnTo })
  t.equal(begun.status, 200)
  return outcomeOf(await provider.signIn(begun.json.authorizationUrl, account))
}

t.test('A sign-in with the same provider and account connects a disconnected connection under its id', async (t) => {
  const id = await desk.connected({ label: 'Front' })
  t.equal((await desk.call('PUT', bindingPath('nova'), { config: { connectionId: id } })).status, 200)
  t.equal((await desk.call('DELETE', `/orgs/demo/connections/${id}`)).status, 200)
  t.equal((await desk.call('GET', `/orgs/demo/connections/${id}`)).status, 404)
  t.equal(await desk.connected({ label: 'Front' }), id, 'the same label')
  const read = (await desk.call('GET', `/orgs/demo/connections/${id}`)).json
  t.match(read, { status: 'connected', label: 'Front', usedBy: [{ agentId: 'nova' }] })

  await desk.call('DELETE', `/orgs/demo/connections/${id}`)
  const other = await desk.connected({ label: 'Front' }, 'grace')
  t.not(other, id, 'another account is another connection')
  t.equal(await desk.connected({}), id, 'without a label the account finds it')
  t.match((await desk.call('GET', `/orgs/demo/connections/${id}`)).json, { label: 'Front' })
  await desk.call('DELETE', `/orgs/demo/connections/${other}`)
  await desk.call('DELETE', `/orgs/demo/connections/${id}`)
})

t.test('_reconnect keeps the id, takes the account that the connection had, and knows no other id', async (t) => {
  const id = await desk.connected({ label: 'Asked' })
  t.strictSame(await reconnect(id), { oauthStatus: 'success', connectionId: id }, 'one that is connected')
  await desk.call('DELETE', `/orgs/demo/connections/${id}`)
  t.strictSame(await reconnect(id, 'grace'), { oauthStatus: 'error', reason: 'other_account' })
  t.equal((await desk.call('GET', `/orgs/demo/connections/${id}`)).status, 404, 'which changes nothing')
  t.strictSame(await reconnect(id), { oauthStatus: 'success', connectionId: id })
  t.match((await desk.call('GET', `/orgs/demo/connections/${id}`)).json, { id, label: 'Asked', status: 'connected' })
  const unknown = await desk.call('POST', '/orgs/demo/connections/conn_never/_reconnect', {})
  t.match(unknown, { status: 404, json: { code: 'resource.not_found' } })
  await desk.call('DELETE', `/orgs/demo/connections/${id}`)
})

t.test('configStatus names a connection that is missing or not connected', async (t) => {
  const path = bindingPath('nova')
  const id = await desk.connected({ label: 'Status' })
  const config = { connectionId: id, calendarUrl: 'https://cal.example/dav' }
  const put = await desk.call('PUT', path, { config })
  t.equal(put.status, 200)
  t.strictSame(put.json.configStatus, { complete: true, missing: [] })
  await desk.call('DELETE', `/orgs/demo/connections/${id}`)
  const dead = { complete: false, missing: ['connectionId'], connection: { id, status: 'not-connected' } }
  const read = await desk.call('GET', path)
  t.strictSame(read.json.configStatus, dead)
  const { data } = (await desk.call('GET', path.slice(0, path.lastIndexOf('/')))).json
  t.strictSame(data[0].configStatus, dead)
  const again = await desk.call('PUT', path, read.json)
  t.equal(again.status, 200, 'a read is put back')
  t.strictSame(again.json.configStatus, dead)
  t.strictSame((await desk.call('POST', `${path}/_disable`)).json.configStatus, dead)
  await reconnect(id)
  t.strictSame((await desk.call('GET', path)).json.configStatus, { complete: true, missing: [] })
})

t.test('A tool binding names a connection that the org has', async (t) => {
  const path = bindingPath('nova')
  const before = (await desk.call('GET', path)).json
  for (const method of ['PUT', 'PATCH']) {
    const refused = await desk.call(method, path, { config: { connectionId: 'conn_never' } })
    t.match(refused, { status: 422, json: { code: 'request.invalid', errors: [{ field: 'config.connectionId' }] } })
  }
  t.strictSame((await desk.call('GET', path)).json, before)
  const document = { toolBindings: [{ toolId: calendar, config: { connectionId: 'conn_elsewhere' } }] }
  t.equal((await desk.call('POST', '/orgs/demo/agents/nova/import', document)).status, 200)
  const brought = await desk.call('GET', path)
  const connection = { id: 'conn_elsewhere', status: 'not-connected' }
  t.match(brought.json.configStatus, { complete: false, connection }, 'an import brings ids of another org')
  t.equal((await desk.call('PUT', path, brought.json)).status, 200, 'what is there may be sent back')
  const none = '/orgs/demo/agents/nobody/tool-bindings/x'
  t.equal((await desk.call('PUT', none, { config: { connectionId: 'conn_never' } })).status, 404)
})

/** A tool with a connection of the org, at a real provider: its use keeps the connection's status true (R46). */
import t from 'tap'
import { binding } from '../../core/tools/document.js'
import { openReceiver } from '../../harness/receiver.js'
import { openConnectionFixture } from '../connections/fixture.js'
import { createToolsFixture } from './fixture.js'

const crm = '@svc/tool.crm-record'

t.test('R46: calls use the connection’s token, and one that the backend keeps rejecting is revoked', async (t) => {
  const sign = await openConnectionFixture(t)
  const connectionId = await sign.connect({ label: 'CRM' })
  const read = async () => (await sign.call('GET', `/orgs/demo/connections/${connectionId}`)).json
  const receiver = await openReceiver(t)
  const toolBindings = [binding(crm, { baseUrl: receiver.url(''), connectionId })]
  const { run } = createToolsFixture(t, { document: { toolBindings }, tokens: sign.createTokenPort() })
  const call = () => run(`tool:${crm}`, { action: 'find', phone: '+12025550123' })
  const tokens = () =>
    receiver.at('/crm-record').map(({ headers }) => String(headers.authorization).replace('Bearer ', ''))

  t.match(await call(), { outcome: { state: 'ok' } })
  t.ok(await sign.provider.isGood(tokens()[0]!))
  t.match(await read(), { status: 'connected', lastUsedAt: String })

  receiver.setBehavior('/crm-record', (response) => void response.writeHead(404).end())
  t.match(await call(), { outcome: { state: 'failed', reason: /status 404/ } })
  t.match(await read(), { status: 'connected' }, 'an answer about a contact says nothing about the connection')

  receiver.setBehavior('/crm-record', (response) => void response.writeHead(401).end())
  const lost = await call()
  t.match(lost, {
    outcome: { state: 'failed', reason: /has to be connected again/ },
    notes: [{ event: 'connection.lost' }],
  })
  t.match(await read(), { status: 'revoked' })
  const [before, after] = tokens().slice(-2)
  t.not(before, after, 'it was tried with a renewed token')
  const count = tokens().length
  t.match(await call(), { outcome: { state: 'failed' } })
  t.equal(tokens().length, count, 'and is not called with a sign-in that is over')
  for (const token of tokens()) t.notOk(JSON.stringify(lost).includes(token))
})

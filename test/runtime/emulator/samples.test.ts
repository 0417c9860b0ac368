/** Sample agents whose first start did not come to its end. */
import t from 'tap'
import { openTestNode } from '../../harness/node.js'

const agents = ['sample', 'sample-clinic']

t.test('A first start that was interrupted is completed by the next one, and makes nothing twice', async (t) => {
  const test = await openTestNode()
  t.teardown(() => test.close())
  const { node, key: token, mgmt } = test
  await mgmt('POST', '/v1/orgs/demo/agents', { token, json: { id: 'sample-clinic', name: 'Half made' } })
  await node.emulator.start()
  for (const time of ['the first time', 'the second time']) {
    await node.sample.start()
    t.match(node.sample.link(), /^http:\/\/mgmt\.test\/emulator#ep1\./, time)
    for (const agent of agents) {
      const { data } = (await mgmt('GET', `/v1/orgs/demo/agents/${agent}/channels`, { token })).json
      const channels = data.map(({ channel }: { channel: string }) => channel)
      t.same(channels.sort(), ['messengerA', 'rcs', 'sms', 'vendorMessages', 'webchat'], `${agent}, ${time}`)
    }
    const facts = await mgmt('GET', '/v1/orgs/demo/agents/sample-clinic/knowledge/facts', { token })
    t.equal(facts.json.data.length, 13, time)
  }
  t.same(
    test.logged.filter(({ event }) => event === 'emulator.sample_failed'),
    [],
  )
})

t.test('Without one sample agent the page shows the other', async (t) => {
  const test = await openTestNode()
  t.teardown(() => test.close())
  const { node, key: token, mgmt } = test
  await node.emulator.start()
  await node.sample.start()
  const { ticket } = (await mgmt('POST', '/v1/system/emulator/tickets', { token })).json
  const stage = () => mgmt('GET', '/v1/system/emulator/stage', { headers: { 'x-emulator-ticket': ticket } })
  const shown = async () => ((await stage()).json.agents as { agentId: string }[]).map(({ agentId }) => agentId)
  t.same(await shown(), ['sample-clinic', 'sample'])
  await mgmt('DELETE', '/v1/orgs/demo/agents/sample-clinic', { token })
  t.same(await shown(), ['sample'])
  await mgmt('DELETE', '/v1/orgs/demo/agents/sample', { token })
  t.equal((await stage()).status, 404)
})

/**
 * A campaign whose provider stops accepting the account, over the real HTTP surface, until its operator has seen to it.
 */
import t from 'tap'
import { createCarrier, importPeople, makeOutreach, phonesFrom, stageCampaign } from '../harness/carriers.js'
import { waitUntil } from '../harness/clock.js'
import { startNode } from '../harness/process.js'

t.setTimeout(120_000)

const people = 20

t.test('A provider that refuses the account pauses a campaign until its operator acts', async (t) => {
  const node = await startNode({ PARLEY_ALLOW_PRIVATE_URLS: 'true', PARLEY_TIME_SCALE: '60' })
  t.teardown(() => node.clean())
  const carrier = await createCarrier(t, node, 'rbm')
  const { testAgent, account } = carrier
  await makeOutreach(carrier, 'spring', 'Spring is here.')
  const id = await stageCampaign(carrier, 'spring', await importPeople(carrier, phonesFrom(0, people)))
  const at = `${testAgent.agentPath}/campaigns/${id}`
  const states = async () => (await testAgent.manage('GET', `${at}/report`)).states
  const mend = await account!.injectFaults({ kind: 'unauthorized', allCalls: true })
  await testAgent.manage('POST', `${at}/start`)
  await waitUntil(async () => (await testAgent.binding('rcs')).status === 'ActionRequired')
  await waitUntil(async () => (await states()).sending === 0)
  t.match(await testAgent.manage('GET', at), { status: 'running', holdReason: 'binding' })
  t.equal((await states()).failed, 0, 'no recipient has failed')
  await mend()
  await testAgent.change('rcs', { auth: account!.account.auth })
  await waitUntil(async () => (await testAgent.binding('rcs')).status === 'Active')
  await waitUntil(async () => (await testAgent.manage('GET', at)).status === 'completed')
  const addresses = (await carrier.receivedTexts()).map(({ address }) => address)
  t.same([addresses.length, new Set(addresses).size], [people, people])
})

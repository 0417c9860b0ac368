/** What a message costs in commands and commits, counted on a paced provider that gives receipts. */
import t from 'tap'
import { createCarrier, importPeople, makeOutreach, phonesFrom, stageCampaign } from '../harness/carriers.js'
import { waitUntil } from '../harness/clock.js'
import { type NodeProcess, startNode } from '../harness/process.js'
import { aml } from '../harness/testagent.js'

t.setTimeout(240_000)

const node: NodeProcess = await startNode({ PARLEY_ALLOW_PRIVATE_URLS: 'true' })
t.teardown(() => node.clean())

interface Counts {
  readonly commands: number
  readonly commits: number
}

async function countsNow(): Promise<Counts> {
  const text = await (await fetch(`${node.gateway}/metrics`)).text()
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  const commands = figure('parley_shard_commands_total') - figure('parley_shard_effects_completed_total')
  return { commands, commits: figure('parley_shard_commits_total') }
}

/** Counts once nothing is decided any more for a while. */
async function stableCounts(): Promise<Counts> {
  let last = await countsNow()
  let same = 0
  await waitUntil(async () => {
    const now = await countsNow()
    same = now.commands === last.commands ? same + 1 : 0
    last = now
    return same >= 20
  })
  return last
}

const since = (before: Counts, after: Counts) => ({
  commands: after.commands - before.commands,
  commits: after.commits - before.commits,
})

t.test('An answered text takes at most 4 commands and 3 commits, without its statuses', async (t) => {
  const carrier = await createCarrier(t, node, 'rbm')
  const { testAgent } = carrier
  testAgent.replies(aml('Welcome.'))
  await carrier.sendFrom('+14155550100', 'Hi')
  await waitUntil(async () => (await carrier.receivedTexts()).length === 1)
  // Receipts of the first message are told before the next one is counted.
  await waitUntil(() => testAgent.statuses().some(({ state }) => state === 'read'))
  await stableCounts()
  // The event of the status is not answered, so that nothing of it is counted; receipts wait for the phone.
  testAgent.onStatus = () => {}
  const end = await carrier.account!.injectFaults({ kind: 'missingReceipts' })
  const before = await stableCounts()
  testAgent.replies(aml('It is open until six.'))
  await carrier.sendFrom('+14155550100', 'When do you close?')
  await waitUntil(async () => (await carrier.receivedTexts()).length === 2)
  const spent = since(before, await stableCounts())
  t.comment(JSON.stringify(spent))
  t.ok(spent.commands <= 4, `${spent.commands} commands`)
  t.ok(spent.commits <= 3, `${spent.commits} commits`)
  await end()
})

const tracking = {
  id: 'tracking',
  name: 'Order tracking',
  flow: {
    slots: [{ name: 'order', type: 'number', prompt: 'Which order?' }],
    steps: [{ collect: ['order'] }, { say: 'Order {order} arrives on Thursday.' }],
  },
}

t.test(
  'A text that a managed agent answers takes at most 3 commands and 3 commits, without its statuses',
  async (t) => {
    const carrier = await createCarrier(t, node, 'rbm')
    const { testAgent, account } = carrier
    await testAgent.call('DELETE', '/webhook')
    await testAgent.manage('POST', `${testAgent.agentPath}/playbooks`, tracking)
    await carrier.sendFrom('+14155550101', 'Hi')
    await waitUntil(async () => (await carrier.receivedTexts()).length === 1)
    await stableCounts()
    const end = await account!.injectFaults({ kind: 'missingReceipts' })
    const before = await stableCounts()
    await carrier.sendFrom('+14155550101', 'It is 17.')
    await waitUntil(async () => (await carrier.receivedTexts()).length === 2)
    const spent = since(before, await stableCounts())
    t.match((await carrier.receivedTexts()).at(-1)?.text, 'Order 17 arrives on Thursday.')
    t.comment(JSON.stringify(spent))
    t.ok(spent.commands <= 3, `${spent.commands} commands`)
    t.ok(spent.commits <= 3, `${spent.commits} commits`)
    await end()
  },
)

t.test('A recipient of a campaign who reads the message takes at most 6 commands', async (t) => {
  const carrier = await createCarrier(t, node, 'rbm')
  const { testAgent } = carrier
  await testAgent.call('DELETE', '/webhook')
  const people = 200
  await makeOutreach(carrier, 'spring', 'Spring is here.')
  const id = await stageCampaign(carrier, 'spring', await importPeople(carrier, phonesFrom(0, people)))
  const before = await stableCounts()
  await testAgent.manage('POST', `${testAgent.agentPath}/campaigns/${id}/start`)
  await waitUntil(async () => {
    const { states } = await testAgent.manage('GET', `${testAgent.agentPath}/campaigns/${id}/report`)
    return states.read === people
  })
  const spent = since(before, await stableCounts())
  t.comment(JSON.stringify({ ...spent, perRecipient: spent.commands / people }))
  t.ok(spent.commands <= 6 * people, `${spent.commands / people} commands for each recipient`)
})

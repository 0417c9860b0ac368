/** What a message costs in commands and commits, counted on a paced provider that gives receipts. */
import t from 'tap'
import { importPeople, makeOutreach, openCarrier, phonesFrom, stageCampaign } from '../harness/carriers.js'
import { until } from '../harness/clock.js'
import { aml } from '../harness/desk.js'
import { type NodeProcess, startNode } from '../harness/process.js'

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
  const commands = figure('parley_shard_commands_total') - figure('parley_shard_effects_settled_total')
  return { commands, commits: figure('parley_shard_commits_total') }
}

/** Counts once nothing is decided any more for a while. */
async function settled(): Promise<Counts> {
  let last = await countsNow()
  let same = 0
  await until(async () => {
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

t.test('A text that is answered takes at most 4 commands and 3 commits, its statuses aside', async (t) => {
  const carrier = await openCarrier(t, node, 'rbm')
  const { desk } = carrier
  desk.replies(aml('Welcome.'))
  await carrier.writes('+14155550100', 'Hi')
  await until(async () => (await carrier.arrived()).length === 1)
  // Receipts of the first message are told before the next one is counted.
  await until(() => desk.statuses().some(({ state }) => state === 'read'))
  await settled()
  // The event of the status is not answered, so that nothing of it is counted; receipts wait for the phone.
  desk.onStatus = () => {}
  const end = await carrier.account!.troubles({ kind: 'missingReceipts' })
  const before = await settled()
  desk.replies(aml('It is open until six.'))
  await carrier.writes('+14155550100', 'When do you close?')
  await until(async () => (await carrier.arrived()).length === 2)
  const spent = since(before, await settled())
  t.comment(JSON.stringify(spent))
  t.ok(spent.commands <= 4, `${spent.commands} commands`)
  t.ok(spent.commits <= 3, `${spent.commits} commits`)
  await end()
})

t.test('A recipient of a campaign who reads the message takes at most 6 commands', async (t) => {
  const carrier = await openCarrier(t, node, 'rbm')
  const { desk } = carrier
  await desk.call('DELETE', '/webhook')
  const people = 200
  await makeOutreach(carrier, 'spring', 'Spring is here.')
  const id = await stageCampaign(carrier, 'spring', await importPeople(carrier, phonesFrom(0, people)))
  const before = await settled()
  await desk.manage('POST', `${desk.at}/campaigns/${id}/start`)
  await until(async () => {
    const { states } = await desk.manage('GET', `${desk.at}/campaigns/${id}/report`)
    return states.read === people
  })
  const spent = since(before, await settled())
  t.comment(JSON.stringify({ ...spent, perRecipient: spent.commands / people }))
  t.ok(spent.commands <= 6 * people, `${spent.commands / people} commands for each recipient`)
})

/** Follow-ups over the real HTTP surface, on each kind of provider: with the disclaimer, a pause, a cancel. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { shard } from '../../runtime/shard/limits.js'
import {
  type Carrier,
  importPeople,
  makeOutreach,
  onEachCarrier,
  phonesFrom,
  stageCampaign,
  textsAt,
} from '../harness/carriers.js'
import { waitUntil } from '../harness/clock.js'
import { type NodeProcess, startNode } from '../harness/process.js'

t.setTimeout(240_000)

/**
 * An hour is a second. One shard: as many messages are on their way at a time as it has connections to one provider.
 */
const env = { PARLEY_ALLOW_PRIVATE_URLS: 'true', PARLEY_TIME_SCALE: '3600', PARLEY_SHARDS: '1' }
const node: NodeProcess = await startNode(env)
t.teardown(() => node.clean())

const people = 150
const phones = phonesFrom(0, people)
const nudge = 'Still there?'

/** An outreach that follows up after an hour. */
async function makeFollowedUp(carrier: Carrier): Promise<void> {
  const { testAgent } = carrier
  await testAgent.manage('POST', `${testAgent.agentPath}/message-templates`, {
    id: 'nudge',
    name: 'nudge',
    body: nudge,
  })
  await makeOutreach(carrier, 'spring', 'Spring is here.', { followUp: { templateId: 'nudge', afterHours: 1 } })
}

/** A campaign with follow-ups that was started, and has reached some people where it cannot be over at once. */
async function start(carrier: Carrier) {
  const { testAgent } = carrier
  await makeFollowedUp(carrier)
  const id = await stageCampaign(carrier, 'spring', await importPeople(carrier, phones))
  const at = `${testAgent.agentPath}/campaigns/${id}`
  const count = async (text?: string) =>
    (await carrier.receivedTexts()).filter((each) => text === undefined || each.text === text).length
  await testAgent.manage('POST', `${at}/start`)
  if (carrier.account) await waitUntil(async () => (await count()) > 10)
  return {
    count,
    move: (name: string) => testAgent.manage('POST', `${at}/${name}`),
    one: () => testAgent.manage('GET', at),
  }
}

onEachCarrier(t, () => node, {
  async 'After a cancel is acknowledged no follow-up reaches the provider but what is on a connection'(t, carrier) {
    const { move, count } = await start(carrier)
    t.equal((await move('cancel')).status, 'cancelled')
    const acknowledged = await count(nudge)
    await sleep(3_000)
    const more = (await count(nudge)) - acknowledged
    t.ok(more <= shard.effectsPerDestination, `${more} more`)
  },

  async 'A pause holds follow-ups, and after the resume each person gets theirs once'(t, carrier) {
    const { move, count, one } = await start(carrier)
    t.equal((await move('pause')).status, 'paused')
    const acknowledged = await count(nudge)
    await sleep(3_000)
    const more = (await count(nudge)) - acknowledged
    t.ok(more <= shard.effectsPerDestination, `${more} more`)
    await move('resume')
    await waitUntil(async () => (await one()).status === 'completed')
    await waitUntil(async () => (await count(nudge)) >= people)
    await sleep(500)
    const nudged = (await carrier.receivedTexts()).filter(({ text }) => text === nudge).map(({ address }) => address)
    t.same([nudged.length, new Set(nudged).size], [people, people])
  },

  async 'A follow-up comes without a second disclaimer, and with the first one where the opening had none'(t, carrier) {
    const { testAgent } = carrier
    await makeFollowedUp(carrier)
    const [before, after] = phones as [string, string]
    const send = (address: string) =>
      testAgent.manage('POST', `${testAgent.agentPath}/outreach/spring/sends`, {
        recipient: { channel: 'rcs', address },
      })
    await send(before)
    t.same(await textsAt(carrier, before, 1), ['Spring is here.'])
    const disclaimer = 'Rates may apply. Reply STOP to leave.'
    await testAgent.change('rcs', { compliance: { enabled: true, disclaimerText: disclaimer } })
    await send(after)
    t.same(await textsAt(carrier, after, 3), [disclaimer, 'Spring is here.', nudge])
    t.same(await textsAt(carrier, before, 3), ['Spring is here.', disclaimer, nudge])
  },
})

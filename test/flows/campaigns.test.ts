/** Campaigns that are paused, cancelled and held, over the real HTTP surface, on each kind of provider. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { shard } from '../../core/limits.js'
import {
  type Carrier,
  importPeople,
  makeOutreach,
  onEachCarrier,
  phonesFrom,
  stageCampaign,
} from '../harness/carriers.js'
import { until } from '../harness/clock.js'
import { type NodeProcess, startNode } from '../harness/process.js'

t.setTimeout(240_000)

/** One shard: as many messages are on their way at a time as it has connections to one provider. */
const env = { PARLEY_ALLOW_PRIVATE_URLS: 'true', PARLEY_TIME_SCALE: '60', PARLEY_SHARDS: '1' }
const node: NodeProcess = await startNode(env)
t.teardown(() => node.clean())

const people = 150
const phones = phonesFrom(0, people)

interface Report {
  readonly states: Readonly<Record<string, number>>
}

/** A campaign to everybody, staged, and how it is moved and read. */
async function stage(carrier: Carrier, outreachId = 'spring') {
  const { desk } = carrier
  await makeOutreach(carrier, outreachId, 'Spring is here.')
  const id = await stageCampaign(carrier, outreachId, await importPeople(carrier, phones))
  const at = `${desk.at}/campaigns/${id}`
  const report = async () => ((await desk.manage('GET', `${at}/report`)) as Report).states
  return {
    at,
    report,
    move: (name: string) => desk.manage('POST', `${at}/${name}`),
    one: () => desk.manage('GET', at),
    reached: async () => (await carrier.arrived()).length,
    /** Resolves when nothing is between the campaign and the provider any more. */
    isStill: () => until(async () => (await report()).sending === 0),
    hasNobodyOpen: () =>
      until(async () => {
        const { pending, queued, sending } = await report()
        return pending === 0 && queued === 0 && sending === 0
      }),
  }
}

onEachCarrier(t, () => node, {
  async 'After a cancel is acknowledged nothing reaches the provider but what is on a connection'(t, carrier) {
    const { move, hasNobodyOpen, reached, report, one } = await stage(carrier)
    await move('start')
    if (carrier.account) await until(async () => (await reached()) > 10)
    t.equal((await move('cancel')).status, 'cancelled')
    const acknowledged = await reached()
    await hasNobodyOpen()
    const inAll = await reached()
    t.ok(inAll - acknowledged <= shard.effectsPerDestination, `${inAll - acknowledged} more`)
    const { cancelled = 0, sent = 0, delivered = 0, read = 0, ...others } = await report()
    t.equal(sent + delivered + read, inAll, 'everybody who was reached is told as reached')
    t.equal(cancelled, people - inAll, 'and everybody else as cancelled')
    t.same(Object.values(others).filter(Boolean), [])
    t.equal((await one()).status, 'cancelled')
  },

  async 'A campaign that is paused stands still, and resumed goes on exactly where it stopped'(t, carrier) {
    const { move, isStill, reached, one } = await stage(carrier)
    await move('start')
    if (carrier.account) await until(async () => (await reached()) > 10)
    t.equal((await move('pause')).status, 'paused')
    const acknowledged = await reached()
    await isStill()
    const still = await reached()
    t.ok(still - acknowledged <= shard.effectsPerDestination, `${still - acknowledged} more`)
    await sleep(300)
    t.equal(await reached(), still, 'and nothing comes while it is paused')
    await move('resume')
    await until(async () => (await one()).status === 'completed')
    const addresses = (await carrier.arrived()).map(({ address }) => address)
    t.equal(addresses.length, people, 'everybody was reached')
    t.equal(new Set(addresses).size, people, 'and nobody twice')
  },

  async 'A pause that is taken back at once leaves nobody out and reaches nobody twice'(t, carrier) {
    const { move, reached, one } = await stage(carrier)
    await move('start')
    if (carrier.account) await until(async () => (await reached()) > 10)
    for (let round = 0; round < 3; round++) {
      await move('pause')
      await sleep(20)
      await move('resume')
    }
    await until(async () => (await one()).status === 'completed')
    const addresses = (await carrier.arrived()).map(({ address }) => address)
    t.same([addresses.length, new Set(addresses).size], [people, people])
  },
})

onEachCarrier(t, () => node, {
  async 'Two marketing campaigns that are started together reach each person once'(t, carrier) {
    const { desk } = carrier
    const batch = await importPeople(carrier, phones.slice(0, 30))
    const ids: string[] = []
    for (const name of ['summer', 'autumn']) {
      await makeOutreach(carrier, name, `${name} is here.`, { class: 'marketing' })
      ids.push(await stageCampaign(carrier, name, batch))
    }
    await Promise.all(ids.map((id) => desk.manage('POST', `${desk.at}/campaigns/${id}/start`)))
    for (const id of ids) {
      await until(async () => (await desk.manage('GET', `${desk.at}/campaigns/${id}`)).status === 'completed')
    }
    const addresses = (await carrier.arrived()).map(({ address }) => address)
    t.same([addresses.length, new Set(addresses).size], [30, 30])
  },

  async 'A named marketing send warns while another is on its way'(t, carrier) {
    const { desk } = carrier
    for (const name of ['summer', 'autumn']) await makeOutreach(carrier, name, name, { class: 'marketing' })
    const recipient = { channel: 'rcs', address: phones[0] }
    const send = (name: string) => desk.manage('POST', `${desk.at}/outreach/${name}/sends`, { recipient })
    t.notOk((await send('summer')).warning)
    t.match((await send('autumn')).warning, /on its way/)
  },

  async 'A binding that is switched off holds its campaign, and switched on lets it go on'(t, carrier) {
    const { desk } = carrier
    const { move, one, reached } = await stage(carrier, 'winter')
    const channel = `${desk.at}/channels/${desk.bindings.rcs}`
    await desk.manage('POST', `${channel}/_disable`)
    await move('start')
    t.match(await one(), { status: 'running', holdReason: 'binding' })
    await makeOutreach(carrier, 'note', 'A note.')
    const recipient = { channel: 'rcs', address: '+14155559999' }
    const { sendId } = await desk.manage('POST', `${desk.at}/outreach/note/sends`, { recipient })
    const send = () => desk.manage('GET', `${desk.at}/outreach/sends/${sendId}`)
    await until(async () => (await send()).state === 'failed')
    t.match(await send(), { reason: 'binding_error' })
    t.equal(await reached(), 0)
    await desk.manage('POST', `${channel}/_enable`)
    await until(async () => (await one()).status === 'completed')
    t.equal(await reached(), people)
  },
})

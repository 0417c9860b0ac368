/** Campaigns that are paused, cancelled and held, over the real HTTP surface, on each kind of provider. */
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
} from '../harness/carriers.js'
import { waitUntil } from '../harness/clock.js'
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
async function stage(carrier: Carrier, outreachId = 'spring', to = phones) {
  const { testAgent } = carrier
  await makeOutreach(carrier, outreachId, 'Spring is here.')
  const id = await stageCampaign(carrier, outreachId, await importPeople(carrier, to))
  const at = `${testAgent.agentPath}/campaigns/${id}`
  const report = async () => ((await testAgent.manage('GET', `${at}/report`)) as Report).states
  return {
    at,
    report,
    move: (name: string) => testAgent.manage('POST', `${at}/${name}`),
    one: () => testAgent.manage('GET', at),
    reached: async () => (await carrier.receivedTexts()).length,
    /** Resolves when nothing is between the campaign and the provider any more. */
    isStill: () => waitUntil(async () => (await report()).sending === 0),
    hasNoneOpen: () =>
      waitUntil(async () => {
        const { pending, queued, sending } = await report()
        return pending === 0 && queued === 0 && sending === 0
      }),
  }
}

onEachCarrier(t, () => node, {
  async 'After a cancel is acknowledged nothing reaches the provider but what is on a connection'(t, carrier) {
    const { move, hasNoneOpen, reached, report, one } = await stage(carrier)
    await move('start')
    if (carrier.account) await waitUntil(async () => (await reached()) > 10)
    t.equal((await move('cancel')).status, 'cancelled')
    const acknowledged = await reached()
    await hasNoneOpen()
    const inAll = await reached()
    t.ok(inAll - acknowledged <= shard.effectsPerDestination, `${inAll - acknowledged} more`)
    const { cancelled = 0, sent = 0, delivered = 0, read = 0, ...others } = await report()
    t.equal(sent + delivered + read, inAll, 'every recipient that was reached is reported as such')
    t.equal(cancelled, people - inAll, 'and all others as cancelled')
    t.same(Object.values(others).filter(Boolean), [])
    t.equal((await one()).status, 'cancelled')
  },

  async 'A campaign that is paused stands still, and resumed goes on exactly where it stopped'(t, carrier) {
    const { move, isStill, reached, one } = await stage(carrier)
    await move('start')
    if (carrier.account) await waitUntil(async () => (await reached()) > 10)
    t.equal((await move('pause')).status, 'paused')
    const acknowledged = await reached()
    await isStill()
    const still = await reached()
    t.ok(still - acknowledged <= shard.effectsPerDestination, `${still - acknowledged} more`)
    await sleep(300)
    t.equal(await reached(), still, 'and no message arrives during the pause')
    await move('resume')
    await waitUntil(async () => (await one()).status === 'completed')
    const addresses = (await carrier.receivedTexts()).map(({ address }) => address)
    t.equal(addresses.length, people, 'every recipient was reached')
    t.equal(new Set(addresses).size, people, 'and none twice')
  },

  async 'A pause that is taken back at once leaves nobody out and reaches nobody twice'(t, carrier) {
    const { move, reached, one } = await stage(carrier)
    await move('start')
    if (carrier.account) await waitUntil(async () => (await reached()) > 10)
    for (let round = 0; round < 3; round++) {
      await move('pause')
      await sleep(20)
      await move('resume')
    }
    await waitUntil(async () => (await one()).status === 'completed')
    const addresses = (await carrier.receivedTexts()).map(({ address }) => address)
    t.same([addresses.length, new Set(addresses).size], [people, people])
  },
})

onEachCarrier(t, () => node, {
  async 'What is said of a person while their message waits keeps it from the provider'(t, carrier) {
    const { testAgent } = carrier
    const { move, hasNoneOpen } = await stage(carrier)
    const path = `${testAgent.agentPath}/people`
    const { data } = (await testAgent.manage('GET', `${path}?limit=${people}`)) as {
      data: { id: string; phone: string }[]
    }
    const idOf = (phone: string) => data.find((each) => each.phone === phone)!.id
    const reached = async () => new Set((await carrier.receivedTexts()).map(({ address }) => address))
    await move('start')
    // Those of the end of the line.
    const [denies, accepts, moves] = phones.slice(-3) as [string, string, string]
    await Promise.all([
      testAgent.manage('PATCH', `${path}/${idOf(denies)}`, { consent: { status: 'denied' } }),
      testAgent.manage('DELETE', `${path}/${idOf(accepts)}`),
      testAgent.manage('PATCH', `${path}/${idOf(moves)}`, { phone: '+14155569999' }),
    ])
    const before = await reached()
    await hasNoneOpen()
    const after = await reached()
    const waited = [denies, accepts, moves].filter((phone) => !before.has(phone))
    t.same(
      waited.filter((phone) => after.has(phone)),
      [],
      'no message is sent after the answer',
    )
    t.notOk(after.has('+14155569999'))
    if (carrier.account) t.same(waited, [denies, accepts, moves], 'all of them still waited')
  },

  async 'An outreach that is switched off keeps what waits from the provider, and its campaign fails'(t, carrier) {
    const { testAgent } = carrier
    const { move, reached, one, hasNoneOpen } = await stage(carrier)
    await move('start')
    if (carrier.account) await waitUntil(async () => (await reached()) > 10)
    await testAgent.manage('PATCH', `${testAgent.agentPath}/outreach/spring`, { enabled: false })
    const acknowledged = await reached()
    await hasNoneOpen()
    const inAll = await reached()
    t.ok(inAll - acknowledged <= shard.effectsPerDestination, `${inAll - acknowledged} more`)
    if (inAll < people) t.match(await one(), { status: 'failed', failReason: 'outreach_unavailable' })
  },

  async 'Two marketing campaigns that are started together reach each person once'(t, carrier) {
    const { testAgent } = carrier
    const batch = await importPeople(carrier, phones.slice(0, 30))
    const ids: string[] = []
    for (const name of ['summer', 'autumn']) {
      await makeOutreach(carrier, name, `${name} is here.`, { class: 'marketing' })
      ids.push(await stageCampaign(carrier, name, batch))
    }
    await Promise.all(ids.map((id) => testAgent.manage('POST', `${testAgent.agentPath}/campaigns/${id}/start`)))
    for (const id of ids) {
      await waitUntil(
        async () => (await testAgent.manage('GET', `${testAgent.agentPath}/campaigns/${id}`)).status === 'completed',
      )
    }
    const addresses = (await carrier.receivedTexts()).map(({ address }) => address)
    t.same([addresses.length, new Set(addresses).size], [30, 30])
  },

  async 'A person who wrote STOP gets nothing of a campaign, deleted and imported again neither'(t, carrier) {
    const { testAgent } = carrier
    const [stopped, other] = phones as [string, string]
    await carrier.sendFrom(stopped, 'STOP')
    const first = await stage(carrier, 'winter', [stopped, other])
    await first.move('start')
    await waitUntil(async () => (await first.one()).status === 'completed')
    const { data } = (await testAgent.manage('GET', `${testAgent.agentPath}/people`)) as { data: { id: string }[] }
    for (const { id } of data) await testAgent.manage('DELETE', `${testAgent.agentPath}/people/${id}`)
    const campaignAgain = await stage(carrier, 'summer', [stopped, other])
    t.match(
      await campaignAgain.one(),
      { counts: { total: 2, sendable: 1, exclusions: { optedOut: 1 } } },
      'staging knows',
    )
    await campaignAgain.move('start')
    await waitUntil(async () => (await campaignAgain.one()).status === 'completed')
    const addresses = (await carrier.receivedTexts()).map(({ address }) => address)
    t.same(addresses, [other, other])
  },

  async 'Retry-failed reaches every person who was not reached, and none twice'(t, carrier) {
    const { testAgent } = carrier
    const unlucky = phones.slice(0, 3)
    const path = `/system/emulator/bindings/${testAgent.bindings.rcs}/refusal`
    const refuse = (refusal: object | null) =>
      Promise.all(unlucky.map((address) => testAgent.manage('PUT', path, { address, refusal })))
    const mend = carrier.account
      ? await carrier.account.injectFaults(...unlucky.map((address) => ({ kind: 'blocked' as const, address })))
      : () => refuse(null)
    if (!carrier.account) await refuse({ reason: 'sendFailed', again: 'never' })
    const { at, move, reached, one, hasNoneOpen } = await stage(carrier, 'winter')
    await move('start')
    if (carrier.account) await waitUntil(async () => (await reached()) > 10)
    await testAgent.manage('POST', `${at}/cancel`).catch(() => undefined)
    await hasNoneOpen()
    t.ok(['cancelled', 'completed'].includes((await one()).status))
    await mend()
    const { id } = await testAgent.manage('POST', `${at}/retry-failed`)
    const retried = `${testAgent.agentPath}/campaigns/${id}`
    await testAgent.manage('POST', `${retried}/stage`)
    await testAgent.manage('POST', `${retried}/start`)
    await waitUntil(async () => (await testAgent.manage('GET', retried)).status === 'completed')
    const addresses = (await carrier.receivedTexts()).map(({ address }) => address)
    t.same([addresses.length, new Set(addresses).size], [people, people])
  },

  async 'Two marketing rules that one person sets off send one message'(t, carrier) {
    const { testAgent } = carrier
    for (const outreachId of ['summer', 'autumn']) {
      await makeOutreach(carrier, outreachId, outreachId, { class: 'marketing' })
      const rule = { name: outreachId, outreachId, enabled: true, trigger: { kind: 'person.created' }, delayMinutes: 0 }
      await testAgent.manage('POST', `${testAgent.agentPath}/automated-outreach`, rule)
    }
    await importPeople(carrier, phones.slice(0, 1))
    const rows = async () => {
      const { data } = (await testAgent.manage('GET', `${testAgent.agentPath}/automated-outreach`)) as {
        data: { id: string }[]
      }
      const all = await Promise.all(
        data.map(({ id }) => testAgent.manage('GET', `${testAgent.agentPath}/automated-outreach/${id}/rows`)),
      )
      return all.flatMap((each) => each.data as { state: string; reason?: string }[])
    }
    await waitUntil(async () => (await rows()).every(({ state }) => ['sent', 'skipped'].includes(state)))
    t.same((await rows()).map(({ reason = 'none' }) => reason).sort(), ['frequency_capped', 'none'])
    t.equal((await carrier.receivedTexts()).length, 1)
  },

  async 'A named marketing send warns while another is on its way'(t, carrier) {
    const { testAgent } = carrier
    for (const name of ['summer', 'autumn']) await makeOutreach(carrier, name, name, { class: 'marketing' })
    const recipient = { channel: 'rcs', address: phones[0] }
    const send = (name: string) =>
      testAgent.manage('POST', `${testAgent.agentPath}/outreach/${name}/sends`, { recipient })
    t.notOk((await send('summer')).warning)
    t.match((await send('autumn')).warning, /on its way/)
  },

  async 'A binding that is switched off holds its campaign, and switched on lets it go on'(t, carrier) {
    const { testAgent } = carrier
    const { move, one, reached } = await stage(carrier, 'winter')
    const channel = `${testAgent.agentPath}/channels/${testAgent.bindings.rcs}`
    await testAgent.manage('POST', `${channel}/_disable`)
    await move('start')
    t.match(await one(), { status: 'running', holdReason: 'binding' })
    await makeOutreach(carrier, 'note', 'A note.')
    const recipient = { channel: 'rcs', address: '+14155559999' }
    const { sendId } = await testAgent.manage('POST', `${testAgent.agentPath}/outreach/note/sends`, { recipient })
    const send = () => testAgent.manage('GET', `${testAgent.agentPath}/outreach/sends/${sendId}`)
    await waitUntil(async () => (await send()).state === 'failed')
    t.match(await send(), { reason: 'binding_error' })
    t.equal(await reached(), 0)
    await testAgent.manage('POST', `${channel}/_enable`)
    await waitUntil(async () => (await one()).status === 'completed')
    t.equal(await reached(), people)
  },
})

/**
 * Nodes on real NATS become one installation: they share its shards, come, go and die, and lose nothing they answered.
 */
import t from 'tap'
import { type Bus, BusUnreachable } from '../../runtime/nats/contract.js'
import { createLog } from '../../runtime/observe/log.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { openEmbedded } from '../../runtime/shard/embedded.js'
import type { LimitOverrides } from '../../runtime/shard/limits.js'
import { rendezvousRank, shardOf } from '../../runtime/shard/placement.js'
import { openStore } from '../../runtime/store/lmdb.js'
import { act, counters, executeScript, seenOf, seen as seenQuery, testHandlers } from '../contract/shards/handlers.js'
import { waitUntil } from '../harness/clock.js'
import type { ClusterNode } from '../harness/engines.js'
import { clusterShards, Installation, Load, ownersOf, waitUntilOwned } from '../harness/installation.js'
import { createRealTime } from '../harness/time.js'

/**
 * The machine may be slow: a node that is there is not given up, and a caller waits. These tests check what comes
 * out.
 */
const patient = { shard: { executeMs: 60_000 }, cluster: { leaseMs: 4_000, graceMs: 1_000 } }
const patientButFor = (limits: LimitOverrides): LimitOverrides => ({
  shard: { ...patient.shard, ...limits.shard },
  cluster: { ...patient.cluster, ...limits.cluster },
})
/** So that a few commands make snapshots. */
const smallSnapshots = patientButFor({ cluster: { snapshotEntries: 25, entriesKept: 5, rowsPerSnapshotPart: 4 } })

const allShards = Array.from({ length: clusterShards }, (_, number) => number)
const shardsRanked = (...ids: string[]) => allShards.map((number) => rendezvousRank(number, ids)[0])
const isRanked =
  (...ids: string[]) =>
  (owners: (string | undefined)[]) =>
    String(owners) === String(shardsRanked(...ids))
const ownersIn = (count: number) =>
  Array.from({ length: 200 }, (_, n) => `owner-${n}`).filter((owner) => shardOf(owner, clusterShards) === count)

function events(node: ClusterNode, event: string) {
  return node.logged.filter((line) => line.event === event)
}

t.test('Two nodes share the shards, keep copies of each other’s, and tell alike how they stand', async (t) => {
  const installation = await Installation.make(t, patient)
  const ann = await installation.node('ann')
  await waitUntilOwned(ann, isRanked('ann'))
  const ben = await installation.node('ben')
  const client = await installation.client()
  for (const node of [ann, ben, client]) await waitUntilOwned(node, isRanked('ann', 'ben'))
  for (let n = 0; n < 60; n++) await executeScript({ shards: client.engine }, `owner-${n}`, { count: n })
  await waitUntil(async () =>
    (await ann.engine.status()).every(({ copies, last }) => copies.ann === last && copies.ben === last),
  )
  const status = await ann.engine.status()
  t.same(
    status.map(({ shard: number }) => number),
    allShards,
  )
  t.ok(status.every(({ last, epoch }) => last > 5 && epoch >= 1))
  t.same(await ben.engine.status(), status)
  t.same(await client.engine.status(), status)
  for (let n = 0; n < 60; n++) t.equal((await seenOf({ shards: ben.engine }, `owner-${n}`)).counted, n)
  for (const number of allShards) {
    const [owner] = ownersIn(number)
    t.equal(typeof ann.engine.ownershipEpoch(owner!), status[number]!.owner === 'ann' ? 'number' : 'undefined')
    t.equal(typeof ben.engine.ownershipEpoch(owner!), status[number]!.owner === 'ben' ? 'number' : 'undefined')
    t.equal(client.engine.ownershipEpoch(owner!), undefined)
  }
})

t.test('A node that joins cold takes its part by itself, while others ask and without a failed ask', async (t) => {
  const installation = await Installation.make(t, patient)
  const ann = await installation.node('ann')
  const ben = await installation.node('ben')
  await waitUntilOwned(ann, isRanked('ann', 'ben'))
  const client = await installation.client()
  const load = new Load(client.engine)
  await load.waitForProgress()
  const cyd = await installation.node('cyd')
  await waitUntilOwned(client, isRanked('ann', 'ben', 'cyd'))
  await load.waitForProgress()
  await load.stop()
  t.same([load.failed, load.unknown], [[], []])
  await load.check(t, client.engine)
  await waitUntil(async () => (await cyd.engine.status()).every(({ copies, last }) => copies.cyd === last))
  t.equal(events(cyd, 'shard.owned').length, shardsRanked('ann', 'ben', 'cyd').filter((id) => id === 'cyd').length)
  for (const node of [ann, ben]) {
    t.same(
      events(node, 'shard.released')
        .map(({ how }) => how)
        .filter((how) => how !== 'release'),
      [],
      'every shard was handed over',
    )
  }
})

t.test('A node that stops hands over what it owns, while others ask and without a failed ask', async (t) => {
  const installation = await Installation.make(t, patient)
  const [ann, ben, cyd] = [
    await installation.node('ann'),
    await installation.node('ben'),
    await installation.node('cyd'),
  ]
  const client = await installation.client()
  await waitUntilOwned(client, isRanked('ann', 'ben', 'cyd'))
  const load = new Load(client.engine)
  await load.waitForProgress()
  await ben.stop()
  await waitUntilOwned(client, isRanked('ann', 'cyd'))
  await load.waitForProgress()
  await ann.stop()
  await waitUntilOwned(client, isRanked('cyd'))
  await load.waitForProgress()
  await load.stop()
  t.same([load.failed, load.unknown], [[], []])
  await load.check(t, client.engine)
  for (const node of [ann, ben]) {
    t.same(
      events(node, 'shard.released')
        .map(({ how }) => how)
        .filter((how) => how !== 'release'),
      [],
      'every shard was handed over',
    )
  }
  t.same(
    client.engine
      .inspect()
      .nodes.filter(({ keepsShards }) => keepsShards)
      .map(({ id }) => id),
    [cyd.id],
  )
})

t.test(
  'What a node owned that dies without a word is owned by another, with everything that was answered',
  async (t) => {
    const performed = new Map<string, string[]>()
    const deliver = async (payload: string, { id }: { id: string }) => {
      performed.set(payload, [...(performed.get(payload) ?? []), id])
    }
    const working = { handlers: testHandlers(() => ({ deliver: deliver as never })) }
    const installation = await Installation.make(t, patient)
    const nodes = {
      ann: await installation.node('ann', working),
      ben: await installation.node('ben', working),
      cyd: await installation.node('cyd', working),
    }
    const client = await installation.client(working)
    await waitUntilOwned(client, isRanked('ann', 'ben', 'cyd'))
    const load = new Load(client.engine)
    const pending: Promise<unknown>[] = []
    for (let n = 0; n < 60; n++)
      pending.push(
        executeScript(
          { shards: client.engine },
          `owner-${n}`,
          { effect: `effect ${n}` },
          { tell: `owner-${n + 1}`, run: [{ note: `told ${n}`, text: '' }] },
        ),
      )
    await load.waitForProgress()
    await nodes.ben.crash()
    await waitUntilOwned(client, isRanked('ann', 'cyd'))
    await load.waitForProgress()

    // And it comes back with the data it had, and dies again.
    nodes.ben = await installation.node('ben', working)
    await waitUntilOwned(client, isRanked('ann', 'ben', 'cyd'))
    await load.waitForProgress()
    await Promise.all([nodes.ann.crash(), nodes.ben.crash()])
    await waitUntilOwned(client, isRanked('cyd'))
    await load.waitForProgress()
    await load.stop()
    t.same([load.failed, load.unknown], [[], []])
    await load.check(t, client.engine)
    await Promise.all(pending)
    await waitUntil(() => performed.size === 60)
    for (const [payload, ids] of performed) t.equal(new Set(ids).size, 1, `${payload} went out under one id`)
    for (let n = 0; n < 60; n++) {
      await waitUntil(async () => `told ${n}` in (await seenOf({ shards: client.engine }, `owner-${n + 1}`)).notes)
    }
  },
)

t.test(
  'Snapshots are made as logs grow, logs are trimmed to them, and a cold node is built from snapshot and log',
  async (t) => {
    const installation = await Installation.make(t, smallSnapshots)
    const ann = await installation.node('ann')
    await waitUntilOwned(ann, isRanked('ann'))
    const load = new Load(ann.engine, 6)
    const isTrimmed = async () =>
      Promise.all(allShards.map(async (number) => (await (await ann.bus.log(number)).bounds()).first > 1))
    const used = [...new Set([...load.answered.keys()].map((owner) => shardOf(owner, clusterShards)))]
    await waitUntil(async () => {
      const is = await isTrimmed()
      return used.every((number) => is[number])
    })
    t.ok(events(ann, 'shard.snapshot.created').length >= used.length)
    t.same(events(ann, 'shard.snapshot.failed'), [])

    // The logs go on growing and being trimmed while it joins.
    const ben = await installation.node('ben')
    await waitUntil(async () => (await ben.engine.status()).every(({ copies }) => copies.ben! > 0))
    await waitUntilOwned(ann, isRanked('ann', 'ben'))
    const fromSnapshot = new Set(events(ben, 'shard.copy.rebuilt').map(({ shard: number }) => number))
    t.same(
      used.filter((number) => !fromSnapshot.has(number)),
      [],
      'every trimmed shard was built from a snapshot',
    )
    await load.waitForProgress()
    await load.stop()
    t.same([load.failed, load.unknown], [[], []])
    await waitUntil(async () => (await ann.engine.status()).every(({ copies, last }) => copies.ben === last))
    await ann.stop()
    await waitUntilOwned(ben, isRanked('ben'))
    await load.check(t, ben.engine)

    const cyd = await installation.node('cyd')
    await waitUntilOwned(ben, isRanked('ben', 'cyd'))
    await waitUntil(async () => (await cyd.engine.status()).every(({ copies, last }) => copies.cyd === last))
    await ben.crash()
    await waitUntilOwned(cyd, isRanked('cyd'))
    await load.check(t, cyd.engine)
  },
)

t.test('A node that was away too long for the log is built from a snapshot again', async (t) => {
  const installation = await Installation.make(t, smallSnapshots)
  const ann = await installation.node('ann')
  const ben = await installation.node('ben')
  await waitUntilOwned(ann, isRanked('ann', 'ben'))
  const [owner] = ownersIn(2)
  await executeScript({ shards: ann.engine }, owner!, { note: 'goes', text: 'away' })
  await waitUntil(async () => (await ann.engine.status()).every(({ copies, last }) => copies.ben === last))
  await ben.crash()
  await waitUntilOwned(ann, isRanked('ann'))
  const log = await ann.bus.log(2)
  const { number } = ben.engine.inspect().shards.find((each) => each.shard === 2)!
  let commandCount = 0
  for (; (await log.bounds()).first <= number + 1; commandCount++) {
    await executeScript({ shards: ann.engine }, owner!, { count: 1 }, { note: 'goes', text: String(commandCount) })
  }
  const restarted = await installation.node('ben')
  await waitUntil(async () => (await ann.engine.status()).every(({ copies, last }) => copies.ben === last))
  t.ok(events(restarted, 'shard.copy.rebuilt').some((line) => line.shard === 2))
  await ann.crash()
  await waitUntilOwned(restarted, isRanked('ben'))
  t.same(await seenOf({ shards: restarted.engine }, owner!), {
    journal: [],
    notes: { goes: String(commandCount - 1) },
    counted: commandCount,
  })
})

t.test('Data of an embedded engine grows into a cluster, and every node that joins has it', async (t) => {
  const installation = await Installation.make(t, patient)
  const owners = Array.from({ length: 40 }, (_, n) => `owner-${n}`)
  await withEmbedded(installation.dir('ann'), async (shards) => {
    for (const [n, owner] of owners.entries()) {
      await executeScript(
        { shards },
        owner,
        { count: n },
        { note: 'from', text: 'before' },
        { effect: `kept ${n}`, kind: 'later' },
        { later: 'timer', inMs: 1_000, run: [{ write: 'fired' }] },
      )
      await shards.execute(owner, act, { owner, run: [{ write: 'once' }] }, { id: 'once' })
    }
  })
  const performed: string[] = []
  const working = { handlers: testHandlers(() => ({ later: async (payload: never) => void performed.push(payload) })) }
  const ann = await installation.node('ann', working)
  await waitUntilOwned(ann, isRanked('ann'))
  await waitForJournals(ann, ['once', 'fired'])
  await waitUntil(() => performed.length >= owners.length)
  t.same([...new Set(performed)].length, owners.length, 'effects that were owed are performed')

  const ben = await installation.node('ben')
  await waitUntilOwned(ben, isRanked('ann', 'ben'))
  await waitUntil(async () => (await ben.engine.status()).every(({ copies, last }) => copies.ben === last))
  await ann.crash()
  await waitUntilOwned(ben, isRanked('ben'))
  await waitForJournals(ben, ['once', 'fired'])

  async function waitForJournals(node: ClusterNode, journal: string[]): Promise<void> {
    const shards = node.engine
    for (const [n, owner] of owners.entries()) {
      await waitUntil(async () => (await seenOf({ shards }, owner)).journal.length >= journal.length)
      await shards.execute(owner, act, { owner, run: [{ write: 'once' }] }, { id: 'once' })
      t.same(await seenOf({ shards }, owner), { journal, notes: { from: 'before' }, counted: n })
    }
  }
})

t.test('However often a node dies while it brings its data in, in the end all of it is there', async (t) => {
  const installation = await Installation.make(t, patient)
  const owners = Array.from({ length: 12 }, (_, n) => `owner-${n}`)
  await withEmbedded(installation.dir('ann'), async (shards) => {
    for (const [n, owner] of owners.entries()) await executeScript({ shards }, owner, { count: n + 1 })
  })
  let ann: ClusterNode | undefined
  let deaths = 0
  for (let steps = 0; !ann; steps++) {
    const dying = dyingAfter(steps)
    const opening = installation.open({ dir: installation.dir('ann'), id: 'ann', wrapBus: dying.between })
    ann = await Promise.race([opening, dying.died])
    dying.spare()
    if (!ann) deaths++
  }
  t.ok(deaths > 10, `after ${deaths} deaths`)
  await ann.engine.start()
  const ben = await installation.node('ben')
  await waitUntilOwned(ben, isRanked('ann', 'ben'))
  await waitUntil(async () => (await ben.engine.status()).every(({ copies, last }) => copies.ben === last))
  for (const [n, owner] of owners.entries()) t.equal((await seenOf({ shards: ben.engine }, owner)).counted, n + 1)
  await ann.crash()
  await waitUntilOwned(ben, isRanked('ben'))
  for (const [n, owner] of owners.entries()) t.equal((await seenOf({ shards: ben.engine }, owner)).counted, n + 1)
})

t.test('A node that does not belong to the installation is told so in a sentence, and joins nothing', async (t) => {
  const installation = await Installation.make(t, patientButFor({ cluster: { joinMs: 300 } }))
  await t.rejects(installation.client(), {
    name: 'BusUnusable',
    message: /know no installation yet. Start a node with the role shards first/,
  })

  const ann = await installation.node('ann')
  await waitUntilOwned(ann, isRanked('ann'))
  await executeScript({ shards: ann.engine }, 'a', { count: 1 })
  await t.rejects(installation.node('ben', { shards: 4 }), {
    name: 'BusUnusable',
    message: /laid out in 6 shards, but 4 are configured. Set PARLEY_SHARDS to 6/,
  })
  await t.rejects(installation.client({ shards: 12 }), { name: 'BusUnusable', message: /laid out in 6 shards, but 12/ })
  await t.rejects(installation.node('cyd', { rootKeyName: 'another' }), {
    name: 'BusUnusable',
    message: /another root key/,
  })
  await t.rejects(installation.client({ rootKeyName: 'another' }), { name: 'BusUnusable', message: /another root key/ })
  await withEmbedded(
    installation.dir('dan'),
    async (shards) => void (await executeScript({ shards }, 'a', { count: 5 })),
  )
  await t.rejects(installation.node('dan'), { name: 'BusUnusable', message: /belongs to another installation/ })

  t.same(
    ann.engine.inspect().nodes.map(({ id }) => id),
    ['ann'],
  )
  t.equal((await seenOf({ shards: ann.engine }, 'a')).counted, 1)
  await withEmbedded(installation.dir('dan'), async (shards) => {
    t.equal((await seenOf({ shards }, 'a')).counted, 5, 'and nothing was done to its data')
  })
  const cyd = await installation.node('cyd')
  t.equal(
    cyd.store!.identity.installation,
    ann.store!.identity.installation,
    'with the right key it takes on the name of the installation',
  )
})

t.test('A shard that is moved by hand goes there and stays, as long as the node is there', async (t) => {
  const installation = await Installation.make(t, patient)
  const [ann, ben] = [await installation.node('ann'), await installation.node('ben')]
  const client = await installation.client()
  await waitUntilOwned(client, isRanked('ann', 'ben'))
  const load = new Load(client.engine)
  await load.waitForProgress()
  const mine = shardsRanked('ann', 'ben').indexOf('ann')
  const [owner] = ownersIn(mine)
  const tenure = ann.engine.ownershipEpoch(owner!)
  t.type(tenure, 'number')
  t.equal(await client.engine.move(mine, 'ben'), undefined)
  const moved = shardsRanked('ann', 'ben').map((id, number) => (number === mine ? 'ben' : id))
  await waitUntilOwned(client, (owners) => String(owners) === String(moved))
  t.equal((await client.engine.status())[mine]!.pinned, 'ben')
  t.equal(ann.engine.ownershipEpoch(owner!), undefined)
  t.type(ben.engine.ownershipEpoch(owner!), 'number')
  await load.waitForProgress()
  t.same(ownersOf(await ann.engine.status()), moved)

  const cyd = await installation.node('cyd')
  const three = shardsRanked('ann', 'ben', 'cyd').map((id, number) => (number === mine ? 'ben' : id))
  await waitUntilOwned(client, (owners) => String(owners) === String(three))
  await cyd.stop()
  await ben.stop()
  await waitUntilOwned(client, isRanked('ann'))
  t.type(ann.engine.ownershipEpoch(owner!), 'number')
  t.not(ann.engine.ownershipEpoch(owner!), tenure, 'a shard that came back is under another tenure')
  const restarted = await installation.node('ben')
  await waitUntilOwned(client, (owners) => String(owners) === String(moved))
  t.equal(await restarted.engine.move(mine, undefined), undefined)
  await waitUntilOwned(client, isRanked('ann', 'ben'))
  t.equal((await client.engine.status())[mine]!.pinned, undefined)
  await load.stop()
  t.same([load.failed, load.unknown], [[], []])
  await load.check(t, client.engine)
})

t.test('An answer that was lost or is late is asked for again, and the command is decided once', async (t) => {
  const installation = await Installation.make(t, patient)
  const ann = await installation.node('ann', { limits: patientButFor({ shard: { mailboxCommands: 1 } }) })
  await waitUntilOwned(ann, isRanked('ann'))
  let [sent, requests] = [0, 0]
  // Of three answers two are lost on their way back.
  const loseAppends = (bus: Bus): Bus => ({
    ...bus,
    async request(subject, body, withinMs) {
      sent++
      const answer = await bus.request(subject, body, withinMs)
      if (subject.startsWith('shard.') && requests++ % 3 < 2) throw new BusUnreachable('lost')
      return answer
    },
  })
  const client = await installation.client({ wrapBus: loseAppends })
  for (let n = 1; n <= 20; n++) {
    t.match(await executeScript({ shards: client.engine }, 'a', { count: 1 }, { write: String(n) }), { counted: n })
  }
  t.ok(requests >= 60)
  t.equal((await seenOf({ shards: ann.engine }, 'a')).journal.length, 20)

  // Asked many times while it waits, it takes one place: the mailbox has no more.
  const limits = patientButFor({ shard: { requestFirstMs: 10, requestMs: 10 } })
  const hasty = await installation.client({ wrapBus: loseAppends, limits })
  sent = 0
  const release = ann.clock.holdTicks()
  const late = executeScript({ shards: hasty.engine }, 'a', { count: 1 })
  await waitUntil(() => sent > 10)
  release()
  t.match(await late, { counted: 21 })
  t.equal((await seenOf({ shards: ann.engine }, 'a')).counted, 21)
})

t.test('Whoever is refused after an ask without an answer is told that it is not known what came of it', async (t) => {
  const installation = await Installation.make(t, patientButFor({ shard: { mailboxCommands: 1 } }))
  const ann = await installation.node('ann')
  await waitUntilOwned(ann, isRanked('ann'))
  let lose = 0
  const loseAppends = (bus: Bus): Bus => ({
    ...bus,
    async request(subject, body, withinMs) {
      if (lose > 0 && subject.startsWith('shard.') && lose--) throw new BusUnreachable('lost')
      return bus.request(subject, body, withinMs)
    },
  })
  const client = await installation.client({ wrapBus: loseAppends })
  const release = ann.clock.holdTicks()
  const first = executeScript({ shards: ann.engine }, 'a', { write: 'first' })
  lose = 1
  const second = await executeScript({ shards: client.engine }, 'a', { write: 'second' })
  t.match(second, { refused: 'service.unavailable', detail: /may or may not/, headers: { 'retry-after': '1' } })
  const third = await executeScript({ shards: client.engine }, 'a', { write: 'third' })
  t.match(third, { refused: 'service.unavailable', headers: { 'retry-after': '1' } })
  t.notOk('detail' in third && third.detail, 'this one had its answer')
  release()
  t.match(await first, { place: 1 })
  t.same((await seenOf({ shards: client.engine }, 'a')).journal, ['first'])
})

t.test('While the servers are silent nothing is acknowledged, and afterwards everything goes on', async (t) => {
  const installation = await Installation.make(t, patient)
  const limits = patientButFor({ shard: { executeMs: 1_500 } })
  const [ann, ben] = [await installation.node('ann', { limits }), await installation.node('ben')]
  const client = await installation.client()
  await waitUntilOwned(client, isRanked('ann', 'ben'))
  const load = new Load(client.engine)
  await load.waitForProgress()
  await installation.nats.pause()
  const mine = ownersIn(shardsRanked('ann', 'ben').indexOf('ann')).at(-1)!
  const answer = await executeScript({ shards: ann.engine }, mine, { write: 'perhaps' })
  t.match(answer, { refused: 'service.unavailable', detail: /may or may not/ }, 'also where the shard is')
  await waitUntil(() => ann.engine.ownershipEpoch(mine) === undefined)
  t.type(ann.engine.inspect().failure, 'string')
  t.match(
    await ann.engine.query(mine, seenQuery, mine),
    { refused: 'service.unavailable' },
    'nor is anything read that may be old',
  )
  installation.nats.resume()
  await waitUntilOwned(client, isRanked('ann', 'ben'))
  await waitUntil(() => ann.engine.inspect().failure === undefined && ben.engine.inspect().failure === undefined)
  await load.waitForProgress()
  await load.stop()
  t.same(
    load.failed.filter((each) => !(each as { refused?: string }).refused),
    [],
  )
  await load.check(t, client.engine)
  const { journal } = await seenOf({ shards: client.engine }, mine)
  t.ok(journal.filter((word) => word === 'perhaps').length <= 1)
})

t.test('Servers that restart, and so forget who was there, change nothing', async (t) => {
  const installation = await Installation.make(t, patient)
  const [ann] = [await installation.node('ann'), await installation.node('ben')]
  const client = await installation.client()
  await waitUntilOwned(client, isRanked('ann', 'ben'))
  const load = new Load(client.engine)
  await load.waitForProgress()
  await installation.nats.kill()
  await installation.nats.start()
  await load.waitForProgress()
  await waitUntilOwned(client, isRanked('ann', 'ben'))
  await load.waitForProgress()
  await load.stop()
  t.same(load.failed, [])
  await load.check(t, client.engine)
  t.same(events(ann, 'shard.copy.diverged'), [])
})

t.test('Servers that lost their disks are given back what the nodes have', async (t) => {
  const installation = await Installation.make(t, patient)
  const nodes = [await installation.node('ann'), await installation.node('ben')]
  const client = await installation.client()
  await waitUntilOwned(client, isRanked('ann', 'ben'))
  const load = new Load(client.engine)
  await load.waitForProgress(200)
  await load.stop()
  await installation.nats.end()
  installation.nats.loseDisk()
  await installation.nats.start()
  const more = new Load(client.engine, 4)
  await more.waitForProgress()
  await more.stop()
  await waitUntilOwned(client, isRanked('ann', 'ben'))
  for (const [owner, words] of more.answered) load.answered.get(owner)!.push(...words)
  t.same([load.failed, load.unknown], [[], []])
  t.same(more.failed, [])
  load.unknown.push(...more.unknown)
  await load.check(t, client.engine)
  t.ok(
    nodes.some((node) => events(node, 'shard.log.reseeded').length > 0),
    'and operators are told',
  )
  const cyd = await installation.node('cyd')
  await waitUntilOwned(client, isRanked('ann', 'ben', 'cyd'))
  await waitUntil(async () => (await client.engine.status()).every(({ copies, last }) => copies.cyd === last))
  for (const node of nodes) await node.stop()
  await waitUntilOwned(cyd, isRanked('cyd'))
  await load.check(t, cyd.engine)
})

t.test(
  'Whoever watches a table hears of changes in the shards that its process owns, wherever they were asked',
  async (t) => {
    const installation = await Installation.make(t, patient)
    const [ann, ben] = [await installation.node('ann'), await installation.node('ben')]
    const watchedOwners = { ann: new Set<string>(), ben: new Set<string>() }
    ann.engine.watch(counters, ([owner]) => watchedOwners.ann.add(owner))
    ben.engine.watch(counters, ([owner]) => watchedOwners.ben.add(owner))
    await waitUntilOwned(ann, isRanked('ann', 'ben'))
    await waitUntilOwned(ben, isRanked('ann', 'ben'))
    const owners = Array.from({ length: 30 }, (_, n) => `owner-${n}`)
    for (const owner of owners) {
      await executeScript({ shards: ann.engine }, owner, { count: 1 })
      const at = shardsRanked('ann', 'ben')[shardOf(owner, clusterShards)] as 'ann' | 'ben'
      t.ok(watchedOwners[at].has(owner), `${at} heard of it before it was answered`)
    }
    t.same(
      [...watchedOwners.ann].filter((owner) => watchedOwners.ben.has(owner)),
      [],
      'and nobody of what is another’s',
    )
  },
)

t.test(
  'A cluster of nodes of which one does not know a command yet refuses it for now, and asks on for what it knows',
  async (t) => {
    const installation = await Installation.make(t, patient)
    const future = { ...act, name: 'test.future' }
    const newer = { handlers: testHandlers(undefined, { commands: [future as never] }) }
    const ann = await installation.node('ann')
    await waitUntilOwned(ann, isRanked('ann'))
    const client = await installation.client(newer)
    t.match(await client.engine.execute('a', future, { owner: 'a', run: [{ count: 1 }] }), {
      refused: 'service.unavailable',
    })
    t.match(await executeScript({ shards: client.engine }, 'a', { count: 1 }), { counted: 1 })
    await ann.stop()
    const upgraded = await installation.node('ann', newer)
    await waitUntilOwned(upgraded, isRanked('ann'))
    t.match(await client.engine.execute('a', future, { owner: 'a', run: [{ count: 1 }] }), { counted: 2 })
  },
)

/** Opens an embedded engine on a folder, lets it do something, and stops it. */
async function withEmbedded(dir: string, work: (shards: Shards) => Promise<void>): Promise<void> {
  const store = await openStore({ dir, shards: clusterShards })
  const clock = createRealTime().process()
  let ids = 0
  const { log } = createLog({ destination: { write: () => true } })
  const engine = openEmbedded({
    store,
    shards: clusterShards,
    handlers: testHandlers(),
    clock,
    newCommandId: () => `embedded-${++ids}`,
    log,
  })
  await engine.start()
  await work(engine)
  await engine.stop()
  await store.close()
  clock.end()
}

/** A process that dies at the bus operation after so many, half of the time once it was carried out and half before. */
function dyingAfter(steps: number) {
  let remaining = steps
  let reportDeath = () => {}
  const died = new Promise<undefined>((resolve) => {
    reportDeath = () => resolve(undefined)
  })
  const dies = (die: () => Promise<void>) => new Promise<never>(() => void die().then(reportDeath))
  function dieOnCall<T extends object>(part: T, die: () => Promise<void>): T {
    return new Proxy(part, {
      get(target, name, receiver) {
        const member = Reflect.get(target, name, receiver) as object
        if (name === 'settings' || name === 'members' || name === 'snapshots') return dieOnCall(member, die)
        if (typeof member !== 'function' || name === 'close') return member
        return (...all: unknown[]) => {
          const isLast = remaining-- === 0
          if (isLast && steps % 2 === 0) return dies(die)
          const answer: unknown = Reflect.apply(member, target, all)
          if (isLast) return Promise.resolve(answer).then(() => dies(die))
          return name === 'log' ? Promise.resolve(answer as object).then((log) => dieOnCall(log, die)) : answer
        }
      },
    })
  }
  const spare = () => {
    remaining = -1
  }
  return { died, spare, between: (bus: Bus, die: () => Promise<void>) => dieOnCall(bus, die) }
}

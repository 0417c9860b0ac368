/** How a snapshot is taken: everybody once, in bounded commits, whole or not at all. */
import fc from 'fast-check'
import t from 'tap'
import { hour } from '../../../core/durations.js'
import { campaign as limits } from '../../../core/limits/index.js'
import type { PersonChange } from '../../../core/people/change.js'
import { allTables, listTable, recipientTable, seenTable, stagingTable } from '../../../mgmt/campaigns/store.js'
import { readerFor } from '../../contract/shards/fixture.js'
import { outreach, owner } from '../outreach/fixture.js'
import { type CampaignsFixture, openCampaignsFixture, type PersonSpec } from './fixture.js'

const zero = {
  noConsent: 0,
  previouslyContacted: 0,
  frequencyGated: 0,
  noChannelIdentity: 0,
  channelUnresolved: 0,
  templateBlocked: 0,
  optedOut: 0,
}

function marketing(fixture: CampaignsFixture): void {
  fixture.sends.document = {
    ...fixture.sends.document,
    messageTemplates: [{ id: 'hi', name: 'Hi', body: 'Hello {person.firstName|block-send}!' }],
    outreach: [{ ...outreach, class: 'marketing' }],
  }
}

const ann: PersonChange = { firstName: 'Ann' }

/** Every reason that excludes a person, in the order in which it is checked. */
const exclusionFields = {
  noConsent: { consent: { status: 'unknown' } },
  previouslyContacted: { received: ['hello'] },
  frequencyGated: { marketingAt: Number.MAX_SAFE_INTEGER },
  noChannelIdentity: { isUnreachable: true },
  templateBlocked: { firstName: null },
  optedOut: { isStopped: true },
} as const satisfies Record<string, PersonSpec>
type Mark = keyof typeof exclusionFields
const order = Object.keys(exclusionFields) as Mark[]

const entered = (of: readonly Mark[]): PersonSpec =>
  Object.assign({}, ann, ...order.filter((mark) => of.includes(mark)).map((mark) => exclusionFields[mark]))

t.test('Each check leaves out whom it is about, and everybody else can be sent to', async (t) => {
  const fixture = await openCampaignsFixture(t)
  marketing(fixture)
  await fixture.people([entered([]), ...order.map((mark) => entered([mark]))])
  const { id } = await fixture.draft()
  const staged = await fixture.stage(id)
  t.strictSame(staged.counts, {
    total: 7,
    sendable: 1,
    exclusions: { ...zero, ...Object.fromEntries(order.map((mark) => [mark, 1])) },
  })
  t.match(staged.durationEstimate, [
    { provider: 'emulator', channel: 'rcs', recipients: 1, perSecond: 100, seconds: 1 },
  ])
  t.match(staged.previews, [{ text: 'Hello Ann!', message: { parts: [{ type: 'text' }] } }])
  const blocked = (await fixture.recipients(id)).find(({ reason }) => reason === 'template_blocked')
  t.match(blocked, { state: 'excluded', detail: /person\.firstName/ })
  t.equal(await fixture.mismatch(id), undefined)
})

t.test('Whatever is true of people, total = sendable + exclusions, and the first check decides', async (t) => {
  const fixture = await openCampaignsFixture(t)
  marketing(fixture)
  let batch = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.subarray(order), { minLength: 1, maxLength: 30 }), async (all) => {
      const importBatchId = `batch-${batch++}`
      await fixture.people(all.map((of) => ({ ...entered(of), importBatchId })))
      const { id } = await fixture.draft({ audience: { importBatchId } })
      const { counts } = await fixture.stage(id)
      const expected = { ...zero }
      for (const of of all) {
        const first = order.find((mark) => of.includes(mark))
        if (first) expected[first]++
      }
      t.strictSame(counts, {
        total: all.length,
        sendable: all.filter((of) => of.length === 0).length,
        exclusions: expected,
      })
    }),
    { numRuns: 25 },
  )
})

t.test('Without a binding nobody can be sent to, and channelUnresolved says so', async (t) => {
  const fixture = await openCampaignsFixture(t)
  fixture.paces = []
  await fixture.people(2)
  const { id } = await fixture.draft()
  t.match(await fixture.stage(id), { counts: { total: 2, sendable: 0, exclusions: { channelUnresolved: 2 } } })
  t.match(await fixture.refusalOf(fixture.area.commands.start as never, { campaignId: id }), {
    refused: 'agent.campaign.state_conflict',
    detail: /No recipient/,
  })
})

t.test('includePreviouslyContacted defaults false for marketing and true for service', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people([{ received: ['hello'] }, { received: ['another'] }])
  const sendable = async (more: object = {}) => {
    const { id } = await fixture.draft(more)
    return (await fixture.stage(id)).counts.sendable
  }
  t.equal(await sendable(), 2)
  t.equal(await sendable({ includePreviouslyContacted: false }), 1)
  fixture.sends.document = { ...fixture.sends.document, outreach: [{ ...outreach, class: 'marketing' }] }
  t.equal(await sendable(), 1)
  t.equal(await sendable({ includePreviouslyContacted: true }), 2)
})

t.test('An audience is a segment, a filter, an import, a list of people or personas', async (t) => {
  const fixture = await openCampaignsFixture(t)
  fixture.sends.document = {
    ...fixture.sends.document,
    segments: [{ id: 'gold', name: 'Gold', filter: { tag: 'gold' } }],
  }
  const [gold, other, read, sandboxPerson] = await fixture.people([
    { tags: ['gold'] },
    { tags: ['gold'], status: 'lost' },
    { importBatchId: 'ib_1' },
    { sandbox: true },
  ])
  fixture.personas.set('ps_1', sandboxPerson!.id)
  for (const [audience, ids] of [
    [{ segmentId: 'gold' }, [gold!.id, other!.id]],
    [{ filter: { tag: 'gold', status: 'lost' } }, [other!.id]],
    [{ filter: {} }, [gold!.id, other!.id, read!.id]],
    [{ importBatchId: 'ib_1' }, [read!.id]],
    [{ personIds: [read!.id, gold!.id, read!.id] }, [read!.id, gold!.id]],
    [{ personaIds: ['ps_1'] }, [sandboxPerson!.id]],
  ] as const) {
    const { id } = await fixture.draft({ audience: audience as never })
    await fixture.stage(id)
    const rows = await fixture.recipients(id, 'pending')
    t.same(rows.map(({ personId }) => personId).sort(), [...ids].sort(), JSON.stringify(audience))
  }
})

t.test(
  'Whom a list names twice counts once, merged people too, and nobody is reached under an id that nobody has',
  async (t) => {
    const fixture = await openCampaignsFixture(t)
    const [into, merged, sandboxed] = await fixture.people([{}, {}, { sandbox: true }])
    await fixture.ask(fixture.sends.people.commands.merge, { personId: into!.id, from: merged!.id })
    for (const personIds of [
      [into!.id, merged!.id],
      [merged!.id, into!.id],
    ]) {
      const { id } = await fixture.draft({ audience: { personIds } })
      t.match(await fixture.stage(id), { counts: { total: 1, sendable: 1 } })
    }
    const { id } = await fixture.draft({ audience: { personIds: [into!.id, 'pr_nobody', sandboxed!.id] } })
    t.match(await fixture.stage(id), { counts: { total: 3, sendable: 1, exclusions: { noChannelIdentity: 2 } } })
  },
)

t.test('A large audience is staged in bounded commits, and re-staging replaces the snapshot', async (t) => {
  const fixture = await openCampaignsFixture(t)
  const size = 2 * limits.peoplePerStep + 10
  const all = await fixture.people(size)
  const { id } = await fixture.draft({ audience: { personIds: all.map((each) => each.id) } })
  t.match(await fixture.stage(id), { counts: { total: size, sendable: size } })
  t.equal((await fixture.recipients(id)).length, size)
  await fixture.people(1)
  const before = await fixture.get(id)
  await fixture.stage(id)
  t.equal((await fixture.get(id)).status, 'staged')
  t.ok((await fixture.get(id)).stagedAt! >= before.stagedAt!)
  const rows = () => [...readerFor(fixture.sends.fixture, owner).range(recipientTable)].length
  await fixture.eventually(() => rows() === size, 1_000)
  t.equal((await fixture.recipients(id)).length, size, 'the old one is gone, the new one is whole')
})

t.test('A snapshot that is not whole is never read, and is carried on after a crash', async (t) => {
  const fixture = await openCampaignsFixture(t)
  const size = 3 * limits.peoplePerStep
  const all = await fixture.people(size)
  const { id } = await fixture.draft({ audience: { personIds: all.map((each) => each.id) } })
  const begun = await fixture.ask(fixture.area.commands.beginStaging, { campaignId: id })
  t.equal(await fixture.ask(fixture.area.commands.step, begun), 'more')
  t.same(await fixture.recipients(id), [])
  t.match(await fixture.report(id), { total: 0 })
  t.match(await fixture.get(id), { status: 'draft' })
  t.match(await fixture.refusalOf(fixture.area.commands.start as never, { campaignId: id }), {
    refused: 'agent.campaign.state_conflict',
  })
  await fixture.sends.crash()
  await fixture.waitForStatus(id, 'staged', limits.stageTakeoverMs)
  t.match(await fixture.get(id), { counts: { total: size, sendable: size } })
  t.equal((await fixture.recipients(id)).length, size)
  t.equal(await fixture.mismatch(id), undefined)
})

t.test('Whoever stages while it is staged joins in', async (t) => {
  const fixture = await openCampaignsFixture(t)
  const all = await fixture.people(2 * limits.peoplePerStep)
  const { id } = await fixture.draft({ audience: { personIds: all.map((each) => each.id) } })
  const staged = await Promise.all([fixture.stage(id), fixture.stage(id)])
  t.same(staged[0], staged[1])
  t.equal((await fixture.recipients(id)).length, all.length)
})

t.test('Any edit drops the snapshot, also one that is just being taken, and all its rows go', async (t) => {
  const fixture = await openCampaignsFixture(t)
  const all = await fixture.people(2 * limits.peoplePerStep)
  const personIds = all.map((each) => each.id)
  const { id } = await fixture.draft({ audience: { personIds } })
  await fixture.stage(id)
  const begun = await fixture.ask(fixture.area.commands.beginStaging, { campaignId: id })
  await fixture.ask(fixture.area.commands.step, begun)
  const edited = await fixture.ask(fixture.area.commands.change, { campaignId: id, patch: { name: 'Summer' } })
  t.match(edited, { status: 'draft', name: 'Summer', audience: { personCount: all.length } })
  t.equal(edited.counts, undefined)
  t.equal(await fixture.ask(fixture.area.commands.step, begun), 'abandoned')
  t.same(await fixture.recipients(id), [])
  const reader = readerFor(fixture.sends.fixture, owner)
  const remainingRows = () =>
    [recipientTable, seenTable, stagingTable].flatMap((table) => [...reader.range(table as never)])
  await fixture.eventually(() => remainingRows().length === 0, 1_000)
  t.match(await fixture.stage(id), { counts: { total: all.length } }, 'the list of people is still there')
  await fixture.ask(fixture.area.commands.change, { campaignId: id, patch: { audience: { filter: {} } } })
  await fixture.eventually(() => remainingRows().length === 0, 1_000)
  await fixture.eventually(() => [...reader.range(listTable)].length === 0, 1_000)
})

t.test('Starting sends the snapshot that is whole, and gives up the one that is being taken', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people(3)
  const { id } = await fixture.draft()
  await fixture.stage(id)
  await fixture.people(5)
  await fixture.ask(fixture.area.commands.beginStaging, { campaignId: id })
  await fixture.move(id, 'start')
  await fixture.waitForStatus(id, 'completed')
  t.equal((await fixture.report(id)).total, 3)
  await fixture.sends.fixture.time.advance(hour)
  t.equal((await fixture.report(id)).total, 3)
})

t.test('A campaign whose opening does not resolve is agent.campaign.invalid', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people(1)
  const { id } = await fixture.draft()
  const { document } = fixture.sends
  const refusals = async () => fixture.refusalOf(fixture.area.commands.beginStaging as never, { campaignId: id })
  for (const broken of [
    { ...document, messageTemplates: [] },
    { ...document, outreach: [{ ...outreach, enabled: false }] },
    { ...document, outreach: [] },
    { ...document, messageTemplates: [{ id: 'hi', name: 'Hi', body: 'See [[things: gone]]' }] },
    { ...document, messageTemplates: [{ id: 'hi', name: 'Hi', body: '[[template: gone]]' }] },
  ]) {
    fixture.sends.document = broken
    t.match(await refusals(), { refused: 'agent.campaign.invalid', errors: [{ field: 'outreachId' }] })
  }
  fixture.sends.document = {
    ...document,
    messageTemplates: [{ id: 'hi', name: 'Hi', body: 'Hello {person.firstName|block-send}!' }],
  }
  t.equal(await refusals(), undefined, 'a slot that some are missing is no reason')
})

t.test('An agent has a bounded number of campaigns that are not over', async (t) => {
  const fixture = await openCampaignsFixture(t)
  const made = await Promise.all(Array.from({ length: limits.unfinished }, () => fixture.draft()))
  const body = { name: 'One more', outreachId: 'hello', audience: { filter: {} } }
  const create = () => fixture.refusalOf(fixture.area.commands.create as never, { body })
  t.match(await create(), { refused: 'request.invalid' })
  await fixture.move(made[0]!.id, 'cancel')
  t.equal(await create(), undefined)
})

t.test('What an agent that is gone kept goes, and so does a deleted campaign', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people(2 * limits.rowsPerSweep)
  const { id } = await fixture.draft()
  await fixture.stage(id)
  await fixture.ask(fixture.area.commands.remove, { campaignId: id })
  const reader = readerFor(fixture.sends.fixture, owner)
  await fixture.eventually(() => [...reader.range(recipientTable)].length === 0, 1_000)
  const { id: other } = await fixture.draft()
  await fixture.stage(other)
  await fixture.ask({ name: 'test.agentRemoved', decide: () => true }, {})
  const remainingRows = () => allTables.flatMap((table) => [...reader.range(table)])
  await fixture.eventually(() => remainingRows().length === 0, 1_000)
})

/** How a campaign is sent: in order, once each, exactly on where it stopped, and to its end. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { day, hour, minute, second } from '../../../core/durations.js'
import { refuse } from '../../../core/errors.js'
import { campaign as limits, outreachSend } from '../../../core/limits/index.js'
import type { Person } from '../../../core/people/person.js'
import { dispatchTable, recipientTable } from '../../../mgmt/campaigns/store.js'
import { createMetrics } from '../../../runtime/observe/metrics.js'
import type { Command, Tx } from '../../../runtime/shard/contract.js'
import { isSent, outreach } from '../outreach/fixture.js'
import { type CampaignsFixture, openCampaignsFixture, type PersonSpec } from './fixture.js'

const { batchRows } = limits.idle

/** Keeps the sends of recipients as they were kept before turns were. */
const intoRows: Command<object, true> = {
  name: 'test.intoRows',
  decide(tx) {
    for (const { key, value } of [...tx.range(dispatchTable)]) {
      for (const [nth, row] of value.rows.entries()) {
        const at = [...key.slice(0, 5), row] as unknown as typeof key
        tx.put(recipientTable, at, { ...tx.get(recipientTable, at)!, sendId: value.sendIds[nth]! })
      }
      tx.remove(dispatchTable, key)
    }
    return true
  },
}

t.test('Every recipient is sent to once, batch by batch in the order of the snapshot, and it completes', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people(2 * batchRows + 20)
  const id = await fixture.startNew()
  t.ok((await fixture.waitForStatus(id, 'completed')).endedAt)
  const rows = (await fixture.recipients(id)).map(({ asid }) => asid!)
  const openedAsids = fixture.sends.acceptedOpenings.map(({ asid }) => asid)
  t.same(openedAsids.toSorted(), rows.toSorted())
  for (let from = 0; from < rows.length; from += batchRows) {
    const batch = rows.slice(from, from + batchRows)
    t.same(
      openedAsids.filter((asid) => batch.includes(asid)),
      batch,
      'a batch asks its conversations in its order',
    )
  }
  t.match(fixture.sends.acceptedOpenings[0], { isBatch: true, attempt: 1, quietMs: outreachSend.quietMs })
  t.match(await fixture.report(id), { states: { sent: rows.length, pending: 0 }, total: rows.length, test: false })
  t.equal(await fixture.mismatch(id), undefined)
  const moves = () =>
    fixture.sends.events
      .filter(({ type }) => type === 'campaign.status_changed')
      .map(({ data }) => `${data.from} ${data.status}`)
  await fixture.eventually(() => moves().length === 3)
  t.same(moves(), ['draft staged', 'staged running', 'running completed'])
})

t.test(
  'While the API is called a campaign has less on its way and rests in between, and goes on alone as before',
  async (t) => {
    const fixture = await openCampaignsFixture(t)
    fixture.paces = [{ channel: 'rcs', provider: 'emulator' }]
    const { idle: alone, underLoad: besideCallers } = limits
    const people = alone.unthrottledInFlightRows + besideCallers.unthrottledInFlightRows + alone.batchRows
    await fixture.people(people)
    fixture.sends.scripts.push(
      ...Array.from({ length: people }, () => ({ deliveryReports: [{ state: 'sent' as const }], isLate: true })),
    )
    fixture.window = besideCallers
    const id = await fixture.startNew()
    let turns = 0
    await fixture.eventually(() => fixture.sends.acceptedOpenings.length >= besideCallers.batchRows && turns++ > 20)
    t.equal(fixture.sends.acceptedOpenings.length, besideCallers.batchRows, 'the next ones have to wait a little')
    await fixture.eventually(
      () => fixture.sends.acceptedOpenings.length === besideCallers.unthrottledInFlightRows,
      besideCallers.intervalMs,
    )
    t.match(await fixture.report(id), { states: { sending: besideCallers.unthrottledInFlightRows } })
    fixture.window = alone
    await fixture.sends.reportLate()
    await fixture.eventually(
      () =>
        fixture.sends.acceptedOpenings.length === besideCallers.unthrottledInFlightRows + alone.unthrottledInFlightRows,
    )
    t.match(await fixture.report(id), { states: { sending: alone.unthrottledInFlightRows } })
    fixture.window = besideCallers
    await fixture.eventually(async () => {
      await fixture.sends.reportLate()
      return (await fixture.get(id)).status === 'completed'
    }, besideCallers.intervalMs)
    t.equal(new Set(fixture.sends.acceptedOpenings.map(({ sendId }) => sendId)).size, people)
    t.equal(fixture.sends.acceptedOpenings.length, people)
  },
)

t.test('Each row is also a send with origin campaign and campaignId', async (t) => {
  const fixture = await openCampaignsFixture(t)
  const [person] = await fixture.people(1)
  const id = await fixture.startNew()
  await fixture.waitForStatus(id, 'completed')
  const [row] = await fixture.recipients(id)
  t.match(await fixture.sends.read(row!.sendId!), {
    origin: 'campaign',
    campaignId: id,
    outreachId: 'hello',
    personId: person!.id,
    state: 'sent',
    asid: row!.asid,
  })
  const repeated = await fixture.sends.create({ recipient: { kind: 'person', personId: person!.id } })
  t.match(repeated, { status: 'duplicate', sendId: row!.sendId }, 'who names no key finds that they have got it today')
  const [other] = await fixture.people(1)
  const toOther = { recipient: { kind: 'person' as const, personId: other!.id } }
  t.match(await fixture.sends.create(toOther), { status: 'queued' }, 'it was sent to others alone')
  fixture.sends.document = { ...fixture.sends.document, outreach: [outreach, { ...outreach, id: 'else' }] }
  const toBoth = { recipient: { kind: 'person' as const, personId: person!.id } }
  t.match(
    await fixture.sends.create({ ...toBoth, outreachId: 'else' }),
    { status: 'queued' },
    'it was another outreach',
  )
  await fixture.sends.fixture.time.advance(day)
  t.match(await fixture.sends.create(toBoth), { status: 'queued' }, 'it was yesterday')
})

t.test('A stretch of recipients shows the send of each, wherever it begins and ends', async (t) => {
  const fixture = await openCampaignsFixture(t)
  fixture.window = { ...limits.idle, batchRows: 7 }
  const people = 60
  await fixture.people(Array.from({ length: people }, (_, nth) => (nth % 5 === 3 ? { isStopped: true as const } : {})))
  const id = await fixture.startNew()
  await fixture.waitForStatus(id, 'completed')
  const all = await fixture.recipients(id)
  const sent = new Map(fixture.sends.acceptedOpenings.map(({ asid, sendId }) => [asid, sendId]))
  for (const { asid, sendId, state } of all) {
    t.equal(sendId, state === 'excluded' ? undefined : sent.get(asid!))
  }
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: -1, max: people }), fc.integer({ min: 1, max: 20 }), async (after, limit) => {
      const request = { campaignId: id, limit, ...(after >= 0 && { after }) }
      const { rows } = await fixture.read(fixture.area.queries.recipients, request)
      t.same(
        rows.map(({ view }) => view),
        all.slice(after + 1, after + 1 + limit),
      )
    }),
  )
})

t.test('Every attempt of a campaign is counted by what came of it', async (t) => {
  const metrics = createMetrics()
  const fixture = await openCampaignsFixture(t, [], metrics)
  await fixture.people(12)
  fixture.sends.scripts.push({ answer: { reason: 'x', retry: 'never' } }, { answer: { reason: 'x', retry: 'never' } })
  await fixture.waitForStatus(await fixture.startNew(), 'completed')
  const { text } = await metrics.render()
  const counts = [...text.matchAll(/^parley_send_attempts_total\{outcome="(\w+)"\} ([1-9]\d*)$/gm)]
  t.same(Object.fromEntries(counts.map(([, outcome, count]) => [outcome, Number(count)])), {
    accepted: 10,
    refusedPermanently: 2,
  })
})

t.test('A row that holds its send itself, as rows once did, is shown with it', async (t) => {
  const fixture = await openCampaignsFixture(t, [intoRows])
  await fixture.people(5)
  const id = await fixture.startNew()
  await fixture.waitForStatus(id, 'completed')
  const before = await fixture.recipients(id)
  t.ok(before.every(({ state, sendId }) => state === 'sent' && sendId))
  await fixture.ask(intoRows, {})
  t.same(await fixture.recipients(id), before)
})

t.test('Delivered and read are promoted from receipts, and what is promoted counts once', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people(4)
  const deliveryReports = (...states: ('sent' | 'delivered' | 'read' | 'failed')[]) => ({
    deliveryReports: states.map((state) => ({ state, retry: 'never' as const })),
  })
  fixture.sends.scripts.push(
    deliveryReports('sent'),
    deliveryReports('sent', 'delivered'),
    deliveryReports('sent', 'delivered', 'read'),
    deliveryReports('sent', 'failed'),
  )
  const id = await fixture.startNew()
  await fixture.waitForStatus(id, 'completed')
  const expected = { sent: 1, delivered: 1, read: 1, failed: 1 }
  await fixture.eventually(async () => (await fixture.report(id)).states.failed === 1)
  t.match(await fixture.report(id), { states: expected, reasons: { delivery_failed: 1 }, total: 4 })
  t.equal(await fixture.mismatch(id), undefined)
})

t.test('Pause hands out nothing more, and resume continues exactly where it stopped', async (t) => {
  const fixture = await openCampaignsFixture(t)
  fixture.paces = [{ channel: 'rcs', provider: 'emulator', perSecond: 1 }]
  const people = limits.inFlightMinRows + 2 * batchRows
  await fixture.people(people)
  // Nothing leaves its provider before it is told to, so the campaign stands with as much as may be on its way.
  fixture.sends.scripts.push(
    ...Array.from({ length: people }, () => ({ deliveryReports: [{ state: 'sent' as const }], isLate: true })),
  )
  const id = await fixture.startNew()
  await fixture.eventually(() => fixture.sends.acceptedOpenings.length === limits.inFlightMinRows, 1_000)
  t.equal((await fixture.move(id, 'pause')).status, 'paused')
  await fixture.sends.reportLate()
  await fixture.sends.fixture.time.advance(hour)
  t.equal(fixture.sends.acceptedOpenings.length, limits.inFlightMinRows)
  t.match(await fixture.report(id), { states: { sent: limits.inFlightMinRows, pending: 2 * batchRows } })
  t.equal((await fixture.move(id, 'resume')).status, 'running')
  await fixture.eventually(async () => {
    await fixture.sends.reportLate()
    return (await fixture.get(id)).status === 'completed'
  }, 1_000)
  t.equal(new Set(fixture.sends.acceptedOpenings.map(({ sendId }) => sendId)).size, people)
  t.equal(fixture.sends.acceptedOpenings.length, people)
})

t.test('Sends that wait for another attempt rest while their campaign does', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people(2)
  const later = { answer: { reason: 'mediaUnreachable', retry: 'later' as const } }
  fixture.sends.scripts.push(later, later)
  const id = await fixture.startNew()
  await fixture.eventually(async () => (await fixture.report(id)).states.queued === 2)
  await fixture.move(id, 'pause')
  await fixture.sends.fixture.time.advance(hour)
  t.equal(fixture.sends.acceptedOpenings.length, 0)
  t.match(await fixture.report(id), { states: { queued: 2 } })
  await fixture.move(id, 'resume')
  await fixture.waitForStatus(id, 'completed')
  t.match(await fixture.report(id), { states: { sent: 2 } })
  t.equal(await fixture.mismatch(id), undefined)
})

t.test('An opener whose answer was lost stays under way during a pause, until its conversation reports', async (t) => {
  for (const [state, openings] of [
    ['sent', 1],
    ['failed', 2],
  ] as const) {
    const fixture = await openCampaignsFixture(t)
    await fixture.people(1)
    const answer = refuse('service.unavailable', { detail: 'The outcome is unknown.' })
    const deliveryReports = [{ state, reason: 'sendFailed', retry: 'later' as const }]
    fixture.sends.scripts.push({ answer, isTaken: true, deliveryReports, isLate: true })
    const id = await fixture.startNew()
    await fixture.eventually(() => fixture.sends.acceptedOpenings.length === 1)
    await fixture.move(id, 'pause')
    for (let seconds = 0; seconds < 5; seconds++) await fixture.sends.fixture.time.advance(second)
    t.match(await fixture.report(id), { states: { sending: 1 } }, state)
    await fixture.sends.reportLate()
    t.match(await fixture.report(id), { states: state === 'sent' ? { sent: 1 } : { queued: 1 } })
    await fixture.move(id, 'resume')
    await fixture.waitForStatus(id, 'completed')
    t.match(await fixture.report(id), { states: { sent: 1 } })
    t.equal(fixture.sends.acceptedOpenings.length, openings)
    t.equal(await fixture.mismatch(id), undefined)
  }
})

t.test('Cancel stops remaining sends, keeps the report, and what is under way finishes', async (t) => {
  const fixture = await openCampaignsFixture(t)
  fixture.paces = [{ channel: 'rcs', provider: 'emulator' }]
  fixture.window = { ...limits.idle, batchRows, unthrottledInFlightRows: limits.inFlightMinRows }
  await fixture.people(limits.inFlightMinRows + batchRows)
  const later = { answer: { reason: 'mediaUnreachable', retry: 'later' as const } }
  const underWay = { deliveryReports: [{ state: 'sent' as const }], isLate: true }
  fixture.sends.scripts.push(later, later, later, ...Array.from({ length: limits.inFlightMinRows }, () => underWay))
  const id = await fixture.startNew()
  const sent = limits.inFlightMinRows - 3
  await fixture.eventually(async () => (await fixture.report(id)).states.queued === 3)
  await fixture.eventually(() => fixture.sends.acceptedOpenings.length === sent)
  t.match(await fixture.move(id, 'cancel'), { status: 'cancelled' })
  t.match(await fixture.report(id), { states: { pending: 0, queued: 0, sending: sent, cancelled: batchRows + 3 } })
  t.equal(await fixture.mismatch(id), undefined)
  await fixture.sends.reportLate()
  t.match(await fixture.report(id), { states: { sent, cancelled: batchRows + 3 } })
  await fixture.sends.fixture.time.advance(hour)
  t.equal(fixture.sends.acceptedOpenings.length, sent)
  t.equal(await fixture.mismatch(id), undefined)
  t.match(await fixture.refusalOf(fixture.area.commands.resume as never, { campaignId: id }), {
    refused: 'agent.campaign.state_conflict',
  })
})

/** A campaign that follows up after an hour, and is running still when that is over: news of its last send are late. */
async function followingUp(t: Test) {
  const fixture = await openCampaignsFixture(t)
  const { sends } = fixture
  sends.document = { ...sends.document, outreach: [{ ...outreach, followUp: { templateId: 'hi', afterHours: 1 } }] }
  await fixture.people(3)
  const sent = { deliveryReports: [{ state: 'sent' as const }] }
  sends.scripts.push(sent, sent, { ...sent, isLate: true })
  const id = await fixture.startNew()
  await fixture.eventually(async () => (await fixture.report(id)).states.sent === 2)
  const followedUp = () => sends.acceptedOpenings.slice(3).map(({ asid, campaign }) => ({ asid, campaign }))
  return { fixture, sends, id, followedUp }
}

t.test('Follow-ups of a campaign that was cancelled do not go, not even once it was deleted', async (t) => {
  for (const isDeleted of [false, true]) {
    const { fixture, sends, id, followedUp } = await followingUp(t)
    await fixture.move(id, 'cancel')
    await sends.reportLate()
    if (isDeleted) await fixture.ask(fixture.area.commands.remove, { campaignId: id })
    await sends.fixture.time.advance(2 * hour)
    await sends.fixture.time.advance(2 * hour)
    t.same(followedUp(), [])
  }
})

t.test('Follow-ups of a campaign that was paused go once it is resumed, each once', async (t) => {
  const { fixture, sends, id, followedUp } = await followingUp(t)
  await fixture.move(id, 'pause')
  await sends.fixture.time.advance(5 * hour)
  await sends.fixture.time.advance(5 * hour)
  t.same(followedUp(), [])
  await fixture.move(id, 'resume')
  await fixture.eventually(() => followedUp().length === 2, minute)
  await sends.fixture.time.advance(5 * hour)
  t.equal(new Set(followedUp().map(({ asid }) => asid)).size, 2)
  t.equal(followedUp().length, 2)
  t.match(
    followedUp()[0]?.campaign,
    { campaignId: id, isFollowUp: true },
    'and ask for their campaign before they leave',
  )
  await fixture.move(id, 'cancel')
  t.equal(await fixture.mismatch(id), undefined)
})

t.test('Follow-ups that a paused campaign held end with its cancel', async (t) => {
  const { fixture, sends, id, followedUp } = await followingUp(t)
  await fixture.move(id, 'pause')
  await sends.fixture.time.advance(5 * hour)
  await fixture.move(id, 'cancel')
  await sends.fixture.time.advance(5 * hour)
  t.same(followedUp(), [])
  t.equal(await fixture.mismatch(id), undefined)
})

t.test(
  'A follow-up that is under way asks for its campaign: cancelled with it, and held while it is paused',
  async (t) => {
    for (const [move, state] of [
      ['cancel', 'cancelled'],
      ['pause', 'queued'],
    ] as const) {
      const { fixture, sends, id } = await followingUp(t)
      sends.scripts.push({ deliveryReports: [] }, { deliveryReports: [] })
      await fixture.eventually(() => sends.acceptedOpenings.length === 5, 10 * minute)
      const { sendId, attempt } = sends.acceptedOpenings[4]!
      t.equal(await mayLeave(fixture, id, sendId, true), true)
      await fixture.move(id, move)
      t.equal(await mayLeave(fixture, id, sendId, true), false)
      await sends.report({ sendId, attempt, at: sends.fixture.time.now(), messageId: 'x', state: 'withheld' })
      await sends.fixture.time.advance(hour)
      t.equal((await sends.read(sendId)).state, state)
      if (move === 'cancel') continue
      await fixture.move(id, 'resume')
      await sends.waitForState(sendId, 'sending', minute)
    }
  },
)

t.test('Follow-ups of a campaign that has completed go', async (t) => {
  const { fixture, sends, id, followedUp } = await followingUp(t)
  await sends.reportLate()
  await fixture.waitForStatus(id, 'completed')
  await fixture.eventually(() => followedUp().length === 3, 10 * minute)
  const { sendId } = sends.acceptedOpenings[3]!
  t.equal(await mayLeave(fixture, id, sendId, true), true, 'and are handed over')
})

/** What a message of a campaign is told when its conversation asks whether it may be handed over. */
function mayLeave(fixture: CampaignsFixture, campaignId: string, sendId: string, isFollowUp?: true): Promise<boolean> {
  const request = {
    incarnation: 1,
    campaignId,
    sendId,
    at: fixture.sends.fixture.time.now(),
    ...(isFollowUp && { isFollowUp }),
  }
  return fixture.read(fixture.area.mayDispatch, request)
}

/** A campaign whose openings their conversations have taken, and no provider has got. */
async function openQueued(t: Test, people: readonly PersonSpec[]) {
  const fixture = await openCampaignsFixture(t)
  const { sends } = fixture
  const persons = await fixture.people(people)
  sends.scripts.push(...persons.map(() => ({ deliveryReports: [] })))
  const id = await fixture.startNew()
  await fixture.eventually(() => sends.acceptedOpenings.length === people.length)
  const openingFor = (person: Person) => sends.acceptedOpenings.find(({ asid }) => asid === person.identities[0]!.asid)!
  return {
    fixture,
    sends,
    id,
    persons,
    mayLeave: (person: Person) => mayLeave(fixture, id, openingFor(person).sendId),
    /** Its conversation gives the message back, and the send is picked up again. */
    async withhold(person: Person) {
      const { sendId, attempt } = openingFor(person)
      await sends.report({ sendId, attempt, at: sends.fixture.time.now(), messageId: 'x', state: 'withheld' })
      await sends.fixture.time.advance(minute)
      return sends.read(sendId)
    },
  }
}

t.test('What happens to a person while their message waits for its provider keeps it from leaving', async (t) => {
  const { fixture, persons, mayLeave, withhold, id } = await openQueued(t, [{}, {}, { phone: '+14150000002' }, {}])
  const [denies, removed, moves, remaining] = persons as [Person, Person, Person, Person]
  const { commands } = fixture.sends.people
  for (const person of persons) t.equal(await mayLeave(person), true)
  await fixture.ask(commands.change, { personId: denies.id, change: { consent: { status: 'denied' } } })
  await fixture.ask(commands.remove, { personId: removed.id })
  await fixture.ask(commands.change, { personId: moves.id, change: { phone: '+14155550199' } })
  for (const person of [denies, removed, moves]) t.equal(await mayLeave(person), false)
  t.equal(await mayLeave(remaining), true)
  t.match(await withhold(denies), { state: 'suppressed', reason: 'no_consent' })
  t.match(await withhold(removed), { state: 'failed', reason: 'no_channel_identity' })
  t.match(await withhold(moves), { state: 'failed', reason: 'no_channel_identity' })
  t.equal(await fixture.mismatch(id), undefined)
})

t.test('Hours that close while a message waits for its provider keep it until they open', async (t) => {
  const { fixture, persons, mayLeave, withhold } = await openQueued(t, [{}])
  const [person] = persons as [Person]
  const hourNow = new Date(fixture.sends.fixture.time.now()).getUTCHours()
  const safeHours = { startHour: (hourNow + 3) % 24, endHour: (hourNow + 5) % 24, timeZone: 'UTC' }
  await fixture.ask(fixture.sends.parts.commands.setSending, { sent: { safeHours } })
  t.equal(await mayLeave(person), false)
  t.match(await withhold(person), { state: 'queued' })
  await fixture.sends.fixture.time.advance(4 * hour)
  t.equal(await mayLeave(person), true)
})

t.test('A campaign whose outreach is switched off fails, though all of its messages are on their way', async (t) => {
  const { fixture, sends, persons, mayLeave, withhold, id } = await openQueued(t, [{}, {}, {}])
  const [first, second, third] = persons as [Person, Person, Person]
  sends.document = { ...sends.document, outreach: [{ ...outreach, enabled: false }] }
  t.equal(await mayLeave(first), false)
  t.match(await withhold(first), { state: 'suppressed', reason: 'outreach_unavailable' })
  t.match(await fixture.get(id), { status: 'failed', failReason: 'outreach_unavailable' })
  for (const person of [second, third]) t.match(await withhold(person), { state: 'cancelled' })
  t.match(await fixture.report(id), { states: { sent: 0, suppressed: 1, cancelled: 2 } })
  t.equal(await fixture.mismatch(id), undefined)
})

t.test('A campaign whose binding is deleted fails, though all of its messages are on their way', async (t) => {
  const { fixture, sends, id } = await openQueued(t, [{}, {}, {}])
  fixture.paces = []
  const [first, ...others] = sends.acceptedOpenings
  const deliveryReports = {
    at: sends.fixture.time.now(),
    messageId: 'x',
    state: 'failed',
    reason: 'noBinding',
  } as const
  await sends.report({ sendId: first!.sendId, attempt: first!.attempt, ...deliveryReports })
  t.match(await fixture.get(id), { status: 'failed', failReason: 'no_binding' })
  for (const { sendId, attempt } of others) await sends.report({ sendId, attempt, ...deliveryReports })
  t.match(await fixture.report(id), { states: { failed: 3 }, reasons: { no_route: 3 } })
  t.equal(await fixture.mismatch(id), undefined)
})

t.test('A running campaign sends only while its sendWindow and safe hours are both open', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people(3)
  const hourNow = new Date(fixture.sends.fixture.time.now()).getUTCHours()
  const hours = (from: number, to: number) => ({
    startHour: (hourNow + from) % 24,
    endHour: (hourNow + to) % 24,
    timeZone: 'UTC',
  })
  await fixture.ask(fixture.sends.parts.commands.setSending, { sent: { safeHours: hours(0, 3) } })
  const id = await fixture.startNew({ sendWindow: hours(2, 5) })
  const { waitsUntil } = await fixture.get(id)
  t.equal(new Date(Date.parse(waitsUntil!)).getUTCHours(), (hourNow + 2) % 24)
  await fixture.sends.fixture.time.advance(hour)
  t.equal(fixture.sends.acceptedOpenings.length, 0)
  t.match(await fixture.report(id), { states: { pending: 3, sending: 0 } })
  await fixture.waitForStatus(id, 'completed', 5 * minute)
  t.ok(fixture.sends.fixture.time.now() >= Date.parse(waitsUntil!))
  t.equal((await fixture.get(id)).waitsUntil, undefined)
  const closed = await fixture.startNew({ sendWindow: hours(4, 5) })
  t.ok((await fixture.get(closed)).waitsUntil, 'windows that never open together are looked at again')
  await fixture.sends.fixture.time.advance(26 * hour)
  t.match(await fixture.get(closed), { status: 'running', waitsUntil: /Z$/ })
  t.match(await fixture.report(closed), { states: { pending: 3 } })
})

t.test('A campaign that waits for its hours sees within minutes that they were changed', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people(3)
  const hourNow = new Date(fixture.sends.fixture.time.now()).getUTCHours()
  const later = { startHour: (hourNow + 6) % 24, endHour: (hourNow + 8) % 24, timeZone: 'UTC' }
  await fixture.ask(fixture.sends.parts.commands.setSending, { sent: { safeHours: later } })
  const id = await fixture.startNew()
  t.ok((await fixture.get(id)).waitsUntil)
  const openHours = { ...later, startHour: hourNow, endHour: (hourNow + 2) % 24 }
  await fixture.ask(fixture.sends.parts.commands.setSending, { sent: { safeHours: openHours } })
  await fixture.sends.fixture.time.advance(limits.hoursRecheckMs)
  await fixture.waitForStatus(id, 'completed', 0)
})

t.test('Guardrails are asked again when it is their turn', async (t) => {
  const fixture = await openCampaignsFixture(t)
  fixture.sends.document = { ...fixture.sends.document, outreach: [{ ...outreach, class: 'marketing' }] }
  const [denies, , capped] = await fixture.people(3)
  const { id } = await fixture.draft()
  await fixture.stage(id)
  await fixture.ask(fixture.sends.people.commands.change, {
    personId: denies!.id,
    change: { consent: { status: 'denied' } },
  })
  fixture.sends.document = {
    ...fixture.sends.document,
    outreach: [...fixture.sends.document.outreach, { ...outreach, id: 'other', class: 'marketing' }],
  }
  const other = await fixture.sends.create({ outreachId: 'other', recipient: { kind: 'person', personId: capped!.id } })
  await fixture.sends.waitForState(String(other.sendId), 'sent')
  await fixture.move(id, 'start')
  await fixture.waitForStatus(id, 'completed')
  t.match(await fixture.report(id), {
    states: { sent: 1, suppressed: 2 },
    reasons: { no_consent: 1, frequency_capped: 1 },
  })
  t.equal(await fixture.mismatch(id), undefined)
})

t.test(
  'A STOP that a person does not show when they are staged is found by the send, and shown from then on',
  async (t) => {
    const fixture = await openCampaignsFixture(t)
    const [stopped] = await fixture.people(2)
    const { asid } = stopped!.identities[0]!
    fixture.sends.optedOut.add(asid)
    const { id } = await fixture.draft()
    t.match(await fixture.stage(id), { counts: { total: 2, sendable: 2 } }, 'the news of it are on their way')
    await fixture.move(id, 'start')
    await fixture.waitForStatus(id, 'completed')
    t.match(await fixture.report(id), { states: { sent: 1, suppressed: 1 }, reasons: { opted_out: 1 } })
    t.notOk(fixture.sends.acceptedOpenings.some((opening) => opening.asid === asid))
    const repeated = await fixture.draft({ includePreviouslyContacted: true })
    t.match(await fixture.stage(repeated.id), { counts: { total: 2, sendable: 1, exclusions: { optedOut: 1 } } })
  },
)

t.test('A person who no longer holds the asid at dispatch fails with no_channel_identity', async (t) => {
  const fixture = await openCampaignsFixture(t)
  const [deletedPerson] = await fixture.people(2)
  const { id } = await fixture.draft()
  await fixture.stage(id)
  await fixture.ask(fixture.sends.people.commands.remove, { personId: deletedPerson!.id })
  await fixture.move(id, 'start')
  await fixture.waitForStatus(id, 'completed')
  t.match(await fixture.report(id), { states: { sent: 1, failed: 1 }, reasons: { no_channel_identity: 1 } })
  t.equal(await fixture.mismatch(id), undefined)
})

t.test('Who is just talking is waited for', async (t) => {
  const fixture = await openCampaignsFixture(t)
  const [talks] = await fixture.people(2)
  fixture.sends.inboundTimes.set(talks!.identities[0]!.asid, fixture.sends.fixture.time.now() - second)
  const id = await fixture.startNew()
  await fixture.eventually(async () => (await fixture.report(id)).states.queued === 1)
  await fixture.sends.fixture.time.advance(20 * minute)
  t.match(await fixture.report(id), { states: { queued: 1, sent: 1 } })
  await fixture.waitForStatus(id, 'completed', minute)
  t.match(await fixture.report(id), { states: { sent: 2 } })
})

t.test('A STOP of a person who is waited for ends their send at once', async (t) => {
  const fixture = await openCampaignsFixture(t)
  const { sends } = fixture
  const [talks] = await fixture.people(2)
  const { lastSeenAt: _none, ...identity } = talks!.identities[0]!
  sends.inboundTimes.set(identity.asid, sends.fixture.time.now() - second)
  const id = await fixture.startNew()
  await fixture.eventually(async () => (await fixture.report(id)).states.queued === 1)
  sends.optedOut.add(identity.asid)
  await fixture.ask(sends.people.commands.identityEvent, {
    ...identity,
    at: sends.fixture.time.now(),
    kind: 'optedOut',
  })
  await fixture.waitForStatus(id, 'completed', second)
  t.match(await fixture.report(id), { states: { sent: 1, suppressed: 1 }, reasons: { opted_out: 1 } })
  t.ok(
    sends.fixture.time.now() < sends.inboundTimes.get(identity.asid)! + outreachSend.quietMs,
    'before they were quiet',
  )
  t.equal(await fixture.mismatch(id), undefined)
})

t.test('It fails when its outreach or its binding is gone, and says why', async (t) => {
  for (const [breaks, failReason] of [
    [
      (fixture: Awaited<ReturnType<typeof openCampaignsFixture>>) => {
        fixture.sends.document = { ...fixture.sends.document, outreach: [{ ...outreach, enabled: false }] }
      },
      'outreach_unavailable',
    ],
    [
      (fixture: Awaited<ReturnType<typeof openCampaignsFixture>>) => {
        fixture.paces = []
      },
      'no_binding',
    ],
  ] as const) {
    const fixture = await openCampaignsFixture(t)
    await fixture.people(2)
    const { id } = await fixture.draft()
    await fixture.stage(id)
    breaks(fixture)
    t.match(await fixture.move(id, 'start'), { status: 'failed', failReason })
    t.match(await fixture.report(id), { states: { cancelled: 2 }, reasons: { [failReason]: 2 } })
    t.equal(await fixture.mismatch(id), undefined)
    t.equal(fixture.sends.acceptedOpenings.length, 0)
  }
})

t.test('A rehearsal with personas needs no consent, no channel and no open hours', async (t) => {
  const fixture = await openCampaignsFixture(t)
  fixture.paces = []
  await fixture.ask(fixture.sends.parts.commands.setSending, {
    sent: { safeHours: { startHour: 3, endHour: 4, timeZone: 'UTC' } },
  })
  const made = await fixture.people([
    { sandbox: true, consent: { status: 'denied' } },
    { sandbox: true, consent: { status: 'unknown' } },
  ])
  for (const [nth, { id }] of made.entries()) fixture.personas.set(`ps_${nth}`, id)
  const { id } = await fixture.draft({ audience: { personaIds: ['ps_0', 'ps_1'] } })
  t.match(await fixture.stage(id), { counts: { total: 2, sendable: 2 }, durationEstimate: [] })
  await fixture.move(id, 'start')
  await fixture.waitForStatus(id, 'completed')
  t.match(await fixture.report(id), { states: { sent: 2 }, test: true })
  for (const opening of fixture.sends.acceptedOpenings) {
    t.match(opening, { sandbox: true })
    t.equal(opening.isBatch, undefined)
  }
  const [row] = await fixture.recipients(id)
  t.match(row, { personaId: 'ps_0', state: 'sent' })
  t.equal(row!.asid, undefined)
})

t.test('What nobody can tell yet is owed on, and nobody is sent to twice', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people(10)
  const unknown = {
    answer: refuse('service.unavailable', { detail: 'perhaps' }),
    isTaken: true,
    deliveryReports: [{ state: 'sent' as const }],
  }
  fixture.sends.scripts.push(unknown, isSent, unknown)
  const id = await fixture.startNew()
  await fixture.waitForStatus(id, 'completed')
  t.equal(fixture.sends.sentIds.length, 10)
  t.equal(new Set(fixture.sends.sentIds).size, 10)
  t.equal(await fixture.mismatch(id), undefined)
})

t.test('Rows are kept as long as their sends, and the report for good', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people(3)
  const id = await fixture.startNew()
  await fixture.waitForStatus(id, 'completed')
  await fixture.sends.fixture.time.advance(outreachSend.retentionMs - hour)
  t.equal((await fixture.recipients(id)).length, 3)
  await fixture.eventually(async () => (await fixture.recipients(id)).length === 0, hour)
  t.match(await fixture.report(id), { states: { sent: 3 }, total: 3 })
  const isLeftover = (row: string) => /outreach\.(sends|index|launches|keys)|campaigns\.dispatches/.test(row)
  await fixture.eventually(() => !fixture.sends.rows().some(isLeftover), hour)
})

/** What happens to a campaign on its way. */
const action = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('pause' as const, 'pass' as const, 'report' as const) },
  { weight: 1, arbitrary: fc.constantFrom('resume' as const, 'crash' as const, 'cancel' as const) },
)

t.test(
  'However it is paused, resumed, cancelled and killed, each is sent to at most once and the report adds up',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 1, maxLength: 10 }),
        fc.array(fc.constantFrom('sent', 'sent', 'later', 'never', 'unknown', 'unknownLate', 'failedLate'), {
          maxLength: 60,
        }),
        async (actions, fates) => {
          const fixture = await openCampaignsFixture(t)
          await fixture.people(90)
          for (const fate of fates) {
            const lost = { answer: refuse('service.unavailable', { detail: 'perhaps' }), isTaken: true }
            const deliveryReports = [
              fate === 'failedLate'
                ? { state: 'failed' as const, reason: 'x', retry: 'later' as const }
                : { state: 'sent' as const },
            ]
            fixture.sends.scripts.push(
              fate === 'sent'
                ? { deliveryReports }
                : fate === 'later' || fate === 'never'
                  ? { answer: { reason: 'x', retry: fate } }
                  : { ...lost, deliveryReports, isLate: fate !== 'unknown' },
            )
          }
          const { id } = await fixture.draft()
          await fixture.stage(id)
          await fixture.move(id, 'start')
          for (const each of actions) {
            if (each === 'crash') await fixture.sends.crash()
            else if (each === 'pass') await fixture.sends.fixture.time.advance(7 * second)
            else if (each === 'report') await fixture.sends.reportLate()
            else await fixture.refusalOf(fixture.area.commands[each] as never, { campaignId: id })
            const wrong = await fixture.mismatch(id)
            if (wrong) throw new Error(`after ${each}: ${wrong}`)
          }
          await fixture.refusalOf(fixture.area.commands.resume as never, { campaignId: id })
          const isStill = async () => {
            await fixture.sends.reportLate()
            const { states } = await fixture.report(id)
            return states.pending + states.queued + states.sending === 0
          }
          await fixture.eventually(isStill, minute)
          const wrong = await fixture.mismatch(id)
          if (wrong) throw new Error(`in the end: ${wrong}`)
          if (new Set(fixture.sends.sentIds).size !== fixture.sends.sentIds.length)
            throw new Error('somebody was sent to twice')
          const { states, total } = await fixture.report(id)
          if (total !== 90 || states.sent !== fixture.sends.sentIds.length)
            throw new Error('not everybody is accounted for')
          await fixture.sends.fixture.stop()
        },
      ),
      { numRuns: 25 },
    )
  },
)

const marketing = { ...outreach, class: 'marketing' as const }

t.test(
  'Of two marketing campaigns that run together one reaches each person, and the other leaves them out',
  async (t) => {
    const fixture = await openCampaignsFixture(t)
    fixture.sends.document = {
      ...fixture.sends.document,
      outreach: [marketing, { ...marketing, id: 'again', name: 'Again' }],
    }
    await fixture.people(30)
    const [first, second] = [await fixture.draft(), await fixture.draft({ outreachId: 'again' })]
    for (const { id } of [first, second]) await fixture.stage(id)
    await Promise.all([first, second].map(({ id }) => fixture.move(id, 'start')))
    for (const { id } of [first, second]) await fixture.waitForStatus(id, 'completed')
    const asids = fixture.sends.acceptedOpenings.map(({ asid }) => asid)
    t.equal(asids.length, 30)
    t.equal(new Set(asids).size, 30, 'nobody twice')
    const reports = await Promise.all([first, second].map(({ id }) => fixture.report(id)))
    t.equal(reports[0]!.states.sent + reports[1]!.states.sent, 30)
    t.equal((reports[0]!.reasons.frequency_capped ?? 0) + (reports[1]!.reasons.frequency_capped ?? 0), 30)
    for (const { id } of [first, second]) t.equal(await fixture.mismatch(id), undefined)
  },
)

t.test('Marketing that is on its way to a person who was merged since counts for the one who stays', async (t) => {
  const fixture = await openCampaignsFixture(t)
  const { sends } = fixture
  sends.document = { ...sends.document, outreach: [marketing, { ...marketing, id: 'again', name: 'Again' }] }
  const [remaining, removed] = await fixture.people(2)
  const recipient = { kind: 'person' as const, personId: remaining!.id }
  const waiting = await sends.create({ outreachId: 'again', recipient }, { origin: 'automated' })
  sends.scripts.push({ deliveryReports: [] })
  const first = await fixture.draft({ audience: { personIds: [removed!.id] } })
  await fixture.stage(first.id)
  await fixture.move(first.id, 'start')
  await fixture.eventually(() => sends.acceptedOpenings.length === 1)
  await fixture.ask(sends.people.commands.merge, { personId: remaining!.id, from: removed!.id })
  const repeated = await fixture.draft({ outreachId: 'again' })
  t.match(await fixture.stage(repeated.id), { counts: { total: 1, sendable: 0, exclusions: { frequencyGated: 1 } } })
  const named = await sends.create({ outreachId: 'again', recipient, idempotencyKey: 'named' })
  t.match(named, { warning: /on its way/ })
  t.match(await sends.waitForState(String(waiting.sendId), 'suppressed'), { reason: 'frequency_capped' })
})

t.test('A marketing send that comes to nothing does not count for the cap', async (t) => {
  const fixture = await openCampaignsFixture(t)
  fixture.sends.document = {
    ...fixture.sends.document,
    outreach: [marketing, { ...marketing, id: 'again', name: 'Again' }],
  }
  await fixture.people(1)
  fixture.sends.scripts.push({ answer: { reason: 'sendFailed', retry: 'never' } })
  await fixture.waitForStatus(await fixture.startNew(), 'completed')
  const id = await fixture.startNew({ outreachId: 'again' })
  await fixture.waitForStatus(id, 'completed')
  t.match(await fixture.report(id), { states: { sent: 1 } })
})

t.test('A campaign waits while its binding needs its operator, and goes on once it is ready', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people(20)
  const { paces } = fixture
  fixture.bound = ['rcs']
  fixture.sends.scripts.push(
    ...Array.from({ length: 5 }, () => ({ answer: { reason: 'bindingNotReady', retry: 'never' as const } })),
  )
  const id = await fixture.startNew()
  await fixture.eventually(async () => (await fixture.recipients(id, 'queued')).length === 5, 1)
  fixture.paces = []
  t.match(await fixture.get(id), { status: 'running', holdReason: 'binding' })
  for (const row of await fixture.recipients(id, 'queued')) {
    t.match(row, { reason: 'binding_error', nextAttemptAt: /Z$/ })
  }
  t.equal(await fixture.mismatch(id), undefined)
  fixture.paces = paces
  await fixture.waitForStatus(id, 'completed', minute)
  t.notOk((await fixture.get(id)).holdReason)
  t.match(await fixture.report(id), { states: { sent: 20 } })
  t.equal(new Set(fixture.sends.sentIds).size, 20)
})

t.test('A campaign that waits for its binding goes on at once when that is ready, those who wait too', async (t) => {
  const ready: { call?: (tx: Tx, at: number) => void } & Command<object, true> = {
    name: 'test.ready',
    decide(tx, _input, { at }) {
      ready.call!(tx, at)
      return true
    },
  }
  const fixture = await openCampaignsFixture(t, [ready as Command<never, unknown>])
  ready.call = (tx, at) => fixture.ready(tx, at)
  await fixture.people(20)
  const { paces } = fixture
  fixture.bound = ['rcs']
  fixture.sends.scripts.push(
    ...Array.from({ length: 5 }, () => ({ answer: { reason: 'bindingNotReady', retry: 'never' as const } })),
  )
  const id = await fixture.startNew()
  await fixture.eventually(async () => (await fixture.recipients(id, 'queued')).length === 5, 1)
  fixture.paces = []
  const before = fixture.sends.fixture.time.now()
  await fixture.ask(ready, {})
  await fixture.eventually(async () => (await fixture.get(id)).holdReason === 'binding')
  fixture.paces = paces
  await fixture.ask(ready, {})
  await fixture.waitForStatus(id, 'completed', 1)
  t.ok(fixture.sends.fixture.time.now() - before < outreachSend.bindingRetryMs, 'before the next look at the binding')
  t.equal(new Set(fixture.sends.sentIds).size, 20)
})

t.test('A campaign that is started while its binding is not ready hands out nobody before it is', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people(3)
  const { paces } = fixture
  fixture.bound = ['rcs']
  fixture.paces = []
  const id = await fixture.startNew()
  t.match(await fixture.get(id), { status: 'running', holdReason: 'binding', counts: { sendable: 3 } })
  t.equal((await fixture.recipients(id, 'pending')).length, 3)
  fixture.paces = paces
  await fixture.waitForStatus(id, 'completed', minute)
  t.equal(fixture.sends.acceptedOpenings.length, 3)
})

t.test('A row that waits for its person to be quiet says so, and when it is tried next', async (t) => {
  const fixture = await openCampaignsFixture(t)
  await fixture.people(1)
  const until = fixture.sends.fixture.time.now() + 20 * minute
  fixture.sends.scripts.push({ answer: { inConversationUntil: until } })
  const id = await fixture.startNew()
  await fixture.eventually(async () => (await fixture.recipients(id, 'queued')).length === 1, 1)
  t.match(await fixture.recipients(id), [{ reason: 'in-conversation', nextAttemptAt: new Date(until).toISOString() }])
  t.match(await fixture.report(id), { reasons: { 'in-conversation': 1 } })
  await fixture.waitForStatus(id, 'completed', minute)
  t.same((await fixture.report(id)).reasons, {})
})

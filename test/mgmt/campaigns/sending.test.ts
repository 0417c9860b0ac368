/** How a campaign is sent: in order, once each, exactly on where it stopped, and to its end. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { day, hour, minute, second } from '../../../core/durations.js'
import { refuse } from '../../../core/errors.js'
import { campaign as limits, outreachSend } from '../../../core/limits.js'
import type { Person } from '../../../core/people/person.js'
import { recipientTable, turnTable } from '../../../mgmt/campaigns/store.js'
import { openMetrics } from '../../../runtime/observe/metrics.js'
import type { Command, Tx } from '../../../runtime/shard/contract.js'
import { isSent, outreach } from '../outreach/house.js'
import { type Campaigns, type Entered, openCampaigns } from './house.js'

const { batchRows } = limits.alone

/** Keeps the sends of recipients as they were kept before turns were. */
const intoRows: Command<object, true> = {
  name: 'test.intoRows',
  decide(tx) {
    for (const { key, value } of [...tx.range(turnTable)]) {
      for (const [nth, row] of value.rows.entries()) {
        const at = [...key.slice(0, 5), row] as unknown as typeof key
        tx.put(recipientTable, at, { ...tx.get(recipientTable, at)!, sendId: value.sendIds[nth]! })
      }
      tx.remove(turnTable, key)
    }
    return true
  },
}

t.test('Every recipient is sent to once, batch by batch in the order of the snapshot, and it completes', async (t) => {
  const house = await openCampaigns(t)
  await house.people(2 * batchRows + 20)
  const id = await house.started()
  t.ok((await house.reaches(id, 'completed')).endedAt)
  const rows = (await house.recipients(id)).map(({ asid }) => asid!)
  const taken = house.sends.taken.map(({ asid }) => asid)
  t.same(taken.toSorted(), rows.toSorted())
  for (let from = 0; from < rows.length; from += batchRows) {
    const batch = rows.slice(from, from + batchRows)
    t.same(
      taken.filter((asid) => batch.includes(asid)),
      batch,
      'a batch asks its conversations in its order',
    )
  }
  t.match(house.sends.taken[0], { isBatch: true, attempt: 1, quietMs: outreachSend.quietMs })
  t.match(await house.report(id), { states: { sent: rows.length, pending: 0 }, total: rows.length, test: false })
  t.equal(await house.mismatch(id), undefined)
  const moves = () =>
    house.sends.events
      .filter(({ type }) => type === 'campaign.status_changed')
      .map(({ data }) => `${data.from} ${data.status}`)
  await house.eventually(() => moves().length === 3)
  t.same(moves(), ['draft staged', 'staged running', 'running completed'])
})

t.test(
  'While the API is called a campaign has less on its way and rests in between, and goes on alone as before',
  async (t) => {
    const house = await openCampaigns(t)
    house.paces = [{ channel: 'rcs', provider: 'emulator' }]
    const { alone, besideCallers } = limits
    const people = alone.aheadUnpacedRows + besideCallers.aheadUnpacedRows + alone.batchRows
    await house.people(people)
    house.sends.scripts.push(
      ...Array.from({ length: people }, () => ({ news: [{ state: 'sent' as const }], isLate: true })),
    )
    house.window = besideCallers
    const id = await house.started()
    let turns = 0
    await house.eventually(() => house.sends.taken.length >= besideCallers.batchRows && turns++ > 20)
    t.equal(house.sends.taken.length, besideCallers.batchRows, 'the next ones have to wait a little')
    await house.eventually(() => house.sends.taken.length === besideCallers.aheadUnpacedRows, besideCallers.everyMs)
    t.match(await house.report(id), { states: { sending: besideCallers.aheadUnpacedRows } })
    house.window = alone
    await house.sends.tellLate()
    await house.eventually(() => house.sends.taken.length === besideCallers.aheadUnpacedRows + alone.aheadUnpacedRows)
    t.match(await house.report(id), { states: { sending: alone.aheadUnpacedRows } })
    house.window = besideCallers
    await house.eventually(async () => {
      await house.sends.tellLate()
      return (await house.one(id)).status === 'completed'
    }, besideCallers.everyMs)
    t.equal(new Set(house.sends.taken.map(({ sendId }) => sendId)).size, people)
    t.equal(house.sends.taken.length, people)
  },
)

t.test('Each row is also a send with origin campaign and campaignId', async (t) => {
  const house = await openCampaigns(t)
  const [person] = await house.people(1)
  const id = await house.started()
  await house.reaches(id, 'completed')
  const [row] = await house.recipients(id)
  t.match(await house.sends.read(row!.sendId!), {
    origin: 'campaign',
    campaignId: id,
    outreachId: 'hello',
    personId: person!.id,
    state: 'sent',
    asid: row!.asid,
  })
  const again = await house.sends.create({ recipient: { kind: 'person', personId: person!.id } })
  t.match(again, { status: 'duplicate', sendId: row!.sendId }, 'who names no key finds that they have got it today')
  const [other] = await house.people(1)
  const toOther = { recipient: { kind: 'person' as const, personId: other!.id } }
  t.match(await house.sends.create(toOther), { status: 'queued' }, 'it was sent to others alone')
  house.sends.document = { ...house.sends.document, outreach: [outreach, { ...outreach, id: 'else' }] }
  const toBoth = { recipient: { kind: 'person' as const, personId: person!.id } }
  t.match(await house.sends.create({ ...toBoth, outreachId: 'else' }), { status: 'queued' }, 'it was another outreach')
  await house.sends.house.time.advance(day)
  t.match(await house.sends.create(toBoth), { status: 'queued' }, 'it was yesterday')
})

t.test('A stretch of recipients shows the send of each, wherever it begins and ends', async (t) => {
  const house = await openCampaigns(t)
  house.window = { ...limits.alone, batchRows: 7 }
  const people = 60
  await house.people(Array.from({ length: people }, (_, nth) => (nth % 5 === 3 ? { isStopped: true as const } : {})))
  const id = await house.started()
  await house.reaches(id, 'completed')
  const all = await house.recipients(id)
  const sent = new Map(house.sends.taken.map(({ asid, sendId }) => [asid, sendId]))
  for (const { asid, sendId, state } of all) {
    t.equal(sendId, state === 'excluded' ? undefined : sent.get(asid!))
  }
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: -1, max: people }), fc.integer({ min: 1, max: 20 }), async (after, limit) => {
      const asked = { campaignId: id, limit, ...(after >= 0 && { after }) }
      const { rows } = await house.read(house.area.queries.recipients, asked)
      t.same(
        rows.map(({ shown }) => shown),
        all.slice(after + 1, after + 1 + limit),
      )
    }),
  )
})

t.test('Every attempt of a campaign is counted by what came of it', async (t) => {
  const metrics = openMetrics()
  const house = await openCampaigns(t, [], metrics)
  await house.people(12)
  house.sends.scripts.push({ answer: { reason: 'x', again: 'never' } }, { answer: { reason: 'x', again: 'never' } })
  await house.reaches(await house.started(), 'completed')
  const { text } = await metrics.render()
  const counts = [...text.matchAll(/^parley_send_attempts_total\{outcome="(\w+)"\} ([1-9]\d*)$/gm)]
  t.same(Object.fromEntries(counts.map(([, outcome, count]) => [outcome, Number(count)])), {
    taken: 10,
    refusedForGood: 2,
  })
})

t.test('A row that holds its send itself, as rows once did, is shown with it', async (t) => {
  const house = await openCampaigns(t, [intoRows])
  await house.people(5)
  const id = await house.started()
  await house.reaches(id, 'completed')
  const before = await house.recipients(id)
  t.ok(before.every(({ state, sendId }) => state === 'sent' && sendId))
  await house.ask(intoRows, {})
  t.same(await house.recipients(id), before)
})

t.test('Delivered and read are promoted from receipts, and what is promoted counts once', async (t) => {
  const house = await openCampaigns(t)
  await house.people(4)
  const news = (...states: ('sent' | 'delivered' | 'read' | 'failed')[]) => ({
    news: states.map((state) => ({ state, again: 'never' as const })),
  })
  house.sends.scripts.push(
    news('sent'),
    news('sent', 'delivered'),
    news('sent', 'delivered', 'read'),
    news('sent', 'failed'),
  )
  const id = await house.started()
  await house.reaches(id, 'completed')
  const wanted = { sent: 1, delivered: 1, read: 1, failed: 1 }
  await house.eventually(async () => (await house.report(id)).states.failed === 1)
  t.match(await house.report(id), { states: wanted, reasons: { delivery_failed: 1 }, total: 4 })
  t.equal(await house.mismatch(id), undefined)
})

t.test('Pause hands out nothing more, and resume continues exactly where it stopped', async (t) => {
  const house = await openCampaigns(t)
  house.paces = [{ channel: 'rcs', provider: 'emulator', perSecond: 1 }]
  const people = limits.underWayLeastRows + 2 * batchRows
  await house.people(people)
  // Nothing leaves its provider before it is told to, so the campaign stands with as much as may be on its way.
  house.sends.scripts.push(
    ...Array.from({ length: people }, () => ({ news: [{ state: 'sent' as const }], isLate: true })),
  )
  const id = await house.started()
  await house.eventually(() => house.sends.taken.length === limits.underWayLeastRows, 1_000)
  t.equal((await house.move(id, 'pause')).status, 'paused')
  await house.sends.tellLate()
  await house.sends.house.time.advance(hour)
  t.equal(house.sends.taken.length, limits.underWayLeastRows)
  t.match(await house.report(id), { states: { sent: limits.underWayLeastRows, pending: 2 * batchRows } })
  t.equal((await house.move(id, 'resume')).status, 'running')
  await house.eventually(async () => {
    await house.sends.tellLate()
    return (await house.one(id)).status === 'completed'
  }, 1_000)
  t.equal(new Set(house.sends.taken.map(({ sendId }) => sendId)).size, people)
  t.equal(house.sends.taken.length, people)
})

t.test('Sends that wait for another attempt rest while their campaign does', async (t) => {
  const house = await openCampaigns(t)
  await house.people(2)
  const later = { answer: { reason: 'mediaUnreachable', again: 'later' as const } }
  house.sends.scripts.push(later, later)
  const id = await house.started()
  await house.eventually(async () => (await house.report(id)).states.queued === 2)
  await house.move(id, 'pause')
  await house.sends.house.time.advance(hour)
  t.equal(house.sends.taken.length, 0)
  t.match(await house.report(id), { states: { queued: 2 } })
  await house.move(id, 'resume')
  await house.reaches(id, 'completed')
  t.match(await house.report(id), { states: { sent: 2 } })
  t.equal(await house.mismatch(id), undefined)
})

t.test('Cancel stops remaining sends, keeps the report, and what is under way finishes', async (t) => {
  const house = await openCampaigns(t)
  house.paces = [{ channel: 'rcs', provider: 'emulator' }]
  house.window = { ...limits.alone, batchRows, aheadUnpacedRows: limits.underWayLeastRows }
  await house.people(limits.underWayLeastRows + batchRows)
  const later = { answer: { reason: 'mediaUnreachable', again: 'later' as const } }
  const underWay = { news: [{ state: 'sent' as const }], isLate: true }
  house.sends.scripts.push(later, later, later, ...Array.from({ length: limits.underWayLeastRows }, () => underWay))
  const id = await house.started()
  const sent = limits.underWayLeastRows - 3
  await house.eventually(async () => (await house.report(id)).states.queued === 3)
  await house.eventually(() => house.sends.taken.length === sent)
  t.match(await house.move(id, 'cancel'), { status: 'cancelled' })
  t.match(await house.report(id), { states: { pending: 0, queued: 0, sending: sent, cancelled: batchRows + 3 } })
  t.equal(await house.mismatch(id), undefined)
  await house.sends.tellLate()
  t.match(await house.report(id), { states: { sent, cancelled: batchRows + 3 } })
  await house.sends.house.time.advance(hour)
  t.equal(house.sends.taken.length, sent)
  t.equal(await house.mismatch(id), undefined)
  t.match(await house.refused(house.area.commands.resume as never, { campaignId: id }), {
    refused: 'agent.campaign.state_conflict',
  })
})

/** A campaign that follows up after an hour, and is running still when that is over: news of its last send are late. */
async function followingUp(t: Test) {
  const house = await openCampaigns(t)
  const { sends } = house
  sends.document = { ...sends.document, outreach: [{ ...outreach, followUp: { templateId: 'hi', afterHours: 1 } }] }
  await house.people(3)
  const sent = { news: [{ state: 'sent' as const }] }
  sends.scripts.push(sent, sent, { ...sent, isLate: true })
  const id = await house.started()
  await house.eventually(async () => (await house.report(id)).states.sent === 2)
  const followedUp = () => sends.taken.slice(3).map(({ asid, campaign }) => ({ asid, campaign }))
  return { house, sends, id, followedUp }
}

t.test('Follow-ups of a campaign that was cancelled do not go, not even once it was deleted', async (t) => {
  for (const isDeleted of [false, true]) {
    const { house, sends, id, followedUp } = await followingUp(t)
    await house.move(id, 'cancel')
    await sends.tellLate()
    if (isDeleted) await house.ask(house.area.commands.remove, { campaignId: id })
    await sends.house.time.advance(2 * hour)
    await sends.house.time.advance(2 * hour)
    t.same(followedUp(), [])
  }
})

t.test('Follow-ups of a campaign that was paused go once it is resumed, each once', async (t) => {
  const { house, sends, id, followedUp } = await followingUp(t)
  await house.move(id, 'pause')
  await sends.house.time.advance(5 * hour)
  await sends.house.time.advance(5 * hour)
  t.same(followedUp(), [])
  await house.move(id, 'resume')
  await house.eventually(() => followedUp().length === 2, minute)
  await sends.house.time.advance(5 * hour)
  t.equal(new Set(followedUp().map(({ asid }) => asid)).size, 2)
  t.equal(followedUp().length, 2)
  t.match(
    followedUp()[0]?.campaign,
    { campaignId: id, isFollowUp: true },
    'and ask for their campaign before they leave',
  )
  await house.move(id, 'cancel')
  t.equal(await house.mismatch(id), undefined)
})

t.test('Follow-ups that a paused campaign held end with its cancel', async (t) => {
  const { house, sends, id, followedUp } = await followingUp(t)
  await house.move(id, 'pause')
  await sends.house.time.advance(5 * hour)
  await house.move(id, 'cancel')
  await sends.house.time.advance(5 * hour)
  t.same(followedUp(), [])
  t.equal(await house.mismatch(id), undefined)
})

t.test(
  'A follow-up that is under way asks for its campaign: cancelled with it, and held while it is paused',
  async (t) => {
    for (const [move, state] of [
      ['cancel', 'cancelled'],
      ['pause', 'queued'],
    ] as const) {
      const { house, sends, id } = await followingUp(t)
      sends.scripts.push({ news: [] }, { news: [] })
      await house.eventually(() => sends.taken.length === 5, 10 * minute)
      const { sendId, attempt } = sends.taken[4]!
      t.equal(await mayLeave(house, id, sendId, true), true)
      await house.move(id, move)
      t.equal(await mayLeave(house, id, sendId, true), false)
      await sends.tell({ sendId, attempt, at: sends.house.time.now(), messageId: 'x', state: 'withheld' })
      await sends.house.time.advance(hour)
      t.equal((await sends.read(sendId)).state, state)
      if (move === 'cancel') continue
      await house.move(id, 'resume')
      await sends.reaches(sendId, 'sending', minute)
    }
  },
)

t.test('Follow-ups of a campaign that has completed go', async (t) => {
  const { house, sends, id, followedUp } = await followingUp(t)
  await sends.tellLate()
  await house.reaches(id, 'completed')
  await house.eventually(() => followedUp().length === 3, 10 * minute)
  const { sendId } = sends.taken[3]!
  t.equal(await mayLeave(house, id, sendId, true), true, 'and are handed over')
})

/** What a message of a campaign is told when its conversation asks whether it may be handed over. */
function mayLeave(house: Campaigns, campaignId: string, sendId: string, isFollowUp?: true): Promise<boolean> {
  const asked = { serial: 1, campaignId, sendId, at: house.sends.house.time.now(), ...(isFollowUp && { isFollowUp }) }
  return house.read(house.area.mayLeave, asked)
}

/** A campaign whose openings their conversations have taken, and no provider has got. */
async function inLine(t: Test, people: readonly Entered[]) {
  const house = await openCampaigns(t)
  const { sends } = house
  const persons = await house.people(people)
  sends.scripts.push(...persons.map(() => ({ news: [] })))
  const id = await house.started()
  await house.eventually(() => sends.taken.length === people.length)
  const takenFor = (person: Person) => sends.taken.find(({ asid }) => asid === person.identities[0]!.asid)!
  return {
    house,
    sends,
    id,
    persons,
    mayLeave: (person: Person) => mayLeave(house, id, takenFor(person).sendId),
    /** Its conversation gives the message back, and the send is picked up again. */
    async withhold(person: Person) {
      const { sendId, attempt } = takenFor(person)
      await sends.tell({ sendId, attempt, at: sends.house.time.now(), messageId: 'x', state: 'withheld' })
      await sends.house.time.advance(minute)
      return sends.read(sendId)
    },
  }
}

t.test('What happens to a person while their message waits for its provider keeps it from leaving', async (t) => {
  const { house, persons, mayLeave, withhold, id } = await inLine(t, [{}, {}, { phone: '+14150000002' }, {}])
  const [denies, goes, moves, stays] = persons as [Person, Person, Person, Person]
  const { commands } = house.sends.people
  for (const person of persons) t.equal(await mayLeave(person), true)
  await house.ask(commands.change, { personId: denies.id, change: { consent: { status: 'denied' } } })
  await house.ask(commands.remove, { personId: goes.id })
  await house.ask(commands.change, { personId: moves.id, change: { phone: '+14155550199' } })
  for (const person of [denies, goes, moves]) t.equal(await mayLeave(person), false)
  t.equal(await mayLeave(stays), true)
  t.match(await withhold(denies), { state: 'suppressed', reason: 'no_consent' })
  t.match(await withhold(goes), { state: 'failed', reason: 'no_channel_identity' })
  t.match(await withhold(moves), { state: 'failed', reason: 'no_channel_identity' })
  t.equal(await house.mismatch(id), undefined)
})

t.test('Hours that close while a message waits for its provider keep it until they open', async (t) => {
  const { house, persons, mayLeave, withhold } = await inLine(t, [{}])
  const [person] = persons as [Person]
  const hourNow = new Date(house.sends.house.time.now()).getUTCHours()
  const safeHours = { startHour: (hourNow + 3) % 24, endHour: (hourNow + 5) % 24, timeZone: 'UTC' }
  await house.ask(house.sends.parts.commands.setSending, { sent: { safeHours } })
  t.equal(await mayLeave(person), false)
  t.match(await withhold(person), { state: 'queued' })
  await house.sends.house.time.advance(4 * hour)
  t.equal(await mayLeave(person), true)
})

t.test('A campaign whose outreach is switched off fails, though all of its messages are on their way', async (t) => {
  const { house, sends, persons, mayLeave, withhold, id } = await inLine(t, [{}, {}, {}])
  const [first, second, third] = persons as [Person, Person, Person]
  sends.document = { ...sends.document, outreach: [{ ...outreach, enabled: false }] }
  t.equal(await mayLeave(first), false)
  t.match(await withhold(first), { state: 'suppressed', reason: 'outreach_unavailable' })
  t.match(await house.one(id), { status: 'failed', failReason: 'outreach_unavailable' })
  for (const person of [second, third]) t.match(await withhold(person), { state: 'cancelled' })
  t.match(await house.report(id), { states: { sent: 0, suppressed: 1, cancelled: 2 } })
  t.equal(await house.mismatch(id), undefined)
})

t.test('A campaign whose binding is deleted fails, though all of its messages are on their way', async (t) => {
  const { house, sends, id } = await inLine(t, [{}, {}, {}])
  house.paces = []
  const [first, ...others] = sends.taken
  const news = { at: sends.house.time.now(), messageId: 'x', state: 'failed', reason: 'noBinding' } as const
  await sends.tell({ sendId: first!.sendId, attempt: first!.attempt, ...news })
  t.match(await house.one(id), { status: 'failed', failReason: 'no_binding' })
  for (const { sendId, attempt } of others) await sends.tell({ sendId, attempt, ...news })
  t.match(await house.report(id), { states: { failed: 3 }, reasons: { no_route: 3 } })
  t.equal(await house.mismatch(id), undefined)
})

t.test('A running campaign sends only while its sendWindow and safe hours are both open', async (t) => {
  const house = await openCampaigns(t)
  await house.people(3)
  const hourNow = new Date(house.sends.house.time.now()).getUTCHours()
  const hours = (from: number, to: number) => ({
    startHour: (hourNow + from) % 24,
    endHour: (hourNow + to) % 24,
    timeZone: 'UTC',
  })
  await house.ask(house.sends.parts.commands.setSending, { sent: { safeHours: hours(0, 3) } })
  const id = await house.started({ sendWindow: hours(2, 5) })
  const { waitsUntil } = await house.one(id)
  t.equal(new Date(Date.parse(waitsUntil!)).getUTCHours(), (hourNow + 2) % 24)
  await house.sends.house.time.advance(hour)
  t.equal(house.sends.taken.length, 0)
  t.match(await house.report(id), { states: { pending: 3, sending: 0 } })
  await house.reaches(id, 'completed', 5 * minute)
  t.ok(house.sends.house.time.now() >= Date.parse(waitsUntil!))
  t.equal((await house.one(id)).waitsUntil, undefined)
  const closed = await house.started({ sendWindow: hours(4, 5) })
  t.ok((await house.one(closed)).waitsUntil, 'windows that never open together are looked at again')
  await house.sends.house.time.advance(26 * hour)
  t.match(await house.one(closed), { status: 'running', waitsUntil: /Z$/ })
  t.match(await house.report(closed), { states: { pending: 3 } })
})

t.test('A campaign that waits for its hours sees within minutes that they were changed', async (t) => {
  const house = await openCampaigns(t)
  await house.people(3)
  const hourNow = new Date(house.sends.house.time.now()).getUTCHours()
  const later = { startHour: (hourNow + 6) % 24, endHour: (hourNow + 8) % 24, timeZone: 'UTC' }
  await house.ask(house.sends.parts.commands.setSending, { sent: { safeHours: later } })
  const id = await house.started()
  t.ok((await house.one(id)).waitsUntil)
  const soon = { ...later, startHour: hourNow, endHour: (hourNow + 2) % 24 }
  await house.ask(house.sends.parts.commands.setSending, { sent: { safeHours: soon } })
  await house.sends.house.time.advance(limits.hoursLookMs)
  await house.reaches(id, 'completed', 0)
})

t.test('Guardrails are asked again when it is their turn', async (t) => {
  const house = await openCampaigns(t)
  house.sends.document = { ...house.sends.document, outreach: [{ ...outreach, class: 'marketing' }] }
  const [denies, , capped] = await house.people(3)
  const { id } = await house.draft()
  await house.stage(id)
  await house.ask(house.sends.people.commands.change, {
    personId: denies!.id,
    change: { consent: { status: 'denied' } },
  })
  house.sends.document = {
    ...house.sends.document,
    outreach: [...house.sends.document.outreach, { ...outreach, id: 'other', class: 'marketing' }],
  }
  const other = await house.sends.create({ outreachId: 'other', recipient: { kind: 'person', personId: capped!.id } })
  await house.sends.reaches(String(other.sendId), 'sent')
  await house.move(id, 'start')
  await house.reaches(id, 'completed')
  t.match(await house.report(id), {
    states: { sent: 1, suppressed: 2 },
    reasons: { no_consent: 1, frequency_capped: 1 },
  })
  t.equal(await house.mismatch(id), undefined)
})

t.test(
  'A STOP that a person does not show when they are staged is found by the send, and shown from then on',
  async (t) => {
    const house = await openCampaigns(t)
    const [stopped] = await house.people(2)
    const { asid } = stopped!.identities[0]!
    house.sends.optedOut.add(asid)
    const { id } = await house.draft()
    t.match(await house.stage(id), { counts: { total: 2, sendable: 2 } }, 'the news of it are on their way')
    await house.move(id, 'start')
    await house.reaches(id, 'completed')
    t.match(await house.report(id), { states: { sent: 1, suppressed: 1 }, reasons: { opted_out: 1 } })
    t.notOk(house.sends.taken.some((opening) => opening.asid === asid))
    const again = await house.draft({ includePreviouslyContacted: true })
    t.match(await house.stage(again.id), { counts: { total: 2, sendable: 1, exclusions: { optedOut: 1 } } })
  },
)

t.test('A person who no longer holds the asid at dispatch fails with no_channel_identity', async (t) => {
  const house = await openCampaigns(t)
  const [gone] = await house.people(2)
  const { id } = await house.draft()
  await house.stage(id)
  await house.ask(house.sends.people.commands.remove, { personId: gone!.id })
  await house.move(id, 'start')
  await house.reaches(id, 'completed')
  t.match(await house.report(id), { states: { sent: 1, failed: 1 }, reasons: { no_channel_identity: 1 } })
  t.equal(await house.mismatch(id), undefined)
})

t.test('Who is just talking is waited for', async (t) => {
  const house = await openCampaigns(t)
  const [talks] = await house.people(2)
  house.sends.heardAt.set(talks!.identities[0]!.asid, house.sends.house.time.now() - second)
  const id = await house.started()
  await house.eventually(async () => (await house.report(id)).states.queued === 1)
  await house.sends.house.time.advance(20 * minute)
  t.match(await house.report(id), { states: { queued: 1, sent: 1 } })
  await house.reaches(id, 'completed', minute)
  t.match(await house.report(id), { states: { sent: 2 } })
})

t.test('A STOP of a person who is waited for ends their send at once', async (t) => {
  const house = await openCampaigns(t)
  const { sends } = house
  const [talks] = await house.people(2)
  const { lastSeenAt: _none, ...identity } = talks!.identities[0]!
  sends.heardAt.set(identity.asid, sends.house.time.now() - second)
  const id = await house.started()
  await house.eventually(async () => (await house.report(id)).states.queued === 1)
  sends.optedOut.add(identity.asid)
  await house.ask(sends.people.commands.heard, { ...identity, at: sends.house.time.now(), kind: 'optedOut' })
  await house.reaches(id, 'completed', second)
  t.match(await house.report(id), { states: { sent: 1, suppressed: 1 }, reasons: { opted_out: 1 } })
  t.ok(sends.house.time.now() < sends.heardAt.get(identity.asid)! + outreachSend.quietMs, 'before they were quiet')
  t.equal(await house.mismatch(id), undefined)
})

t.test('It fails when its outreach or its binding is gone, and says why', async (t) => {
  for (const [breaks, failReason] of [
    [
      (house: Awaited<ReturnType<typeof openCampaigns>>) => {
        house.sends.document = { ...house.sends.document, outreach: [{ ...outreach, enabled: false }] }
      },
      'outreach_unavailable',
    ],
    [
      (house: Awaited<ReturnType<typeof openCampaigns>>) => {
        house.paces = []
      },
      'no_binding',
    ],
  ] as const) {
    const house = await openCampaigns(t)
    await house.people(2)
    const { id } = await house.draft()
    await house.stage(id)
    breaks(house)
    t.match(await house.move(id, 'start'), { status: 'failed', failReason })
    t.match(await house.report(id), { states: { cancelled: 2 }, reasons: { [failReason]: 2 } })
    t.equal(await house.mismatch(id), undefined)
    t.equal(house.sends.taken.length, 0)
  }
})

t.test('A rehearsal with personas needs no consent, no channel and no open hours', async (t) => {
  const house = await openCampaigns(t)
  house.paces = []
  await house.ask(house.sends.parts.commands.setSending, {
    sent: { safeHours: { startHour: 3, endHour: 4, timeZone: 'UTC' } },
  })
  const made = await house.people([
    { sandbox: true, consent: { status: 'denied' } },
    { sandbox: true, consent: { status: 'unknown' } },
  ])
  for (const [nth, { id }] of made.entries()) house.personas.set(`ps_${nth}`, id)
  const { id } = await house.draft({ audience: { personaIds: ['ps_0', 'ps_1'] } })
  t.match(await house.stage(id), { counts: { total: 2, sendable: 2 }, durationEstimate: [] })
  await house.move(id, 'start')
  await house.reaches(id, 'completed')
  t.match(await house.report(id), { states: { sent: 2 }, test: true })
  for (const opening of house.sends.taken) {
    t.match(opening, { sandbox: true })
    t.equal(opening.isBatch, undefined)
  }
  const [row] = await house.recipients(id)
  t.match(row, { personaId: 'ps_0', state: 'sent' })
  t.equal(row!.asid, undefined)
})

t.test('What nobody can tell yet is owed on, and nobody is sent to twice', async (t) => {
  const house = await openCampaigns(t)
  await house.people(10)
  const unknown = {
    answer: refuse('service.unavailable', { detail: 'perhaps' }),
    isTaken: true,
    news: [{ state: 'sent' as const }],
  }
  house.sends.scripts.push(unknown, isSent, unknown)
  const id = await house.started()
  await house.reaches(id, 'completed')
  t.equal(house.sends.out.length, 10)
  t.equal(new Set(house.sends.out).size, 10)
  t.equal(await house.mismatch(id), undefined)
})

t.test('Rows are kept as long as their sends, and the report for good', async (t) => {
  const house = await openCampaigns(t)
  await house.people(3)
  const id = await house.started()
  await house.reaches(id, 'completed')
  await house.sends.house.time.advance(outreachSend.keptMs - hour)
  t.equal((await house.recipients(id)).length, 3)
  await house.eventually(async () => (await house.recipients(id)).length === 0, hour)
  t.match(await house.report(id), { states: { sent: 3 }, total: 3 })
  const isLeft = (row: string) => /outreach\.(sends|shelves|launches|keys)|campaigns\.turns/.test(row)
  await house.eventually(() => !house.sends.rows().some(isLeft), hour)
})

/** What happens to a campaign on its way. */
const deed = fc.constantFrom('pause', 'resume', 'crash', 'pass', 'pass', 'cancel') as fc.Arbitrary<
  'pause' | 'resume' | 'crash' | 'pass' | 'cancel'
>

t.test(
  'However it is paused, resumed, cancelled and killed, each is sent to at most once and the report adds up',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(deed, { minLength: 1, maxLength: 8 }),
        fc.array(fc.constantFrom('sent', 'sent', 'later', 'never', 'unknown'), { maxLength: 60 }),
        async (deeds, fates) => {
          const house = await openCampaigns(t)
          await house.people(90)
          for (const fate of fates) {
            const sent = [{ state: 'sent' as const }]
            house.sends.scripts.push(
              fate === 'sent'
                ? { news: sent }
                : fate === 'unknown'
                  ? { answer: refuse('service.unavailable', { detail: 'perhaps' }), isTaken: true, news: sent }
                  : { answer: { reason: 'x', again: fate === 'later' ? 'later' : 'never' } },
            )
          }
          const { id } = await house.draft()
          await house.stage(id)
          await house.move(id, 'start')
          for (const each of deeds) {
            if (each === 'crash') await house.sends.crash()
            else if (each === 'pass') await house.sends.house.time.advance(7 * second)
            else await house.refused(house.area.commands[each] as never, { campaignId: id })
            const wrong = await house.mismatch(id)
            if (wrong) throw new Error(`after ${each}: ${wrong}`)
          }
          await house.refused(house.area.commands.resume as never, { campaignId: id })
          const isStill = async () => {
            const { states } = await house.report(id)
            return states.pending + states.queued + states.sending === 0
          }
          await house.eventually(isStill, minute)
          const wrong = await house.mismatch(id)
          if (wrong) throw new Error(`in the end: ${wrong}`)
          if (new Set(house.sends.out).size !== house.sends.out.length) throw new Error('somebody was sent to twice')
          const { states, total } = await house.report(id)
          if (total !== 90 || states.sent !== house.sends.out.length) throw new Error('not everybody is accounted for')
          await house.sends.house.stop()
        },
      ),
      { numRuns: 15 },
    )
  },
)

const marketing = { ...outreach, class: 'marketing' as const }

t.test(
  'Of two marketing campaigns that run together one reaches each person, and the other leaves them out',
  async (t) => {
    const house = await openCampaigns(t)
    house.sends.document = {
      ...house.sends.document,
      outreach: [marketing, { ...marketing, id: 'again', name: 'Again' }],
    }
    await house.people(30)
    const [first, second] = [await house.draft(), await house.draft({ outreachId: 'again' })]
    for (const { id } of [first, second]) await house.stage(id)
    await Promise.all([first, second].map(({ id }) => house.move(id, 'start')))
    for (const { id } of [first, second]) await house.reaches(id, 'completed')
    const asids = house.sends.taken.map(({ asid }) => asid)
    t.equal(asids.length, 30)
    t.equal(new Set(asids).size, 30, 'nobody twice')
    const reports = await Promise.all([first, second].map(({ id }) => house.report(id)))
    t.equal(reports[0]!.states.sent + reports[1]!.states.sent, 30)
    t.equal((reports[0]!.reasons.frequency_capped ?? 0) + (reports[1]!.reasons.frequency_capped ?? 0), 30)
    for (const { id } of [first, second]) t.equal(await house.mismatch(id), undefined)
  },
)

t.test('Marketing that is on its way to a person who was merged since counts for the one who stays', async (t) => {
  const house = await openCampaigns(t)
  const { sends } = house
  sends.document = { ...sends.document, outreach: [marketing, { ...marketing, id: 'again', name: 'Again' }] }
  const [stays, goes] = await house.people(2)
  const recipient = { kind: 'person' as const, personId: stays!.id }
  const waiting = await sends.create({ outreachId: 'again', recipient }, { origin: 'automated' })
  sends.scripts.push({ news: [] })
  const first = await house.draft({ audience: { personIds: [goes!.id] } })
  await house.stage(first.id)
  await house.move(first.id, 'start')
  await house.eventually(() => sends.taken.length === 1)
  await house.ask(sends.people.commands.merge, { personId: stays!.id, from: goes!.id })
  const again = await house.draft({ outreachId: 'again' })
  t.match(await house.stage(again.id), { counts: { total: 1, sendable: 0, exclusions: { frequencyGated: 1 } } })
  const named = await sends.create({ outreachId: 'again', recipient, idempotencyKey: 'named' })
  t.match(named, { warning: /on its way/ })
  t.match(await sends.reaches(String(waiting.sendId), 'suppressed'), { reason: 'frequency_capped' })
})

t.test('A marketing send that comes to nothing does not count for the cap', async (t) => {
  const house = await openCampaigns(t)
  house.sends.document = {
    ...house.sends.document,
    outreach: [marketing, { ...marketing, id: 'again', name: 'Again' }],
  }
  await house.people(1)
  house.sends.scripts.push({ answer: { reason: 'sendFailed', again: 'never' } })
  await house.reaches(await house.started(), 'completed')
  const id = await house.started({ outreachId: 'again' })
  await house.reaches(id, 'completed')
  t.match(await house.report(id), { states: { sent: 1 } })
})

t.test('A campaign waits while its binding needs its operator, and goes on once it is ready', async (t) => {
  const house = await openCampaigns(t)
  await house.people(20)
  const { paces } = house
  house.bound = ['rcs']
  house.sends.scripts.push(
    ...Array.from({ length: 5 }, () => ({ answer: { reason: 'bindingNotReady', again: 'never' as const } })),
  )
  const id = await house.started()
  await house.eventually(async () => (await house.recipients(id, 'queued')).length === 5, 1)
  house.paces = []
  t.match(await house.one(id), { status: 'running', holdReason: 'binding' })
  for (const row of await house.recipients(id, 'queued')) {
    t.match(row, { reason: 'binding_error', nextAttemptAt: /Z$/ })
  }
  t.equal(await house.mismatch(id), undefined)
  house.paces = paces
  await house.reaches(id, 'completed', minute)
  t.notOk((await house.one(id)).holdReason)
  t.match(await house.report(id), { states: { sent: 20 } })
  t.equal(new Set(house.sends.out).size, 20)
})

t.test('A campaign that waits for its binding goes on at once when that is ready, those who wait too', async (t) => {
  const ready: { call?: (tx: Tx, at: number) => void } & Command<object, true> = {
    name: 'test.ready',
    decide(tx, _input, { at }) {
      ready.call!(tx, at)
      return true
    },
  }
  const house = await openCampaigns(t, [ready as Command<never, unknown>])
  ready.call = (tx, at) => house.ready(tx, at)
  await house.people(20)
  const { paces } = house
  house.bound = ['rcs']
  house.sends.scripts.push(
    ...Array.from({ length: 5 }, () => ({ answer: { reason: 'bindingNotReady', again: 'never' as const } })),
  )
  const id = await house.started()
  await house.eventually(async () => (await house.recipients(id, 'queued')).length === 5, 1)
  house.paces = []
  const before = house.sends.house.time.now()
  await house.ask(ready, {})
  await house.eventually(async () => (await house.one(id)).holdReason === 'binding')
  house.paces = paces
  await house.ask(ready, {})
  await house.reaches(id, 'completed', 1)
  t.ok(house.sends.house.time.now() - before < outreachSend.bindingLookMs, 'before the next look at the binding')
  t.equal(new Set(house.sends.out).size, 20)
})

t.test('A campaign that is started while its binding is not ready hands out nobody before it is', async (t) => {
  const house = await openCampaigns(t)
  await house.people(3)
  const { paces } = house
  house.bound = ['rcs']
  house.paces = []
  const id = await house.started()
  t.match(await house.one(id), { status: 'running', holdReason: 'binding', counts: { sendable: 3 } })
  t.equal((await house.recipients(id, 'pending')).length, 3)
  house.paces = paces
  await house.reaches(id, 'completed', minute)
  t.equal(house.sends.taken.length, 3)
})

t.test('A row that waits for its person to be quiet says so, and when it is tried next', async (t) => {
  const house = await openCampaigns(t)
  await house.people(1)
  const until = house.sends.house.time.now() + 20 * minute
  house.sends.scripts.push({ answer: { talkingUntil: until } })
  const id = await house.started()
  await house.eventually(async () => (await house.recipients(id, 'queued')).length === 1, 1)
  t.match(await house.recipients(id), [{ reason: 'in-conversation', nextAttemptAt: new Date(until).toISOString() }])
  t.match(await house.report(id), { reasons: { 'in-conversation': 1 } })
  await house.reaches(id, 'completed', minute)
  t.same((await house.report(id)).reasons, {})
})

/** What comes after a send: what is remembered of it, follow-ups, and its end. */
import fc from 'fast-check'
import t from 'tap'
import { day, hour, minute } from '../../../core/durations.js'
import { allTables } from '../../../mgmt/outreach/store.js'
import { personTable } from '../../../mgmt/people/store.js'
import { type CommandRequest, decide, type PendingEffect } from '../../../runtime/shard/decision.js'
import { createOverlay } from '../../../runtime/shard/overlay.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import { timerNameTable, timerTable } from '../../../runtime/shard/tables.js'
import { eventually, fixtureShards } from '../../contract/shards/fixture.js'
import { agentRef, openSendsFixture, outreach, owner, toNumber } from './fixture.js'

const accepted = async (sends: Awaited<ReturnType<typeof openSendsFixture>>, request = toNumber()) => {
  const made = await sends.create(request)
  if (made.status !== 'queued') throw new Error(JSON.stringify(made))
  return String(made.sendId)
}

t.test(
  'Who was sent marketing is remembered, and a second one within the cap carries a warning and still goes',
  async (t) => {
    const sends = await openSendsFixture(t)
    sends.document = { ...sends.document, outreach: [{ ...outreach, class: 'marketing' }] }
    const to = toNumber()
    const id = await accepted(sends, to)
    const { personId } = await sends.waitForState(id, 'sent')
    t.match(sends.person(personId)?.outreach, { received: ['hello'], marketingAt: Number })
    const repeated = await sends.create({ ...to, idempotencyKey: 'second' })
    t.match(repeated, { status: 'queued', warning: /48 hours/ })
    await sends.waitForState(String(repeated.sendId), 'sent')
    await sends.fixture.time.advance(48 * hour)
    t.notOk('warning' in (await sends.create({ ...to, idempotencyKey: 'third' })))
  },
)

t.test('Silence is followed up once after the hours of the outreach, and an answer ends it', async (t) => {
  const sends = await openSendsFixture(t)
  const nudged = { ...outreach, followUp: { templateId: 'nudge', afterHours: 24 } }
  const messageTemplates = [...sends.document.messageTemplates, { id: 'nudge', name: 'Nudge', body: 'Still there?' }]
  sends.document = { ...sends.document, outreach: [nudged], messageTemplates }
  const silent = await accepted(sends)
  const answering = await accepted(sends)
  for (const id of [silent, answering]) await sends.waitForState(id, 'sent')
  await sends.report({ sendId: answering, attempt: 1, at: 1, messageId: 'x', state: 'responded' })
  t.ok((await sends.read(answering)).respondedAt)
  await sends.fixture.time.advance(23 * hour)
  t.equal(sends.acceptedOpenings.length, 2)
  await eventually(sends.fixture, () => sends.acceptedOpenings.length === 3, 10 * minute)
  t.match(sends.acceptedOpenings[2], {
    message: { parts: [{ text: 'Still there?' }] },
    asid: (await sends.read(silent)).asid,
  })
  const nudge = sends.acceptedOpenings[2]!
  t.equal((await sends.read(nudge.sendId)).followUpOf, silent, 'it names the send whose opening got no answer')
  for (const id of [silent, answering]) t.notOk('followUpOf' in (await sends.read(id)), 'openers name none')
  await sends.fixture.time.advance(60 * hour)
  t.equal(sends.acceptedOpenings.length, 3, 'and a follow-up is not followed up')
})

t.test('A follow-up waits for safe hours and stops for a person whose consent is denied by now', async (t) => {
  const sends = await openSendsFixture(t)
  const nudged = { ...outreach, followUp: { templateId: 'hi', afterHours: 1 } }
  sends.document = { ...sends.document, outreach: [nudged] }
  const safeHours = { startHour: 20, endHour: 21, timeZone: 'UTC' }
  await sends.fixture.shards.execute('org/desk', sends.parts.commands.setSending, { ...agentRef, sent: { safeHours } })
  const waiting = await accepted(sends)
  const denied = await accepted(sends)
  for (const id of [waiting, denied]) await sends.waitForState(id, 'sent')
  const { personId } = await sends.read(denied)
  const change = { consent: { status: 'denied' as const } }
  await sends.fixture.shards.execute('org/desk', sends.people.commands.change, {
    ...agentRef,
    personId,
    change,
  } as never)
  await sends.fixture.time.advance(3 * hour)
  t.equal(sends.acceptedOpenings.length, 2)
  await eventually(sends.fixture, () => sends.acceptedOpenings.length === 3, 10 * minute)
  t.equal(new Date(sends.fixture.time.now()).getUTCHours(), 20)
  t.equal(sends.acceptedOpenings[2]?.asid, (await sends.read(waiting)).asid)
})

t.test('Records and keys go after 180 days, and the key then makes a new send', async (t) => {
  const sends = await openSendsFixture(t)
  const request = { ...toNumber(), idempotencyKey: 'k' }
  const first = await sends.create(request)
  await sends.waitForState(String(first.sendId), 'sent')
  await sends.fixture.time.advance(179 * day)
  t.match(await sends.create(request), { status: 'duplicate', sendId: first.sendId })
  await sends.fixture.time.advance(2 * day)
  await eventually(sends.fixture, async () => (await sends.read(String(first.sendId))).state === undefined, day)
  const second = await sends.create(request)
  t.equal(second.status, 'queued')
  t.not(second.sendId, first.sendId)
  t.equal(second.personId, first.personId)
})

t.test('A follow-up is exempt from the frequency cap, its retries too, and never goes out after a STOP', async (t) => {
  const sends = await openSendsFixture(t)
  const marketing = { ...outreach, class: 'marketing' as const, followUp: { templateId: 'hi', afterHours: 1 } }
  sends.document = { ...sends.document, outreach: [marketing] }
  const first = await accepted(sends)
  const { personId, asid } = await sends.waitForState(first, 'sent')
  t.ok(sends.person(personId)?.outreach?.marketingAt, 'they are within the cap')
  sends.scripts.push({ deliveryReports: [{ state: 'failed', reason: 'providerError', retry: 'later' }] })
  await eventually(sends.fixture, () => sends.sentIds.length === 2, minute)
  t.same(
    sends.acceptedOpenings.map((opening) => [opening.asid, opening.attempt]),
    [
      [asid, 1],
      [asid, 1],
      [asid, 2],
    ],
  )
  const stopped = await accepted(sends)
  const stoppedAsid = (await sends.waitForState(stopped, 'sent')).asid!
  sends.optedOut.add(stoppedAsid)
  await sends.fixture.time.advance(3 * hour)
  await eventually(sends.fixture, () => sends.events.some(({ data }) => data.reason === 'opted_out'), minute)
  t.equal(sends.acceptedOpenings.filter((opening) => opening.asid === stoppedAsid).length, 1)
})

t.test('News that are told together come to the same as one after another', async (t) => {
  const sends = await openSendsFixture(t)
  const nudged = { ...outreach, class: 'marketing' as const, followUp: { templateId: 'hi', afterHours: 24 } }
  sends.document = { ...sends.document, outreach: [nudged] }
  for (const _ of [1, 2, 3]) sends.scripts.push({ deliveryReports: [] })
  const ids = [await accepted(sends), await accepted(sends), await accepted(sends)]
  await eventually(sends.fixture, () => sends.acceptedOpenings.length === 3, minute)
  const space = sends.fixture.store.space(shardOf(owner, fixtureShards))
  const { deliveryReport: reportOne, deliveryReports: reportBatch } = sends.parts.commands
  const piece = fc.record({
    sendId: fc.constantFrom(...ids, 'sd_nobody'),
    attempt: fc.constantFrom(1, 1, 1, 2),
    state: fc.constantFrom('sent', 'delivered', 'read', 'failed', 'responded'),
    repeated: fc.constantFrom('later', 'never'),
    at: fc.nat(),
    messageId: fc.constant('msg'),
  })
  const tables = [...allTables, personTable, timerTable, timerNameTable]
  const resultOf = (requests: readonly { readonly command: unknown; readonly input: unknown }[]) => {
    const layer = createOverlay(space)
    const moment = { at: 5, monotonicAt: 5, commit: 1, pending: [] as PendingEffect[], outboundCommands: [] }
    for (const each of requests) decide(layer, { ...(each as CommandRequest), owner, commandId: 'x' }, moment)
    const written = tables.flatMap(({ name }) => [...layer.writesOf(name)].map((row) => [name, row.key, row.value]))
    return {
      written: written.map((row) => JSON.stringify(row)).sort(),
      effects: moment.pending.map((pending) => pending.effect.payload),
    }
  }
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (all) => {
      const inputs = all.map((each) => ({ ...agentRef, ...each }))
      const apart = resultOf(inputs.map((input) => ({ command: reportOne, input })))
      t.same(resultOf([{ command: reportBatch, input: inputs }]), apart)
    }),
  )
})

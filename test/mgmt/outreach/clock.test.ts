/**
 * Sends, follow-ups, rules and reminders while the clock is set back or forward: delays stay delays, times of day stay.
 */
import fc from 'fast-check'
import t from 'tap'
import { hour, minute } from '../../../core/durations.js'
import { reminder } from '../../../core/limits/index.js'
import { openAutomationFixture } from '../automation/fixture.js'
import { agentRef, openSendsFixture, outreach, type SendsFixture, toNumber } from './fixture.js'

/** Steps of the clock, back (positive) and forward. */
const steps = fc.integer({ min: -48 * 60, max: 48 * 60 }).map((minutes) => minutes * minute)
const runs = { numRuns: 6, examples: [[hour], [-hour], [26 * hour]] as [number][] }
/** A step is noticed with the next look at the timers, and all that follows comes within a few of these. */
const stride = 5 * minute
const refusedForNow = { deliveryReports: [{ state: 'failed' as const, reason: 'sendFailed', retry: 'later' as const }] }

/** How much time passes until it holds. */
async function passesUntil(
  sends: SendsFixture,
  condition: () => boolean | Promise<boolean>,
  mostMs: number,
  strideMs = stride,
): Promise<number> {
  let passed = 0
  while (!(await condition()) && passed <= mostMs) {
    await sends.fixture.time.advance(strideMs)
    passed += strideMs
  }
  return passed
}

async function queueSend(sends: SendsFixture): Promise<string> {
  const made = await sends.create(toNumber())
  if (made.status !== 'queued') throw new Error(JSON.stringify(made))
  return String(made.sendId)
}

t.test(
  'However the clock is set, a send that was accepted or waits for its retry waits no longer for it',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(steps, async (backMs) => {
        const sends = await openSendsFixture(t)
        const isSent = (id: string) => async () => (await sends.read(id)).state === 'sent'
        sends.scripts.push(refusedForNow)
        const retried = await queueSend(sends)
        await sends.waitForRetry(retried)
        const accepted = await queueSend(sends)
        sends.fixture.time.setBack(backMs)
        t.ok(
          (await passesUntil(sends, isSent(accepted), 3 * minute, minute / 2)) <= 3 * minute,
          'the accepted one is sent',
        )
        t.ok(
          (await passesUntil(sends, isSent(retried), 3 * minute, minute / 2)) <= 3 * minute,
          'the other one is tried again',
        )
        t.equal(sends.sentIds.length, 2, 'each once')
        await sends.fixture.stop()
      }),
      runs,
    )
  },
)

t.test('However the clock is set, a follow-up comes no later than its hours after the step', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, async (backMs) => {
      const sends = await openSendsFixture(t)
      sends.document = {
        ...sends.document,
        outreach: [{ ...outreach, followUp: { templateId: 'hi', afterHours: 2 } }],
      }
      const ids = [await queueSend(sends), await queueSend(sends)]
      for (const id of ids) await sends.waitForState(id, 'sent')
      await sends.fixture.time.advance(hour)
      sends.fixture.time.setBack(backMs)
      const passed = await passesUntil(sends, () => sends.acceptedOpenings.length === 4, 3 * hour)
      t.ok(passed <= 2 * hour + 2 * stride, `they came after ${passed / minute} minutes`)
      if (backMs >= hour) t.ok(passed >= 2 * hour, 'and not before their hours are over')
      await sends.fixture.stop()
    }),
    runs,
  )
})

t.test('A send that waits for safe hours goes at their time of day, however the clock was set', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, async (backMs) => {
      const sends = await openSendsFixture(t)
      sends.document = {
        ...sends.document,
        outreach: [{ ...outreach, followUp: { templateId: 'hi', afterHours: 1 } }],
      }
      const safeHours = { startHour: 20, endHour: 21, timeZone: 'UTC' }
      await sends.fixture.shards.execute('org/desk', sends.parts.commands.setSending, {
        ...agentRef,
        sent: { safeHours },
      })
      await sends.waitForState(await queueSend(sends), 'sent')
      await sends.fixture.time.advance(90 * minute)
      sends.fixture.time.setBack(backMs)
      await passesUntil(sends, () => sends.acceptedOpenings.length === 2, 26 * hour)
      t.equal(sends.acceptedOpenings.length, 2)
      const hours = [0, stride].map((before) => new Date(sends.fixture.time.now() - before).getUTCHours())
      t.ok(hours.includes(20), `it went at ${hours[0]}`)
      await sends.fixture.stop()
    }),
    { ...runs, numRuns: 2 },
  )
})

t.test('However the clock is set, a rule sends no later than its delay after the step', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, async (backMs) => {
      const rules = await openAutomationFixture(t)
      await rules.rule({ delayMinutes: 60 })
      const { id } = await rules.person()
      await rules.sends.fixture.time.advance(30 * minute)
      rules.sends.fixture.time.setBack(backMs)
      const isSent = async () => (await rules.row(id))?.state === 'sent'
      const passed = await passesUntil(rules.sends, isSent, 2 * hour)
      t.ok(passed <= hour + 3 * stride, `it was sent after ${passed / minute} minutes`)
      await rules.sends.fixture.stop()
    }),
    runs,
  )
})

t.test('A reminder goes at its time of day, however the clock was set', async (t) => {
  for (const backMs of [3 * hour, -2 * hour]) {
    const rules = await openAutomationFixture(t)
    const { fixture, acceptedOpenings: openings } = rules.sends
    const { id } = await rules.person()
    const remindsAt = fixture.time.now() + 6 * hour
    await rules.saveAppointment(id, { startUtc: remindsAt + reminder.leadMinutes * minute })
    await fixture.time.advance(hour)
    fixture.time.setBack(backMs)
    await passesUntil(rules.sends, () => openings.length === 1, 10 * hour)
    t.equal(openings.length, 1)
    const late = fixture.time.now() - remindsAt
    t.ok(late >= 0 && late <= 2 * stride, `it went ${late} ms after its time`)
    await fixture.stop()
  }
})

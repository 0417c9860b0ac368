/** The guardrails by origin, cell by cell. */
import t, { type Test } from 'tap'
import { hour, minute } from '../../../core/durations.js'
import {
  evaluateGuardrails,
  type GuardedOrigin,
  type GuardFacts,
  guardedOrigins,
} from '../../../core/outreach/guardrails.js'

const at = Date.parse('2026-07-01T12:00:00Z')
const fine: GuardFacts = {
  at,
  consent: 'granted',
  isOptedOut: false,
  isMarketing: true,
  minTouchIntervalHours: 48,
  timeScale: 1,
}
/** Closed at `at`, open from 20:00. */
const evening = { startHour: 20, endHour: 22, timeZone: 'UTC' }
const opensAt = at + 8 * hour

/** What each finding comes to, in a word. */
function verdictOf(origin: GuardedOrigin, more: Partial<GuardFacts>): string {
  const finding = evaluateGuardrails(origin, { ...fine, ...more })
  if (!finding) return 'goes'
  if (finding.kind === 'refuse') return `refused ${finding.refusal.refused}`
  if (finding.kind === 'skip') return `skipped ${finding.reason}`
  return finding.kind === 'wait' ? `waits for ${finding.waitsFor} until ${finding.until - at}` : 'goes with a warning'
}

const each = (cells: Readonly<Record<GuardedOrigin, string>>, more: Partial<GuardFacts>, t: Test, name: string) => {
  for (const origin of guardedOrigins) t.equal(verdictOf(origin, more), cells[origin], `${name}: ${origin}`)
}

t.test('Consent on record decides who may get an outreach', async (t) => {
  const all = (word: string) => Object.fromEntries(guardedOrigins.map((origin) => [origin, word])) as never
  each(all('goes'), {}, t, 'granted')
  each(
    {
      named: 'goes',
      automated: 'skipped no_consent',
      campaign: 'skipped no_consent',
      followUp: 'goes',
      reminder: 'goes',
    },
    { consent: 'unknown' },
    t,
    'unknown',
  )
  each(
    {
      named: 'refused agent.outreach.consent_denied',
      automated: 'skipped no_consent',
      campaign: 'skipped no_consent',
      followUp: 'skipped no_consent',
      reminder: 'goes',
    },
    { consent: 'denied' },
    t,
    'denied',
  )
  t.equal(verdictOf('named', { hasDeclined: true }), 'refused agent.outreach.consent_declined')
})

t.test('After STOP a named send is refused, and other sends are suppressed', async (t) => {
  const never = 'skipped opted_out'
  each(
    { named: 'refused agent.outreach.opted_out', automated: never, campaign: never, followUp: never, reminder: never },
    { isOptedOut: true },
    t,
    'opted out',
  )
})

t.test('Unprompted outreach waits for the safe hours', async (t) => {
  const waits = `waits for safe-hours until ${opensAt - at}`
  each(
    { named: 'goes', automated: waits, campaign: waits, followUp: waits, reminder: 'goes' },
    { safeHours: evening },
    t,
    'closed',
  )
  t.equal(verdictOf('automated', { safeHours: evening, ignoresSafeHours: true }), 'goes')
  t.equal(verdictOf('reminder', { safeHours: evening, ignoresSafeHours: false }), waits)
  for (const origin of ['automated', 'campaign'] as const) {
    t.equal(verdictOf(origin, { sendWindow: evening }), waits, `${origin} has a window of its own`)
  }
  t.equal(verdictOf('automated', { safeHours: evening, sendWindow: evening, ignoresSafeHours: true }), waits)
  t.match(verdictOf('campaign', { safeHours: evening, sendWindow: { ...evening, startHour: 0, endHour: 1 } }), /^waits/)
})

t.test('The frequency cap warns, skips or does not apply, and only for marketing', async (t) => {
  const cells = {
    named: 'goes with a warning',
    automated: 'skipped frequency_capped',
    campaign: 'skipped frequency_capped',
    followUp: 'goes',
    reminder: 'goes',
  }
  each(cells, { marketingAt: at - 48 * hour + 1 }, t, 'within')
  const allowed = { named: 'goes', automated: 'goes', campaign: 'goes', followUp: 'goes', reminder: 'goes' }
  each(allowed, { marketingAt: at - 48 * hour }, t, 'just past')
  each(allowed, { marketingAt: at - 1, isMarketing: false }, t, 'service')
  each(allowed, { marketingAt: at - 1, minTouchIntervalHours: 0 }, t, 'switched off')
  each(allowed, { marketingAt: at - hour, timeScale: 48 }, t, 'scaled')
})

t.test('Automated outreach and campaigns wait thirty minutes after the person’s last message', async (t) => {
  const waits = `waits for in-conversation until ${29 * minute}`
  each(
    { named: 'goes', automated: waits, campaign: waits, followUp: 'goes', reminder: 'goes' },
    { lastInboundAt: at - minute },
    t,
    'talking',
  )
  for (const origin of guardedOrigins) t.equal(verdictOf(origin, { lastInboundAt: at - 30 * minute }), 'goes')
  for (const origin of guardedOrigins)
    t.equal(verdictOf(origin, { lastInboundAt: at + hour }), 'goes', 'the clock was set back')
})

t.test('Reasons that end a send come before reasons that delay it', async (t) => {
  t.equal(verdictOf('automated', { safeHours: evening, consent: 'unknown' }), 'skipped no_consent')
  t.equal(verdictOf('campaign', { safeHours: evening, marketingAt: at }), 'skipped frequency_capped')
})

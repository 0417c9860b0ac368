/** Rules on what agents say: others have their turn while a message is judged, and there is an end to it. */
import t from 'tap'
import type { ReplyRule } from '../../../core/agent/replyrules.js'
import type { OutboundMessage } from '../../../core/amf/index.js'
import { replyRules as limits } from '../../../core/limits/index.js'
import { applyRules } from '../../../runtime/agentwebhook/replyrules.js'

const reader = { locale: 'en-US', zone: 'UTC' }
const textReply = (text: string, parts = 1): OutboundMessage => ({
  spec: 'amf/1',
  parts: Array.from({ length: parts }, () => ({ type: 'text', text })),
})
const rule = (id: string, action: ReplyRule['action'], ...patterns: string[]): ReplyRule => ({ id, action, patterns })

/** A text that leads an expression to ever other states. */
const unsteady = (() => {
  let seed = 1
  return Array.from({ length: 3_999 }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed % 65_536 < 32_768 ? 'a' : 'b'
  }).join('')
})()
const large = '/[ab]*a[ab]{450}c/'

/** A clock on which a millisecond passes each time it is looked at, and that counts how often something was put off. */
function countingClock() {
  const clock = {
    turns: 0,
    waiting: 0,
    mostWaiting: 0,
    now: 0,
    monotonic: () => clock.now++,
    nextTick(call: () => void) {
      clock.turns++
      clock.waiting++
      clock.mostWaiting = Math.max(clock.mostWaiting, clock.waiting)
      setImmediate(() => {
        clock.waiting--
        call()
      })
    },
  }
  return clock
}

t.test('Other work runs while a single pattern is searched', async (t) => {
  const clock = countingClock()
  const { ruleVerdict: ruled } = await applyRules([rule('r', 'flag', large)], textReply(unsteady), reader, clock)
  t.equal(ruled, undefined)
  t.ok(clock.turns > 20, `${clock.turns} turns`)
})

t.test('Of messages checked at the same time one continues in each turn of the loop', async (t) => {
  const clock = countingClock()
  const rules = [rule('r', 'flag', large)]
  await Promise.all([1, 2, 3, 4].map(() => applyRules(rules, textReply(unsteady), reader, clock)))
  t.equal(clock.mostWaiting, 1)
  t.ok(clock.turns > 80, `${clock.turns} turns`)
})

t.test('A message that cannot be checked within its steps is refused by the first blocking rule', async (t) => {
  const clock = countingClock()
  const rules = [
    rule('before', 'flag', 'no such phrase'),
    rule('costly', 'flag', large, large, large, large, large, large),
    { ...rule('blocks', 'block', 'no such phrase'), replacement: 'Something else.' },
    rule('behind', 'block', 'no such phrase'),
  ]
  const message = textReply(unsteady, 8)
  t.same(await applyRules(rules, message, reader, clock), {
    message,
    ruleVerdict: { flaggedBy: ['costly'], blockedBy: 'blocks', isInconclusive: true },
  })
  const clockReads = limits.messageSteps / 2_000
  t.ok(clock.now < 4 * clockReads, `${clock.now} looks at the clock`)
})

t.test('Two thousand phrases are checked against the longest text', async (t) => {
  const rules = Array.from({ length: 100 }, (_, nth) =>
    rule(`r${nth}`, 'block', ...Array.from({ length: 20 }, (_, each) => `phrase ${nth} ${each}`)),
  )
  const message = textReply('a'.repeat(3_999), 16)
  t.same(await applyRules(rules, message, reader, countingClock()), { message })
})

t.test('The check stops once the caller has disconnected', async (t) => {
  const clock = countingClock()
  const cancelled = new AbortController()
  const judging = applyRules(
    [rule('r', 'block', large, large)],
    textReply(unsteady, 8),
    reader,
    clock,
    cancelled.signal,
  )
  cancelled.abort()
  t.match(await judging, { ruleVerdict: { blockedBy: 'r', isInconclusive: true } })
  // Each turn is put off twice.
  t.ok(clock.turns <= 2, `put off ${clock.turns} times`)
})

/** Timers of a shard: which of them is the next, and that one which does not ring stays in sight. */
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { shard as limits } from '../../../runtime/shard/limits.js'
import { type DueTimer, openTimers } from '../../../runtime/shard/timers.js'
import type { Reader } from '../../../runtime/store/contract.js'
import { began, createLeapingClock } from '../../harness/clock.js'

function scheduled(...due: readonly number[]) {
  const clock = createLeapingClock()
  const dueTimes = new Set(due.map((ms) => began + ms))
  const rung: number[] = []
  let ring: (timer: DueTimer) => Promise<void> = async ({ key: [dueAt] }) => {
    rung.push(dueAt - began)
    dueTimes.delete(dueAt)
  }
  const reader = {
    range: (_table: unknown, { limit = Infinity, before }: { limit?: number; before?: readonly [number] }) =>
      [...dueTimes]
        .sort((a, b) => a - b)
        .filter((dueAt) => dueAt < (before?.[0] ?? Infinity))
        .slice(0, limit)
        .map((dueAt) => ({ key: [dueAt, 'owner', 'name'], value: { command: 'x', input: {} } })),
  } as unknown as Reader
  const timers = openTimers({
    reader,
    clock,
    limits,
    fire: (timer) => ring(timer),
    latestAt: began,
    reschedule: async () => {},
  })
  return {
    timers,
    rung,
    ringsWith(next: typeof ring) {
      ring = next
    },
    rings: () => ring,
    async pass(ms: number) {
      clock.advance(ms)
      for (let n = 0; n < 5; n++) await turn()
    },
    dueAt: () => (timers.dueAt() === undefined ? undefined : timers.dueAt()! - began),
  }
}

t.test('The next timer is known before it is due, and the one behind it once it rang', async (t) => {
  const table = scheduled(1_000, 5_000)
  t.equal(table.dueAt(), undefined, 'nobody has looked yet')
  table.timers.refresh()
  t.equal(table.dueAt(), 1_000)
  await table.pass(1_000)
  t.same(table.rung, [1_000])
  t.equal(table.dueAt(), 5_000)
  await table.pass(4_000)
  t.equal(table.dueAt(), undefined)
  await table.timers.stop()
})

t.test('A timer that cannot be done is the next one until it is', async (t) => {
  const table = scheduled(1_000)
  const rings = table.rings()
  table.ringsWith(() => Promise.reject(new Error('nothing can be written')))
  table.timers.refresh()
  await table.pass(1_000)
  for (let n = 0; n < 3; n++) {
    await table.pass(limits.effectRetryMs)
    t.equal(table.dueAt(), 1_000)
  }
  table.ringsWith(rings)
  await table.pass(limits.effectRetryMs)
  await table.pass(limits.effectRetryMs)
  t.same(table.rung, [1_000])
  t.equal(table.dueAt(), undefined)
  await table.timers.stop()
})

t.test(
  'Whenever the clock is set back, delays that were set in its future are dated anew, and no other timer',
  async (t) => {
    const hour = 3_600_000
    const timer = fc.record({
      setMs: fc.integer({ min: 0, max: hour }),
      delayMs: fc.integer({ min: hour, max: 3 * hour }),
    })
    const timers = fc.array(fc.record({ timer, isDelay: fc.boolean() }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(timers, fc.integer({ min: 0, max: 48 * hour }), async (set, backMs) => {
        const clock = createLeapingClock()
        let behind = 0
        const rows = set
          .map(({ timer: { setMs, delayMs }, isDelay }, n) => ({
            key: [began + setMs + delayMs, 'owner', `${n}`],
            value: { command: 'x', input: {}, ...(isDelay && { setAt: began + setMs }) },
          }))
          .sort((a, b) => Number(a.key[0]) - Number(b.key[0]))
        const range = (_table: unknown, { limit, before }: { limit?: number; before?: readonly [number] }) =>
          rows.filter(({ key }) => Number(key[0]) < (before?.[0] ?? Infinity)).slice(0, limit)
        const redated: unknown[] = []
        const timers = openTimers({
          reader: { range } as unknown as Reader,
          clock: {
            ...clock,
            now: () => clock.now() - behind,
            setTimer: (at, call) => clock.setTimer(at + behind, call),
          },
          limits,
          fire: async () => {},
          latestAt: began,
          reschedule: async (entries) => void redated.push(...entries.map(({ key }) => key[2])),
        })
        clock.advance(hour)
        timers.refresh()
        for (let n = 0; n < 3; n++) await turn()
        t.same(redated, [], 'nothing was set in the future of the clock')
        behind = backMs
        timers.refresh()
        for (let n = 0; n < 3; n++) await turn()
        const now = began + hour - backMs
        const isAhead = ({ value }: (typeof rows)[number]) => (value.setAt ?? now) > now
        t.same(redated, backMs > limits.clockStepMs ? rows.filter(isAhead).map(({ key }) => key[2]) : [])
        await timers.stop()
      }),
      { numRuns: 50 },
    )
  },
)

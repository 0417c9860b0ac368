/** Stopping: accepted commands and running effects finish, and the next owner finds the rest. */
import type { Test } from 'tap'
import { shard as limits } from '../../../runtime/shard/limits.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import { isAnswer } from './commands.js'
import { countPendingEffects } from './effects.js'
import { eventually, fixtureShards, type OpenEngineFixture } from './fixture.js'
import { act, executeScript, type Step, seenOf, testHandlers } from './handlers.js'

export function stoppingSuite(t: Test, openFixture: OpenEngineFixture): void {
  t.test('A stop answers everything that was asked before it', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    const requests = Array.from({ length: 300 }, (_, n) => executeScript(fixture, `owner-${n % 20}`, { count: 1 }))
    for (let shard = 0; shard < fixtureShards; shard++) await seenOf(fixture, ownerIn(shard))
    const stopped = fixture.stop()
    t.ok((await Promise.all(requests)).every(isAnswer))
    await stopped
    const next = await openFixture(t, { handlers: testHandlers(), after: fixture })
    for (let n = 0; n < 20; n++) t.equal((await seenOf(next, `owner-${n}`)).counted, 15)
  })

  t.test(
    'A stop lets what is being performed end and report, begins nothing more, and leaves the rest owed',
    async (t) => {
      const [here, elsewhere] = ['a', ownerIn((shardOf('a', fixtureShards) + 1) % fixtureShards)]
      const began: number[] = []
      let open = () => {}
      const gate = new Promise<void>((resolve) => {
        open = resolve
      })
      const fixture = await openFixture(t, {
        handlers: testHandlers((shards) => ({
          async deliver(payload: number, { id, owner }) {
            began.push(payload)
            await gate
            for (const to of [owner, elsewhere]) {
              const reported = await shards.execute(
                to,
                act,
                { owner: to, run: [{ write: `performed ${payload}` }] },
                { id },
              )
              if (!isAnswer(reported)) throw new Error('could not report')
            }
          },
        })),
      })
      const count = 2 * limits.effectsPerDestination
      await executeScript(fixture, here, ...Array.from({ length: count }, (_, n): Step => ({ effect: n })), {
        later: 'never yet',
        inMs: 0,
        run: [{ write: 'timer' }],
      })
      await eventually(fixture, () => began.length === limits.effectsPerDestination)
      const stopped = fixture.stop()
      open()
      await stopped
      t.equal(began.length, limits.effectsPerDestination, 'nothing was begun any more')

      const retried: number[] = []
      const next = await openFixture(t, {
        handlers: testHandlers(() => ({ deliver: async (payload: number) => void retried.push(payload) })),
        after: fixture,
      })
      await eventually(next, () => countPendingEffects(next, here) === 0)
      t.same(
        retried,
        Array.from({ length: count - began.length }, (_, n) => began.length + n),
        'what was performed is settled',
      )
      const reports = (journal: readonly string[]) => journal.filter((line) => line !== 'timer').toSorted()
      const expected = began.map((n) => `performed ${n}`).toSorted()
      t.same(reports((await seenOf(next, here)).journal), expected)
      t.same(reports((await seenOf(next, elsewhere)).journal), expected)
      await eventually(next, async () => (await seenOf(next, here)).journal.includes('timer'))
    },
  )

  t.test('A performer that takes too long is cut off, and its effect is performed by the next', async (t) => {
    let heeded = 0
    const began: string[] = []
    const fixture = await openFixture(t, {
      handlers: testHandlers(() => ({
        deliver: (payload: string, { signal }) => {
          began.push(payload)
          if (payload === 'deaf') return new Promise<void>(() => {})
          return new Promise<void>((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error(`cut off ${++heeded}`)))
          })
        },
      })),
    })
    await executeScript(fixture, 'a', { effect: 'slow' }, { effect: 'deaf', to: 'elsewhere' })
    await eventually(fixture, () => began.length === 2)
    let stopped = false
    const stop = fixture.stop().then(() => {
      stopped = true
    })
    await fixture.time.advance(0)
    t.equal(heeded, 0, 'not at once')
    await eventually(fixture, () => stopped, limits.handOverMs)
    await stop
    t.equal(heeded, 1)
    const retried: string[] = []
    const next = await openFixture(t, {
      handlers: testHandlers(() => ({ deliver: async (payload: string) => void retried.push(payload) })),
      after: fixture,
    })
    await eventually(next, () => countPendingEffects(next, 'a') === 0)
    t.same(retried.toSorted(), ['deaf', 'slow'])
  })

  t.test('After a stop nothing is performed or fired any more', async (t) => {
    let performed = 0
    const fixture = await openFixture(t, {
      handlers: testHandlers(() => ({
        async deliver() {
          performed++
          throw new Error('not now')
        },
      })),
    })
    await executeScript(fixture, 'a', { effect: 1 }, { later: 'x', inMs: 1_000_000, run: [{ effect: 2 }] })
    await eventually(fixture, () => performed > 0)
    await fixture.stop()
    const before = performed
    await fixture.time.advance(2_000_000)
    t.equal(performed, before)
  })
}

function ownerIn(shard: number): string {
  for (let n = 0; ; n++) if (shardOf(`owner-${n}`, fixtureShards) === shard) return `owner-${n}`
}

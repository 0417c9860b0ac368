/** How much a shard takes at a time. */
import t from 'tap'
import { type Clock, systemClock } from '../../../runtime/clock.js'
import { createLog } from '../../../runtime/observe/log.js'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import { shard as limits } from '../../../runtime/shard/limits.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { tempDir } from '../../harness/tempdir.js'
import { count } from './counter.js'

const { log } = createLog({ destination: { write: () => {} } })

t.test('Deciding takes its time in a turn of the loop and no more, and those behind it keep their order', async (t) => {
  // Each look at the clock finds a millisecond gone.
  let elapsed = 0
  const turns: number[] = []
  const clock: Clock = {
    ...systemClock,
    monotonic: () => elapsed++,
    nextTick(call) {
      systemClock.nextTick(() => {
        turns.push(0)
        call()
      })
    },
  }
  const counting: typeof count = {
    ...count,
    decide(tx, input, meta) {
      turns[turns.length - 1]!++
      return count.decide(tx, input, meta)
    },
  }
  const store = await openStore({ dir: tempDir(t), shards: 1 })
  let commands = 0
  const engine = openEmbedded({
    store,
    shards: 1,
    clock,
    log,
    newCommandId: () => String(commands++),
    handlers: { commands: [counting] as never, queries: [], effectHandlers: () => ({}) },
  })
  await engine.start()
  const answers = await Promise.all(Array.from({ length: 30 }, () => engine.execute('a', counting, null)))
  await engine.stop()
  await store.close()
  t.same(
    answers,
    answers.map((_, index) => index + 1),
  )
  for (const decided of turns) t.ok(decided <= limits.decideMs, `${decided} in one turn`)
})

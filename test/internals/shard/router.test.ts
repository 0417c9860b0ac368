/** The cluster router: a command that may have been committed is not executed again. */
import t from 'tap'
import { isRefusal } from '../../../core/errors.js'
import type { Clock } from '../../../runtime/clock.js'
import { createRouter } from '../../../runtime/shard/cluster/router.js'
import type { Command } from '../../../runtime/shard/contract.js'
import { shard as limits } from '../../../runtime/shard/limits.js'
import type { OwnedShard } from '../../../runtime/shard/ownedshard.js'
import { outcomeUnknown } from '../../../runtime/shard/refusals.js'
import { createRegistry } from '../../../runtime/shard/registry.js'

const note: Command<string, null> = { name: 'test.note', decide: () => null }
const registry = createRegistry({ commands: [note] as never, queries: [] })

/** A clock on which timers fire at once, and half a millisecond early. */
function earlyClock(): Clock {
  let time = 0
  return {
    now: () => time,
    monotonic: () => time,
    setTimer(at, call) {
      const timer = setImmediate(() => {
        time = Math.max(time, at - 0.5)
        call()
      })
      return () => clearImmediate(timer)
    },
    nextTick: (call) => void setImmediate(call),
  }
}

for (const id of [undefined, 'of the caller']) {
  t.test(`A command ${id ? 'with' : 'without'} an id whose commit takes too long here is executed once`, async (t) => {
    const clock = earlyClock()
    let calls = 0
    const slow = {
      execute() {
        calls++
        return new Promise(() => {})
      },
    } as Partial<OwnedShard> as OwnedShard
    const rpc = { request: () => t.fail('no other node is asked') as never, serve: () => () => {} }
    const router = createRouter({
      rpc,
      shards: 1,
      registry,
      localShard: () => slow,
      newCommandId: () => 'made',
      clock,
      limits,
    })
    const answer = await router.execute('owner', note, 'x', { id })
    t.ok(isRefusal(answer))
    t.same(answer, outcomeUnknown)
    t.equal(calls, 1)
    t.ok(clock.monotonic() >= limits.executeMs - 1, 'after the whole time')
  })
}

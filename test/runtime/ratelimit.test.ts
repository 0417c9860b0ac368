/**
 * Rate limits: the arithmetic, the buckets of one process, the buckets in Redis, and what happens when Redis is away.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { type BudgetName, budgets } from '../../core/limits/index.js'
import {
  type BucketShape,
  type BucketState,
  callUnits,
  isFull,
  shapeOf,
  spend,
} from '../../runtime/ratelimit/bucket.js'
import type { Buckets, SpendResult } from '../../runtime/ratelimit/contract.js'
import { type OpenBucketsOptions, openBuckets } from '../../runtime/ratelimit/factory.js'
import { rateLimitHeaders } from '../../runtime/ratelimit/headers.js'
import { redis as limits } from '../../runtime/ratelimit/limits.js'
import { BucketTable, budgetNames, createLocalBuckets, shapesOf } from '../../runtime/ratelimit/local.js'
import { RedisBuckets, type RedisBucketsOptions } from '../../runtime/ratelimit/redis.js'
import { spendScript } from '../../runtime/ratelimit/script.js'
import { subjectOfAddress } from '../../runtime/ratelimit/subject.js'
import { bucketsContract } from '../contract/buckets.js'
import { makeCertificates } from '../harness/certificates.js'
import { TestRedis } from '../harness/redis.js'

const { burstCalls, refillPerSecond } = budgets.send
const micros = 1_000_000
const refillMicros = (burstCalls / refillPerSecond) * micros

class StillClock {
  ms = 0
  now() {
    return this.ms
  }
}

t.test('A limit by address counts an IPv6 network of 64 bits as one address, and IPv4 addresses singly', async (t) => {
  const hex = fc.integer({ min: 0, max: 0xffff }).map((part) => part.toString(16))
  fc.assert(
    fc.property(
      fc.array(hex, { minLength: 8, maxLength: 8 }),
      fc.array(hex, { minLength: 4, maxLength: 4 }),
      (own, other) => {
        // The first part keeps it out of what stands for IPv4.
        const network = ['2001', ...own.slice(1, 4)]
        const subject = subjectOfAddress([...network, ...own.slice(4)].join(':'))
        return subject === subjectOfAddress([...network, ...other].join(':')) && subject.endsWith('::/64')
      },
    ),
  )
  t.not(subjectOfAddress('2001:db8:1:2::1'), subjectOfAddress('2001:db8:1:3::1'))
  t.equal(subjectOfAddress('2001:db8::1'), subjectOfAddress('2001:0db8:0000:0000:ffff:0:0:1'))
  t.equal(subjectOfAddress('::ffff:203.0.113.9'), '203.0.113.9')
  t.equal(subjectOfAddress('0000:0000:0000:0000:0000:ffff:cb00:7109'), '203.0.113.9', 'as the listener writes it')
  t.not(subjectOfAddress('203.0.113.9'), subjectOfAddress('203.0.113.8'))
  for (const odd of ['', 'x', ':', '::1::', 'fe80::1%eth0']) t.type(subjectOfAddress(odd), 'string')
})

t.test('A bucket has exact arithmetic', async (t) => {
  const shape = shapeOf(budgets.send)

  t.test('The bucket agrees with a plain model at every step, for any calls and pauses', async (t) => {
    const steps = fc.array(fc.record({ pauseMs: pauses(), calls: fc.integer({ min: 1, max: 60 }) }), { maxLength: 40 })
    fc.assert(
      fc.property(fc.constantFrom<BudgetName>('send', 'journey'), steps, (budget, walk) => {
        const clock = new StillClock()
        const buckets = createLocalBuckets(new BucketTable(clock))
        const model = modelOf(budget)
        for (const { pauseMs, calls } of walk) {
          clock.ms += pauseMs
          model.pass(pauseMs)
          for (let call = 0; call < calls; call++) {
            const [actual, expected] = [buckets.spend(budget, 'subject'), model.spend()]
            if (show(actual) !== show(expected)) throw new Error(`${show(actual)} not ${show(expected)}`)
          }
        }
      }),
    )
    t.pass('in every run')
  })

  t.test('No token is lost or gained, however finely the time is divided', async (t) => {
    let expectedState: BucketState | undefined = drainedBucket(0)
    let cut: BucketState | undefined = expectedState
    for (let now = 0; now <= 100_000; now += 7) cut = spend(shape, cut, now).state
    expectedState = spend(shape, expectedState, 99_995).state
    t.same(cut, expectedState)
    t.equal(spend(shape, cut, 99_999).result.allowed, false, 'a microsecond early')
    t.equal(spend(shape, cut, 100_000).result.allowed, true, 'to the microsecond')
  })

  t.test('A clock that jumps back and forth creates no tokens', async (t) => {
    const walk = fc.array(fc.integer({ min: -3e6, max: 3e6 }), {
      minLength: 1,
      maxLength: 300,
    })
    fc.assert(
      fc.property(walk, (moves) => {
        let [now, high, admitted] = [0, 0, 0]
        let state: BucketState = { units: shape.capacityUnits, atMicros: 0 }
        for (const move of moves) {
          // Kept within one refill of its highest, where the clock counts as repeating itself and not as set.
          now = Math.max(now + move, high - refillMicros)
          high = Math.max(high, now)
          for (let call = 0; call < 40; call++) {
            const done = spend(shape, state, now)
            state = done.state
            if (done.result.allowed) admitted++
          }
        }
        return admitted <= burstCalls + (refillPerSecond * high) / micros
      }),
    )
    t.pass('in every run')
  })

  t.test('While the clock repeats itself, the headers include the time until it has caught up', async (t) => {
    const empty = drainedBucket(5 * micros)
    const { result: spent } = spend(shape, empty, 2 * micros)
    t.match(spent, { allowed: false, remaining: 0, resetSeconds: 3 + 10, retryAfterSeconds: 4 })
    t.equal(spend(shape, empty, 5.1 * micros).result.allowed, true)
  })

  t.test('A clock set back by an hour adds nothing at once and does not stop the bucket', async (t) => {
    const hour = 3600 * micros
    const set = spend(shape, drainedBucket(hour), 0)
    t.match(set.result, { allowed: false, resetSeconds: 10, retryAfterSeconds: 1 })
    t.equal(spend(shape, set.state, 0.1 * micros).result.allowed, true)
  })

  t.test('Shares of a budget never add up to more than the whole', async (t) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), (nodes) => {
        const part = shapeOf(budgets.send, 1 / nodes)
        return part.burstCalls * nodes <= burstCalls && part.refillUnitsPerMicro * nodes <= shape.refillUnitsPerMicro
      }),
    )
    t.equal(shapeOf(budgets.send, 1 / 1000).burstCalls, 1, 'and a share is never zero')
    t.throws(() => shapeOf({ burstCalls: 1e7, refillPerSecond: 1 }), /cannot be counted exactly/)
  })
})

t.test('A limited response has rate limit headers', async (t) => {
  const spent = { allowed: true, limit: 100, remaining: 99, resetSeconds: 1, retryAfterSeconds: 0 }
  const headers = { 'RateLimit-Limit': '100', 'RateLimit-Remaining': '99', 'RateLimit-Reset': '1' }
  t.same(rateLimitHeaders(spent), headers)
  const refused = { allowed: false, limit: 100, remaining: 0, resetSeconds: 10, retryAfterSeconds: 1 }
  t.same(rateLimitHeaders(refused), {
    'RateLimit-Limit': '100',
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': '10',
    'Retry-After': '1',
  })
})

t.test('Buckets are local to one process', async (t) => {
  const clock = new StillClock()
  bucketsContract(t, {
    name: 'The process',
    propertyRuns: 100,
    open: async () => [await openBuckets({ clock })],
    nowMs: () => clock.ms,
    pass: async (ms) => {
      clock.ms += ms
    },
  })

  t.test('Without an injected clock the buckets use a monotonic one', async (t) => {
    const buckets = await openBuckets({})
    t.match(buckets.spend('send', 'subject'), { allowed: true, remaining: burstCalls - 1, resetSeconds: 1 })
  })

  t.test('A full bucket is dropped, and any other is kept', async (t) => {
    const clock = new StillClock()
    const ledger = new BucketTable(clock, 0)
    const shapes = shapesOf()
    const crowd = 5_000
    for (let round = 0; round < 10; round++) {
      for (let one = 0; one < crowd; one++) ledger.spend(shapes.send, 'send', `subject ${round} ${one}`)
      clock.ms += 1000
    }
    t.ok(ledger.size() <= 2 * crowd, `${ledger.size()} of ${10 * crowd} are held`)
    for (let call = 0; call < burstCalls; call++) ledger.spend(shapes.send, 'send', 'busy')
    clock.ms += 5000
    for (let one = 0; one < 2 * crowd; one++) ledger.spend(shapes.send, 'send', `later ${one % 10}`)
    t.match(ledger.spend(shapes.send, 'send', 'busy'), { allowed: true, remaining: 49 })
    t.equal(ledger.size(), 11)
  })

  t.test('A fixed number of full buckets is kept, and not one more', async (t) => {
    const clock = new StillClock()
    const maxBuckets = 100
    const ledger = new BucketTable(clock, maxBuckets)
    const shapes = shapesOf()
    for (let round = 0; round < 10; round++) {
      for (let one = 0; one < maxBuckets; one++) ledger.spend(shapes.send, 'send', `subject ${one}`)
      clock.ms += 60_000
    }
    t.equal(ledger.size(), maxBuckets)
    for (let one = 0; one < 10 * maxBuckets; one++) {
      ledger.spend(shapes.send, 'send', `other ${one}`)
      clock.ms += 60_000
    }
    t.equal(ledger.size(), maxBuckets)
  })
})

t.test('Buckets are shared in Redis', async (t) => {
  const redis = await TestRedis.start()
  t.teardown(() => redis.stop())
  bucketsContract(t, {
    name: 'Redis, shared by two nodes,',
    propertyRuns: 5,
    open: async () => [await openNode(redis), await openNode(redis)],
    nowMs: () => performance.now(),
    pass: (ms) => sleep(ms),
  })

  t.test('The script computes the same as the process, for any clock', async (t) => {
    const script = spendScript(clockOfTest)
    const moves = fc.array(
      fc.record({
        move: fc.oneof(fc.integer({ min: -2e7, max: 2e7 }), fc.integer({ min: -1e5, max: 1e5 }), fc.constant(0)),
        calls: fc.integer({ min: 1, max: 120 }),
      }),
      { minLength: 1, maxLength: 6 },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.values(shapesOf()), shapeOf(budgets.send, 1 / 3)),
        moves,
        (shape, walk) => sameAsScript(redis, script, shape, walk),
      ),
      { numRuns: 60 },
    )
    t.pass('in every run')
  })

  t.test('The local estimate of a node is never below the value in Redis', async (t) => {
    await redis.command('FLUSHALL')
    const { capacityUnits, refillUnitsPerMicro } = shapeOf(budgets.send)
    const ask = (believedCalls: number) => {
      const figures = [capacityUnits, refillUnitsPerMicro, callUnits, believedCalls * callUnits]
      return redis.command('EVAL', spendScript('local now = 0'), 1, 'bucket', ...figures)
    }
    t.same(await ask(3), [1, 2 * callUnits, 0], 'an unknown bucket starts there')
    t.same(await ask(burstCalls), [1, 1 * callUnits, 0], 'a higher estimate changes nothing')
    t.same(await ask(0.5), [0, 0.5 * callUnits, 0], 'a lower one is adopted')
  })

  t.test('A key reveals nothing of its subject and expires once the bucket is full', async (t) => {
    await redis.command('FLUSHALL')
    const node = await openNode(redis)
    t.teardown(() => node.close())
    const subject = 'key_01jd8a7c2v 0046701740605'
    for (const budget of budgetNames) {
      // All of it, so that the keys last longer than this test looks at them.
      await Promise.all(Array.from({ length: budgets[budget].burstCalls }, () => node.spend(budget, subject)))
    }
    const keys = ((await redis.command('KEYS', '*')) as string[]).filter((key) => !key.endsWith(':probe'))
    t.same(keys.map((key) => key.split(':')[3]).sort(), [...budgetNames].sort())
    for (const key of keys) {
      t.match(key, /^parley:limits:1:\w+:[\w-]{22}$/)
      t.notOk(key.includes('key_') || key.includes('0046'))
    }
    for (const key of (await redis.command('KEYS', '*')) as string[]) {
      const ttlMs = (await redis.command('PTTL', key)) as number
      const { burstCalls: calls, refillPerSecond } = budgets[key.split(':')[3] as keyof typeof budgets] ?? budgets.send
      t.ok(ttlMs !== -1 && ttlMs <= (calls / refillPerSecond) * 1000 + 1, `${key} has ${ttlMs} ms to live`)
    }
  })
})

t.test('Buckets work while Redis is unavailable', async (t) => {
  t.test('A node that starts before Redis serves at once, reports it, and connects by itself', async (t) => {
    const redis = await TestRedis.prepare()
    t.teardown(() => redis.stop())
    const log = logOf()
    const node = await openBuckets({ redisUrl: redis.url, log })
    t.teardown(() => node.close())
    t.match(node.spend('send', 'subject'), { allowed: true, remaining: burstCalls - 1 })
    t.match(node.degraded(), /has not answered yet/)
    await until(() => log.lines.length > 0)
    t.match(node.degraded(), /ECONNREFUSED/)
    await redis.start()
    await until(() => node.degraded() === undefined)
    t.ok(node.spend('send', 'subject') instanceof Promise, 'it calls Redis again')
    t.match(log.lines, [/^warn: Redis is away \(ECONNREFUSED\)/, /^info: Redis is back/])
    t.equal(log.lines.length, 2, 'one line when it went and one when it came')
  })

  t.test('Two nodes whose Redis is killed and returns empty never grant a second burst', async (t) => {
    const redis = await TestRedis.start()
    t.teardown(() => redis.stop())
    const commandMs = 1000
    const nodes = [
      await openNode(redis, { nodes: () => 2, commandMs }),
      await openNode(redis, { nodes: () => 2, commandMs }),
    ]
    t.teardown(() => Promise.all(nodes.map((node) => node.close())))
    const startedMs = performance.now()
    let admitted = 0
    const volley = async (calls: number) => {
      const pending = Array.from({ length: calls }, (_, call) => (nodes[call % 2] as Buckets).spend('send', 'subject'))
      // The answer to a call that was under way when Redis died is an answer like any other.
      for (const spent of await Promise.all(pending)) {
        if (spent.allowed) admitted++
        else if (spent.retryAfterSeconds < 1) throw new Error('a refusal without a time to come back')
      }
    }
    await volley(150)
    // Each node learns what the other has spent, which it cannot learn once Redis is away.
    await volley(nodes.length)
    await Promise.all([volley(50), redis.kill()])
    await until(() => nodes.every((node) => node.degraded() !== undefined))
    for (let round = 0; round < 20; round++) {
      await volley(20)
      await sleep(10)
    }
    t.ok(
      nodes.every((node) => !(node.spend('send', 'other') instanceof Promise)),
      'they answer without waiting',
    )
    await redis.start()
    await until(() => nodes.every((node) => node.degraded() === undefined))
    for (let round = 0; round < 10; round++) await volley(20)
    const seconds = (performance.now() - startedMs) / 1000
    t.ok(admitted >= burstCalls)
    const most = burstCalls + refillPerSecond * (seconds + commandMs / 1000) + nodes.length
    t.ok(admitted <= most, `${admitted} admitted, at most ${most} by burst, refill and what a node cannot know`)
  })

  t.test('A Redis that hangs is bypassed after one short wait and used again when it responds', async (t) => {
    const redis = await TestRedis.start()
    t.teardown(() => redis.stop())
    const node = await openNode(redis, { clock: new StillClock(), commandMs: limits.commandMs })
    t.teardown(() => node.close())
    await redis.pause()
    const waiting = Array.from({ length: 150 }, () => node.spend('send', 'subject'))
    const spents = await Promise.all(waiting)
    t.equal(spents.filter((spent) => spent.allowed).length, burstCalls, 'all that waited are judged by one bucket')
    t.match(node.degraded(), /no answer in time|has not answered/)
    t.notOk(node.spend('send', 'subject') instanceof Promise, 'the next one does not wait at all')
    redis.resume()
    await until(() => node.degraded() === undefined)
    t.match(await node.spend('send', 'newcomer'), { allowed: true, remaining: burstCalls - 1 })
  })

  t.test('A call in flight when Redis dies is answered then, before its timeout', async (t) => {
    const redis = await TestRedis.start()
    t.teardown(() => redis.stop())
    const node = await openNode(redis, { commandMs: 3_600_000 })
    t.teardown(() => node.close())
    await redis.pause()
    const pending = node.spend('send', 'subject')
    await redis.kill()
    t.match(await pending, { allowed: true, remaining: burstCalls - 1 })
  })

  t.test('A node grants only its own share of a budget', async (t) => {
    const redis = await TestRedis.prepare()
    t.teardown(() => redis.stop())
    const node = new RedisBuckets({ url: redis.url, clock: new StillClock(), nodes: () => 4 })
    t.teardown(() => node.close())
    const spents = await Promise.all(Array.from({ length: burstCalls }, () => node.spend('send', 'subject')))
    t.equal(spents.filter((spent) => spent.allowed).length, burstCalls / 4)
    t.match(spents.at(-1), { limit: burstCalls / 4, remaining: 0, resetSeconds: 10, retryAfterSeconds: 1 })
  })

  t.test('A Redis that answers but cannot write counts as unavailable until it can', async (t) => {
    const redis = await TestRedis.start()
    t.teardown(() => redis.stop())
    const node = await openNode(redis)
    t.teardown(() => node.close())
    await redis.command('CONFIG', 'SET', 'maxmemory', '1')
    t.match(await node.spend('send', 'subject'), { allowed: true })
    t.match(node.degraded(), /\(OOM\)/)
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    await until(() => node.degraded() === undefined)
    const pending = node.spend('send', 'subject')
    t.ok(pending instanceof Promise, 'it calls Redis again')
    t.match(await pending, { allowed: true })
    t.equal(node.degraded(), undefined)
  })

  t.test('A restart that loses the script is invisible to callers', async (t) => {
    const redis = await TestRedis.start()
    t.teardown(() => redis.stop())
    const node = await openNode(redis)
    t.teardown(() => node.close())
    await node.spend('send', 'subject')
    await redis.command('SCRIPT', 'FLUSH')
    t.match(await node.spend('send', 'subject'), { allowed: true })
    t.equal(node.degraded(), undefined)
  })

  t.test('A password is never printed, neither a wrong one nor one in an invalid URL', async (t) => {
    const redis = await TestRedis.start({ password: 'right-horse' })
    t.teardown(() => redis.stop())
    const log = logOf()
    const node = await openBuckets({ redisUrl: redis.url.replace('right-horse', 'wrong-battery'), log })
    t.teardown(() => node.close())
    await until(() => node.degraded()?.includes('WRONGPASS') === true)
    t.match(await node.spend('send', 'subject'), { allowed: true })
    t.notMatch(`${node.degraded()} ${log.lines}`, /battery|127\.0\.0\.1|redis:\/\//)
    for (const redisUrl of ['http://:wrong-battery@redis', 'wrong-battery', 'redis://:wrong-battery@host:99999']) {
      const refusal = await openBuckets({ redisUrl }).then(
        () => 'opened',
        (error: Error) => error.message,
      )
      t.match(refusal, /has to be redis:\/\/ or rediss:\/\//)
      t.notMatch(refusal, /battery/)
    }
    const trusted = await openNode(redis)
    t.match(await trusted.spend('send', 'subject'), { allowed: true })
    await trusted.close()
  })

  t.test('Over TLS a server needs a certificate of its authority, and a user a name and password', async (t) => {
    const folders = t.testdir({ ours: {}, theirs: {} })
    const [tls, theirs] = [makeCertificates(join(folders, 'ours')), makeCertificates(join(folders, 'theirs'))]
    const user = { name: 'parley', password: 'p%40ss' }
    const redis = await TestRedis.start({ tls, password: 'right-horse', user: { ...user, password: 'p@ss' } })
    t.teardown(() => redis.stop())
    const byUser = redis.url.replace(':right-horse', `${user.name}:${user.password}`)
    for (const redisUrl of [redis.url, byUser, redis.url.replace('127.0.0.1', 'localhost')]) {
      const node = await openBuckets({ redisUrl, redisTlsCaFile: tls.caFile })
      t.teardown(() => node.close())
      await until(() => node.degraded() === undefined)
      t.ok(node.spend('send', redisUrl) instanceof Promise, 'it calls Redis')
    }
    const untrusted = /\((SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE)\)/
    const refused: [OpenBucketsOptions, RegExp][] = [
      [{ redisUrl: redis.url }, untrusted],
      [{ redisUrl: redis.url, redisTlsCaFile: theirs.caFile }, untrusted],
      [{ redisUrl: byUser.replace('p%40ss', 'p%40st'), redisTlsCaFile: tls.caFile }, /\(WRONGPASS\)/],
      [{ redisUrl: redis.url.replace('rediss:', 'redis:') }, /\(the connection closed\)|\(ECONNRESET\)|no answer/],
    ]
    for (const [options, reason] of refused) {
      const node = await openBuckets(options)
      t.teardown(() => node.close())
      await until(() => reason.test(node.degraded() ?? ''))
      t.match(await node.spend('send', 'subject'), { allowed: true }, 'it counts by itself')
      t.notMatch(node.degraded(), /horse|p@s|p%40s/)
    }
    for (let round = 1; round <= 4; round++) {
      const mistrusting = Array.from({ length: 40 }, () =>
        openBuckets({ redisUrl: redis.url, redisTlsCaFile: theirs.caFile }),
      )
      const nodes = await Promise.all(mistrusting)
      await sleep(round * 60)
      await Promise.all(nodes.map((node) => node.close()))
    }
    t.pass('what a connection says after its first error ends nobody')
    await t.rejects(openBuckets({ redisUrl: redis.url, redisTlsCaFile: join(folders, 'none.pem') }), {
      message: /none\.pem of PARLEY_REDIS_TLS_CA cannot be read: ENOENT\.$/,
    })
  })

  t.test('A closed node still answers in any state and leaves nothing running', async (t) => {
    const redis = await TestRedis.start()
    const log = logOf()
    const connected = await openNode(redis, { log })
    const pending = connected.spend('send', 'subject')
    await connected.close()
    t.match(await pending, { allowed: true }, 'a call under way is answered')
    t.match(await connected.spend('send', 'subject'), { allowed: true })
    t.match(connected.degraded(), /closed/)
    await connected.close()
    await new RedisBuckets({ url: redis.url, log }).close()
    await redis.stop()
    const lonely = new RedisBuckets({ url: redis.url })
    await until(() => lonely.degraded()?.includes('ECONNREFUSED') === true)
    await lonely.close()
    t.same(log.lines, [], 'and it reports no error')
  })
})

function pauses(): fc.Arbitrary<number> {
  return fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 20_000 }))
}

/** The contract in thousandths of a call and whole milliseconds: too coarse for use, too plain to be wrong. */
function modelOf(budget: BudgetName) {
  const { burstCalls, refillPerSecond } = budgets[budget]
  const full = burstCalls * 1000
  let units = full
  return {
    pass: (ms: number) => {
      units = Math.min(full, units + ms * refillPerSecond)
    },
    spend: (): SpendResult => {
      const allowed = units >= 1000
      if (allowed) units -= 1000
      return {
        allowed,
        limit: burstCalls,
        remaining: Math.floor(units / 1000),
        resetSeconds: Math.ceil((full - units) / (1000 * refillPerSecond)),
        retryAfterSeconds: allowed ? 0 : 1,
      }
    },
  }
}

function drainedBucket(atMicros: number): BucketState {
  return { units: 0, atMicros }
}

function show(value: unknown): string {
  return JSON.stringify(value)
}

/** The test's time in place of Redis's. Keys expire by Redis's, so here the expiry is only written down. */
const clockOfTest = `
local now = tonumber(ARGV[5])
local redis = { call = function(name, key, ...)
  if name == 'PEXPIRE' then return redis.call('SET', key .. ' life', ...) end
  return redis.call(name, key, ...)
end }`

let scriptRuns = 0

/** Walks one clock through the script in Redis and through bucket.ts side by side. */
async function sameAsScript(
  redis: TestRedis,
  script: string,
  shape: BucketShape,
  walk: { move: number; calls: number }[],
): Promise<void> {
  const key = `run ${scriptRuns++}`
  const figures = [shape.capacityUnits, shape.refillUnitsPerMicro, callUnits, shape.capacityUnits]
  // A time of our days, so that the digits of a real clock are needed.
  let now = 1_790_000_000_123_456
  let state: BucketState | undefined
  for (const { move, calls } of walk) {
    now += move
    const pending = Array.from({ length: calls }, () => redis.command('EVAL', script, 1, key, ...figures, now))
    for (const reply of await Promise.all(pending)) {
      const done = spend(shape, state, now)
      state = done.state
      const expected = [done.result.allowed ? 1 : 0, state.units, state.atMicros - now]
      if (show(reply) !== show(expected)) throw new Error(`${show(reply)} not ${show(expected)} at ${now}`)
    }
    const ttlMicros = 1000 * Number(await redis.command('GET', `${key} life`))
    if (!state || !isFull(shape, state, now + ttlMicros)) throw new Error(`${ttlMicros} are too few to live at ${now}`)
  }
}

/** A node that has reached Redis. The wait for an answer is long, so that a busy machine is not taken for an outage. */
async function openNode(redis: TestRedis, options: Partial<RedisBucketsOptions> = {}): Promise<RedisBuckets> {
  const node = new RedisBuckets({ url: redis.url, commandMs: 5000, ...options })
  await until(() => node.degraded() === undefined)
  return node
}

function logOf() {
  const lines: string[] = []
  return {
    lines,
    info: (sentence: string) => void lines.push(`info: ${sentence}`),
    warn: (sentence: string) => void lines.push(`warn: ${sentence}`),
  }
}

async function until(isDone: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 20_000; !isDone(); await sleep(5)) {
    if (Date.now() > deadline) throw new Error(`never came: ${isDone}`)
  }
}

/** Threads for long work: what they give back, what ends them, and that whoever waits is always answered. */
import t from 'tap'
import { worker as limits } from '../../../core/limits.js'
import type { Log } from '../../../runtime/observe/log.js'
import type { PartOfBody } from '../../../runtime/worker/body.js'
import { Assembled } from '../../../runtime/worker/body.js'
import { openWorkers } from '../../../runtime/worker/pool.js'

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog }

const encode = (text: string) => new TextEncoder().encode(text)

t.test('A result comes in parts, each in a turn of its own, and makes the whole', async (t) => {
  const workers = openWorkers(silentLog)
  t.teardown(() => workers.close())
  const things = Array.from({ length: 3_000 }, (_, at) => ({ id: `t${at}`, text: 'x'.repeat(300) }))
  const given = { capabilities: { knowledge: { things } }, rules: [], name: 'a' }
  const assembled = new Assembled()
  let turns = 0
  let isCounting = true
  const count = () => {
    turns++
    if (isCounting) setImmediate(count)
  }
  setImmediate(count)
  const turnsOf: number[] = []
  const take = (part: PartOfBody) => {
    turnsOf.push(turns)
    assembled.take(part)
  }
  t.equal(await workers.run('readBody', { bytes: encode(JSON.stringify(given)), type: 'json' }, take), 'done')
  isCounting = false
  t.strictSame(assembled.value, given)
  t.ok(turnsOf.length > 3)
  t.equal(new Set(turnsOf).size, turnsOf.length)
})

t.test('A job that takes too long is ended with its thread, and the next one is run by another', async (t) => {
  const workers = openWorkers(silentLog, { ...limits, threads: 1, jobMs: 300 })
  t.teardown(() => workers.close())
  const endless = encode(`[${'a,'.repeat(4_000_000)}a]`)
  const long = workers.run('readBody', { bytes: endless, type: 'yaml' }, () => undefined)
  t.equal(await long, 'tooLong')
  const patient = openWorkers(silentLog, { ...limits, threads: 1 })
  t.teardown(() => patient.close())
  const assembled = new Assembled()
  t.equal(await patient.run('readBody', { bytes: encode('a: 1'), type: 'yaml' }, assembled.take), 'done')
  t.strictSame(assembled.value, { a: 1 })
})

t.test('A job that takes too much memory fails alone', async (t) => {
  const workers = openWorkers(silentLog, { ...limits, threads: 1, heapMb: 24 })
  t.teardown(() => workers.close())
  const large = encode(`[${'{"a":[1]},'.repeat(1_000_000)}1]`)
  t.equal(await workers.run('readBody', { bytes: large, type: 'json' }, () => undefined), 'failed')
  const assembled = new Assembled()
  t.equal(await workers.run('readBody', { bytes: encode('{"a":1}'), type: 'json' }, assembled.take), 'done')
  t.strictSame(assembled.value, { a: 1 })
})

t.test(
  'More jobs than may wait are refused, and those that wait are answered when the threads are closed',
  async (t) => {
    const workers = openWorkers(silentLog, { ...limits, threads: 1, waitingJobs: 2 })
    const run = () => workers.run('readBody', { bytes: encode('a: 1'), type: 'yaml' }, () => undefined)
    const all = [run(), run(), run(), run()]
    t.equal(await all[3], 'full')
    await workers.close()
    for (const each of all.slice(0, 3)) t.ok(['done', 'failed'].includes(await each))
    t.equal(await run(), 'failed')
  },
)

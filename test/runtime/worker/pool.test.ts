/** Threads for long work: what they give back, what ends them, and that every waiting caller is answered. */
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import t from 'tap'
import { worker as limits } from '../../../core/limits/index.js'
import type { Log } from '../../../runtime/observe/log.js'
import type { BodyPart } from '../../../runtime/worker/bodyreader.js'
import { BodyAssembler, readBody } from '../../../runtime/worker/bodyreader.js'
import type { Workers } from '../../../runtime/worker/contract.js'
import { openWorkers } from '../../../runtime/worker/pool.js'
import { countTurns } from '../../harness/eventloop.js'

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog }

const run = (
  workers: Workers,
  text: string,
  type: 'json' | 'yaml' = 'yaml',
  onPart: (part: BodyPart) => void = () => undefined,
  owner = 'org_a',
) => workers.run(owner, 'readBody', { input: { bytes: new TextEncoder().encode(text), type }, onPart })

t.test('A result arrives in parts, each in its own turn, and is joined', async (t) => {
  const workers = openWorkers(silentLog)
  t.teardown(() => workers.close())
  const things = Array.from({ length: 3_000 }, (_, at) => ({ id: `t${at}`, text: 'x'.repeat(300) }))
  const given = { capabilities: { knowledge: { things } }, rules: [], name: 'a' }
  const assembled = new BodyAssembler()
  const count = countTurns()
  const turnsOf: number[] = []
  const onPart = (part: BodyPart) => {
    turnsOf.push(count.turns)
    assembled.onPart(part)
  }
  t.equal(await run(workers, JSON.stringify(given), 'json', onPart), 'done')
  count.end()
  t.strictSame(assembled.value, given)
  t.ok(turnsOf.length > 3)
  t.equal(new Set(turnsOf).size, turnsOf.length)
})

t.test('A job that takes too long is ended with its thread, and the next one runs in another', async (t) => {
  const workers = openWorkers(silentLog, { ...limits, threads: 1, jobMs: 300 })
  t.teardown(() => workers.close())
  const endless = `[${'a,'.repeat(4_000_000)}a]`
  const long = run(workers, endless)
  t.equal(await long, 'tooLong')
  const patient = openWorkers(silentLog, { ...limits, threads: 1 })
  t.teardown(() => patient.close())
  const assembled = new BodyAssembler()
  t.equal(await run(patient, 'a: 1', 'yaml', assembled.onPart), 'done')
  t.strictSame(assembled.value, { a: 1 })
})

t.test(
  'Threads of jobs have a lower priority than the event loop',
  { skip: process.platform !== 'linux' && 'threads have no priorities here' },
  async (t) => {
    const workers = openWorkers(silentLog, { ...limits, threads: 1 })
    t.teardown(() => workers.close())
    const behind = () => {
      const stats = readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/stat`, 'latin1'))
      const nice = (stat: string) => Number(stat.slice(stat.lastIndexOf(')')).split(' ')[17])
      return stats.filter((stat) => nice(stat) === getPriority() + limits.niceness).length
    }
    const before = behind()
    t.equal(await run(workers, 'a: 1'), 'done')
    t.equal(behind(), before + 1)
  },
)

t.test('A job that takes too much memory fails alone', async (t) => {
  const workers = openWorkers(silentLog, { ...limits, threads: 1, heapMb: 24 })
  t.teardown(() => workers.close())
  const large = `[${'{"a":[1]},'.repeat(1_000_000)}1]`
  t.equal(await run(workers, large, 'json'), 'failed')
  const assembled = new BodyAssembler()
  t.equal(await run(workers, '{"a":1}', 'json', assembled.onPart), 'done')
  t.strictSame(assembled.value, { a: 1 })
})

t.test('Jobs beyond the queue are refused, and waiting ones are answered when the threads close', async (t) => {
  const workers = openWorkers(silentLog, { ...limits, threads: 1, waitingJobs: 2 })
  const all = ['a', 'b', 'c', 'd'].map((owner) => run(workers, 'a: 1', 'yaml', () => undefined, owner))
  t.equal(await all[3], 'full')
  await workers.close()
  for (const each of all.slice(0, 3)) t.ok(['done', 'failed'].includes(await each))
  t.equal(await run(workers, 'a: 1'), 'failed')
})

/** The order in which jobs are done, each named by its owner and place. */
function createOrderCheck(workers: Workers) {
  const done: string[] = []
  const jobs: Promise<void>[] = []
  const parse = (owner: string, count: number, text = 'a: 1') => {
    for (let at = 1; at <= count; at++)
      jobs.push(
        run(workers, text, 'yaml', () => undefined, owner).then((how) => void done.push(`${owner}${at} ${how}`)),
      )
  }
  return { done, parse, all: () => Promise.all(jobs) }
}

t.test('Owners take turns, and the jobs of one run in order', async (t) => {
  const workers = openWorkers(silentLog, { ...limits, threads: 1 })
  t.teardown(() => workers.close())
  const { done, parse, all } = createOrderCheck(workers)
  parse('a', 4)
  parse('b', 2)
  parse('c', 1)
  await all()
  t.same(done, ['a1 done', 'b1 done', 'c1 done', 'a2 done', 'b2 done', 'a3 done', 'a4 done'])
})

t.test('An owner has one job running at a time, so another finds a free thread', async (t) => {
  const workers = openWorkers(silentLog, { ...limits, threads: 2 })
  t.teardown(() => workers.close())
  const { done, parse, all } = createOrderCheck(workers)
  parse('a', 3, `[${'a,'.repeat(200_000)}a]`)
  parse('b', 1)
  await all()
  t.equal(done[0], 'b1 done')
  t.equal(done.length, 4)
})

t.test('Waiting jobs of one owner beyond the limit are refused, and those of others are not', async (t) => {
  const workers = openWorkers(silentLog, { ...limits, threads: 1, waitingJobsPerOwner: 2 })
  t.teardown(() => workers.close())
  const { done, parse, all } = createOrderCheck(workers)
  parse('a', 5)
  parse('b', 1)
  await all()
  t.same(
    done.filter((each) => each.endsWith('full')),
    ['a4 full', 'a5 full'],
  )
  t.ok(done.includes('b1 done'))
})

t.test('An import with too many top-level names is refused before it is parsed', async (t) => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `k${at}`)
  const asYaml = (count: number) =>
    names(count)
      .map((name) => `${name}: [{a: 1}]\n`)
      .join('')
  const asJson = (count: number) => JSON.stringify(Object.fromEntries(names(count).map((name) => [name, [1]])))
  const faultsOf = (text: string, type: 'json' | 'yaml') => {
    const [part] = [...readBody({ bytes: new TextEncoder().encode(text), type, as: 'import' })]
    return part && 'faults' in part ? part.faults : []
  }
  const most = limits.importNames
  const many = [{ field: 'body', message: `has more than ${most} names at its top` }]
  t.same(faultsOf(asYaml(most + 1), 'yaml'), many)
  t.same(faultsOf(asJson(most + 1), 'json'), many)
  t.same(faultsOf(asJson(most + 1), 'yaml'), many, 'JSON is YAML')
  t.same(faultsOf(`${asYaml(most)}k0: 1\nlast: 1\n`, 'yaml'), many, 'further faults are not searched')
  for (const type of ['json', 'yaml'] as const)
    t.match(faultsOf(asJson(most), type), [{ field: 'k0', message: 'is not a known section' }])
})

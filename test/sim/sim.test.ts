/**
 * The whole engine on simulated time, disks and network: for every seed, no acknowledged command is lost or applied
 * twice.
 */
import t from 'tap'
import { type Mutant, mutants } from './mutants.js'
import { drawPlan, planText } from './plan.js'
import { type RunResult, run } from './run.js'

const seeds = 300
/** Further seeds that once broke a promise. */
const onceBroken = [957250687, 1046187946, 711148801, 600226887]
/** Every mutant is found among this many seeds, most of them in the first few. */
const mutantSeeds = 60

function textOf({ plan, violations, lastLines }: RunResult): string {
  const replay = `npm run sim -- --seed ${plan.seed} --engine ${plan.engine} --trace`
  return [...violations, `replay: ${replay}`, planText(plan), ...lastLines].join('\n')
}

t.test(`Over ${seeds} seeds of faults every promise of the shards holds`, async (t) => {
  const failed: number[] = []
  const sum = { acknowledged: 0, reads: 0, notDecided: 0, unknown: 0 }
  for (const seed of [...Array.from({ length: seeds }, (_, at) => at + 1), ...onceBroken]) {
    const result = await run(drawPlan(seed))
    for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += result.counts[key]
    if (result.violations.length === 0) continue
    failed.push(seed)
    t.comment(textOf(result))
  }
  t.same(failed, [], 'no seed fails')
  t.ok(sum.acknowledged > seeds * 20, `${sum.acknowledged} commands were acknowledged`)
  t.ok(sum.reads > seeds * 10, `${sum.reads} reads were answered`)
  t.ok(sum.unknown > 0 && sum.notDecided > 0, `${sum.unknown} stayed unknown, ${sum.notDecided} were not decided`)
})

t.test('A seed tells the same story each time, and another seed another one', async (t) => {
  const hashes = new Set<string>()
  for (const engine of ['embedded', 'cluster'] as const) {
    for (let seed = 1; seed <= 3; seed++) {
      const [one, two] = [await run(drawPlan(seed, { engine })), await run(drawPlan(seed, { engine }))]
      t.equal(one.hash, two.hash, `${engine} ${seed}`)
      t.equal(one.events, two.events)
      hashes.add(one.hash)
    }
  }
  t.equal(hashes.size, 6)
})

/** The first seed that finds the mutant. */
async function seedThatFinds({ engine, mutation }: Mutant): Promise<string | undefined> {
  for (let seed = 1; seed <= mutantSeeds; seed++) {
    const { violations } = await run(drawPlan(seed, { engine }), { mutation })
    if (violations.length > 0) return `seed ${seed}: ${violations[0]}`
  }
  return undefined
}

t.test('A broken part is found', async (t) => {
  for (const mutant of mutants) t.ok(await seedThatFinds(mutant), mutant.name)
})

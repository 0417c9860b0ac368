/**
 * Managed turns in the simulated world: for every seed, whatever ends, stands still or changes meanwhile, each message
 * of a person is answered once or named, and no tool does anything twice.
 */
import t from 'tap'
import { planText } from '../plan.js'
import { type TurnMutant, turnMutants } from './mutants.js'
import { drawTurnPlan } from './plan.js'
import { runTurns, type TurnCounts, type TurnRunResult } from './run.js'

const seeds = 40
/** Further seeds that once broke a promise. */
const onceBroken: readonly number[] = []
/** Every mutant is found among this many seeds, most of them in the first. */
const mutantSeeds = 80

function textOf({ plan, violations, lastLines }: TurnRunResult): string {
  const replay = `npm run sim -- turns --seed ${plan.seed} --engine ${plan.engine} --trace`
  return [...violations, `replay: ${replay}`, planText(plan), ...lastLines].join('\n')
}

t.test(`Over ${seeds} seeds of faults every promise of managed turns holds`, async (t) => {
  const failed: number[] = []
  const sum: Record<keyof TurnCounts, number> = { records: 0, cuts: 0, calls: 0, unknown: 0 }
  for (const seed of [...Array.from({ length: seeds }, (_, at) => at + 1), ...onceBroken]) {
    const result = await runTurns(drawTurnPlan(seed))
    for (const key of Object.keys(sum) as (keyof TurnCounts)[]) sum[key] += result.counts[key]
    if (result.violations.length === 0) continue
    failed.push(seed)
    t.comment(textOf(result))
  }
  t.same(failed, [], 'no seed fails')
  t.ok(sum.records > seeds * 8 && sum.cuts > 0, `${sum.records} turns, ${sum.cuts} of them cut`)
  t.ok(sum.calls > seeds && sum.unknown > 0, `${sum.calls} calls to tools, ${sum.unknown} with an unknown outcome`)
})

t.test('A seed tells the same story each time, and another seed another one', async (t) => {
  const hashes = new Set<string>()
  for (const engine of ['embedded', 'cluster'] as const) {
    for (let seed = 1; seed <= 2; seed++) {
      const [one, two] = [
        await runTurns(drawTurnPlan(seed, { engine })),
        await runTurns(drawTurnPlan(seed, { engine })),
      ]
      t.equal(one.hash, two.hash, `${engine} ${seed}`)
      t.equal(one.events, two.events)
      hashes.add(one.hash)
    }
  }
  t.equal(hashes.size, 4)
})

/** The first seed that finds the mutant. */
async function seedThatFinds({ mutation, near }: TurnMutant): Promise<string | undefined> {
  for (let seed = near; seed < near + mutantSeeds; seed++) {
    const { violations } = await runTurns(drawTurnPlan(seed), { mutation })
    if (violations.length > 0) return `seed ${seed}: ${violations[0]}`
  }
  return undefined
}

t.test('A broken part of managed turns is found', async (t) => {
  for (const mutant of turnMutants) t.ok(await seedThatFinds(mutant), mutant.name)
})

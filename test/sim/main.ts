/**
 * The simulations as a command: `npm run sim -- --seeds 1000` for the engine, `npm run sim -- turns --seeds 1000` for
 * managed turns on it, and `npm run sim -- --seed 17 --trace` to replay one seed.
 */
import { Argument, Command, Option } from 'commander'
import { parseWholeNumber } from '../../runtime/cli/output.js'
import { drawPlan, type EngineKind, type Plan, planText } from './plan.js'
import { run } from './run.js'
import { drawTurnPlan } from './turns/plan.js'
import { runTurns } from './turns/run.js'
import type { WorldOptions } from './world.js'

interface Options {
  readonly seeds: number
  readonly from?: number
  readonly seed?: number
  readonly steps?: number
  readonly engine?: EngineKind
  readonly trace?: true
  readonly except?: string
  readonly keepGoing?: true
}

const command = new Command('npm run sim --')
  .description('Runs a simulation on simulated time, disks and network, one seed after the other.')
  .addArgument(new Argument('[what]', 'what is simulated').choices(['engine', 'turns']).default('engine'))
  .option('--seeds <count>', 'so many', parseWholeNumber, 100)
  .option('--from <seed>', 'from this one on; otherwise from one that is drawn', parseWholeNumber)
  .option('--seed <seed>', 'this one alone', parseWholeNumber)
  .option('--steps <count>', 'steps of a run, or of each person in a run of turns', parseWholeNumber)
  .addOption(new Option('--engine <name>', 'one engine alone').choices(['embedded', 'cluster']))
  .option('--trace', 'print every step')
  .option('--except <pattern>', 'pass over violations that it matches')
  .option('--keep-going', 'go on after a seed that failed')
  .parse()
const values = command.opts<Options>()
const [what = ''] = command.processedArgs as string[]

const { engine, steps } = values
const first = values.seed ?? values.from ?? Math.floor(Math.random() * 2 ** 31)
const count = values.seed === undefined ? values.seeds : 1
const wishes = { engine, steps }
const options: Pick<WorldOptions, 'print' | 'ignored'> = {
  ...(values.trace && { print: console.log }),
  ...(values.except && { ignored: new RegExp(values.except) }),
}

interface Result {
  readonly plan: Plan
  readonly violations: readonly string[]
  readonly events: number
  readonly counts: object
  readonly lastLines: readonly string[]
}

function runSeed(seed: number): Promise<Result> {
  return what === 'turns' ? runTurns(drawTurnPlan(seed, wishes), options) : run(drawPlan(seed, wishes), options)
}

function printFailure({ plan, violations, lastLines }: Result): void {
  if (!values.trace) console.log(`\n${lastLines.join('\n')}`)
  console.log(`\nseed ${plan.seed} failed:`)
  for (const violation of violations) console.log(`  ${violation}`)
  console.log(`${planText(plan)}\nreplay: npm run sim -- ${what} --seed ${plan.seed}${wishesText()} --trace`)
}

function wishesText(): string {
  return `${engine ? ` --engine ${engine}` : ''}${steps ? ` --steps ${steps}` : ''}`
}

let failed = 0
let events = 0
const sums = new Map<string, number>()
const began = performance.now()
for (let seed = first; seed < first + count; seed++) {
  const result = await runSeed(seed)
  events += result.events
  for (const [name, counted] of Object.entries(result.counts)) sums.set(name, (sums.get(name) ?? 0) + counted)
  if (result.violations.length === 0) continue
  failed++
  printFailure(result)
  if (!values.keepGoing) break
}
const seconds = (performance.now() - began) / 1000
const counts = Array.from(sums, ([name, sum]) => `${sum} ${name}`)
console.log(
  `seeds ${first} to ${first + count - 1}: ${failed} failed; ${[...counts, `${events} events`].join(', ')}, ${seconds.toFixed(1)} s`,
)
process.exitCode = failed > 0 ? 1 : 0

/**
 * The simulation as a command: `npm run sim -- --seeds 1000`, and `npm run sim -- --seed 17 --trace` to replay one
 * seed.
 */
import { Command, Option } from 'commander'
import { parseWholeNumber } from '../../runtime/cli/output.js'
import { drawPlan, type EngineKind, planText } from './plan.js'
import { type RunResult, run } from './run.js'

interface Options {
  readonly seeds: number
  readonly from?: number
  readonly seed?: number
  readonly steps?: number
  readonly engine?: EngineKind
  readonly trace?: true
  readonly except?: string
  readonly continueAfterFailure?: true
}

const values = new Command('npm run sim --')
  .description('Runs the engine on simulated time, disks and network, one seed after the other.')
  .option('--seeds <count>', 'so many', parseWholeNumber, 100)
  .option('--from <seed>', 'from this one on; otherwise from one that is drawn', parseWholeNumber)
  .option('--seed <seed>', 'this one alone', parseWholeNumber)
  .option('--steps <count>', 'steps of a run', parseWholeNumber)
  .addOption(new Option('--engine <name>', 'one engine alone').choices(['embedded', 'cluster']))
  .option('--trace', 'print every step')
  .option('--except <pattern>', 'pass over violations that it matches')
  .option('--keep-going', 'go on after a seed that failed')
  .parse()
  .opts<Options>()

const { engine, steps } = values
const first = values.seed ?? values.from ?? Math.floor(Math.random() * 2 ** 31)
const count = values.seed === undefined ? values.seeds : 1

function printFailure({ plan, violations, lastLines }: RunResult): void {
  if (!values.trace) console.log(`\n${lastLines.join('\n')}`)
  console.log(`\nseed ${plan.seed} failed:`)
  for (const violation of violations) console.log(`  ${violation}`)
  console.log(`${planText(plan)}\nreplay: npm run sim -- --seed ${plan.seed}${wishesText()} --trace`)
}

function wishesText(): string {
  return `${engine ? ` --engine ${engine}` : ''}${steps ? ` --steps ${steps}` : ''}`
}

let failed = 0
let events = 0
let acknowledged = 0
const began = performance.now()
for (let seed = first; seed < first + count; seed++) {
  const result = await run(drawPlan(seed, { engine, steps }), {
    print: values.trace ? console.log : undefined,
    ignored: values.except ? new RegExp(values.except) : undefined,
  })
  events += result.events
  acknowledged += result.counts.acknowledged
  if (result.violations.length === 0) continue
  failed++
  printFailure(result)
  if (!values.continueAfterFailure) break
}
const seconds = (performance.now() - began) / 1000
console.log(
  `seeds ${first} to ${first + count - 1}: ${failed} failed; ${acknowledged} commands acknowledged, ${events} events, ${seconds.toFixed(1)} s`,
)
process.exitCode = failed > 0 ? 1 : 0

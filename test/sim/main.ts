/** The simulation by hand: `npm run sim -- --seeds 1000`, and `npm run sim -- --seed 17 --trace` to see one again. */
import { parseArgs } from 'node:util'
import { drawPlan, type EngineKind, planText } from './plan.js'
import { type RunResult, run } from './run.js'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    seed: { type: 'string' },
    steps: { type: 'string' },
    engine: { type: 'string' },
    trace: { type: 'boolean', default: false },
    except: { type: 'string' },
    'keep-going': { type: 'boolean', default: false },
  },
})

const engine = values.engine as EngineKind | undefined
if (engine && engine !== 'embedded' && engine !== 'cluster') throw new Error('--engine is embedded or cluster')
const steps = values.steps ? Number(values.steps) : undefined
const first = Number(values.seed ?? values.from ?? Math.floor(Math.random() * 2 ** 31))
const count = values.seed ? 1 : Number(values.seeds ?? 100)

function tell({ plan, violations, lastLines }: RunResult): void {
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
  tell(result)
  if (!values['keep-going']) break
}
const seconds = (performance.now() - began) / 1000
console.log(
  `seeds ${first} to ${first + count - 1}: ${failed} failed; ${acknowledged} commands acknowledged, ${events} events, ${seconds.toFixed(1)} s`,
)
process.exitCode = failed > 0 ? 1 : 0

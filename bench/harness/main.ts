/** `npm run bench`: runs the chosen scenarios, prints their results, exits with 1 when a floor is missed. */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { killChildren } from './children.js'
import { type Options, readOptions, settingsOf, usage } from './options.js'
import { openProgress } from './progress.js'
import { reportsFolder, writeReport } from './report/write.js'
import { hasFailed, type Outcome, run } from './run.js'
import type { Scenario } from './scenario.js'
import { scenarios } from './scenarios.js'
import { candidatesTable, ratiosTable } from './table.js'

const usageExit = 2
const interruptedExit = 130

process.on('exit', killChildren)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(interruptedExit))

async function runScenario(scenario: Scenario, options: Options): Promise<Outcome> {
  const settings = settingsOf(scenario, options)
  const progress = openProgress(scenario, settings.rounds)
  try {
    return await run(scenario, settings, progress.onStep)
  } finally {
    progress.stop()
  }
}

async function printOutcome(outcome: Outcome, options: Options): Promise<void> {
  console.log(`\n${outcome.scenario.purpose}`)
  console.log(candidatesTable(outcome))
  console.log(ratiosTable(outcome))
  const report = await writeReport(outcome, options.reports ?? reportsFolder)
  console.log(`report: ${relative('.', report)}`)
}

async function bench(options: Options): Promise<number> {
  const outcomes: Outcome[] = []
  for (const scenario of options.scenarios) {
    const missing = scenario.missing?.()
    if (missing) {
      console.log(`\n${scenario.name} is left out: ${missing}`)
      continue
    }
    const outcome = await runScenario(scenario, options)
    outcomes.push(outcome)
    await printOutcome(outcome, options)
  }
  if (options.json) writeFileSync(options.json, `${JSON.stringify(outcomes, null, 2)}\n`)
  const missed = outcomes.flatMap(({ ratios }) => ratios).filter(({ holds }) => holds === false).length
  const broken = outcomes.filter(hasFailed).map(({ scenario }) => scenario.name)
  if (broken.length > 0)
    console.log(`\nNot every operation succeeded in ${broken.join(', ')}: its figures do not count.`)
  if (missed > 0) console.log(`\n${missed} ${missed === 1 ? 'floor' : 'floors'} missed.`)
  return options.floors && (missed > 0 || broken.length > 0) ? 1 : 0
}

/** Exit code 2 for a bad command line, 1 for a failed run. */
function readCommandLine(): Options {
  try {
    return readOptions(process.argv.slice(2), scenarios)
  } catch (failure) {
    return exitWithError(failure, usageExit)
  }
}

function exitWithError(failure: unknown, code: number): never {
  console.error(failure instanceof Error ? failure.message : failure)
  process.exit(code)
}

const options = readCommandLine()
if (options.help) console.log(usage)
else if (options.list) for (const { name, purpose } of scenarios) console.log(`${name.padEnd(8)} ${purpose}`)
else process.exitCode = await bench(options).catch((failure) => exitWithError(failure, 1))

/** The command line of the bench. */
import { parseArgs } from 'node:util'
import type { Settings } from './run.js'
import type { Scenario } from './scenario.js'

const defaultConcurrency = 64

export const usage = `npm run bench -- [scenario …] [options]

  --list               name the scenarios
  --seconds <n>        length of one measured window
  --rounds <n>         how often each candidate is measured
  --connections <n>    operations on their way at any moment
  --operations <n>     how many there are, where a scenario counts them
  --filled <n>         how much is on record before, where a candidate begins with something
  --json <file>        write everything measured as JSON too
  --reports <folder>   where the HTML report goes (bench/reports)
  --no-floors          tell the ratios, and end with 0 whatever they are
  --help               this text`

export interface Options {
  readonly scenarios: readonly Scenario[]
  readonly list: boolean
  readonly help: boolean
  readonly seconds?: number
  readonly rounds?: number
  readonly concurrency?: number
  readonly operations?: number
  readonly filled?: number
  readonly json?: string
  readonly reports?: string
  readonly floors: boolean
}

/** Throws an Error with a sentence for the user when the command line is invalid. */
export function readOptions(argv: readonly string[], available: readonly Scenario[]): Options {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      connections: { type: 'string' },
      operations: { type: 'string' },
      filled: { type: 'string' },
      json: { type: 'string' },
      reports: { type: 'string' },
      'no-floors': { type: 'boolean', default: false },
    },
  })
  const matches = positionals.flatMap((name) => {
    const matching = available.filter((scenario) => scenario.name === name || scenario.name.startsWith(`${name}-`))
    if (matching.length === 0)
      throw new Error(`There is no scenario "${name}"; there are ${available.map((one) => one.name).join(', ')}.`)
    return matching
  })
  // Two names may select the same scenario.
  const selected = [...new Set(matches)]
  return {
    scenarios: selected.length > 0 ? selected : available,
    list: values.list,
    help: values.help,
    seconds: parsePositive('seconds', values.seconds, 600),
    rounds: parsePositive('rounds', values.rounds, 1_000, true),
    concurrency: parsePositive('connections', values.connections, 1_000, true),
    operations: parsePositive('operations', values.operations, 100_000_000, true),
    filled: parsePositive('filled', values.filled, 100_000_000, true),
    json: values.json,
    reports: values.reports,
    floors: !values['no-floors'],
  }
}

/** The value of the command line, else the scenario's own. */
export function settingsOf(scenario: Scenario, options: Options): Settings {
  return {
    seconds: options.seconds ?? scenario.seconds,
    rounds: options.rounds ?? scenario.rounds,
    concurrency: options.concurrency ?? scenario.concurrency ?? defaultConcurrency,
    operations: scenario.operations && (options.operations ?? scenario.operations),
    filled: options.filled,
  }
}

function parsePositive(name: string, text: string | undefined, max: number, whole = false): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (value > 0 && value <= max && (!whole || Number.isInteger(value))) return value
  throw new Error(`--${name} takes a ${whole ? 'whole ' : ''}number above 0, at most ${max}; "${text}" is not one.`)
}

/**
 * Fuzzing by hand: `node dist/test/core/fuzz/main.js aml --inputs 1000000 --seed 7`, or `amf`; `--only 12` sees one
 * again.
 */
import { parseArgs } from 'node:util'
import { amfTarget } from './amf.js'
import { amlTarget } from './aml.js'
import { type FuzzOptions, fuzz, type Outcome } from './fuzz.js'

const targets: Readonly<Record<string, (options: FuzzOptions) => Outcome>> = {
  aml: (options) => fuzz(amlTarget, options),
  amf: (options) => fuzz(amfTarget, options),
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { inputs: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const inputs = Number(values.inputs ?? 100_000)
const only = values.only === undefined ? undefined : Number(values.only)

for (const name of positionals.length > 0 ? positionals : Object.keys(targets)) {
  const run = targets[name]
  if (!run) throw new Error(`There is no target ${name}; there are ${Object.keys(targets).join(' and ')}`)
  const { inputs: drawn, accepted, failure } = run({ seed, inputs, only })
  console.log(`${name}, seed ${seed}: ${drawn} inputs, ${accepted} accepted`)
  if (!failure) continue
  console.log(failure.input, '\n', failure.error)
  console.log(`again: ${name} --seed ${seed} --only ${failure.number}`)
  process.exitCode = 1
}

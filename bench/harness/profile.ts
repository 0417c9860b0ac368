/** `npm run bench:profile -- <scenario>`: runs our candidate under clinic flame and saves the flame graph as HTML. */
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { killChildren } from './children.js'
import { readOptions, settingsOf } from './options.js'
import { type Launcher, startCandidate } from './process.js'
import { reportsFolder, timestampOf } from './report/write.js'
import type { Window } from './sample.js'
import type { Scenario } from './scenario.js'
import { scenarios } from './scenarios.js'
import { createScratch } from './scratch.js'

const defaultSeconds = 8
const warmSeconds = 1
/** clinic writes its page after the program has ended, which takes a while. */
const renderMs = 180_000

process.on('exit', killChildren)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

/** clinic asks for consent to analytics on a terminal and waits for the answer, unless this variable is set. */
function clinicFlame(folder: string): Launcher {
  process.env.NO_INSIGHT = '1'
  const clinic = join(dirname(createRequire(import.meta.url).resolve('clinic/package.json')), 'bin.js')
  return [process.execPath, clinic, 'flame', '--open=false', '--dest', folder, '--', process.execPath]
}

async function profile(scenario: Scenario, window: Window): Promise<string> {
  const candidate = scenario.candidates.find(({ role }) => role === 'ours')
  if (!candidate) throw new Error(`Nothing of ours runs in ${scenario.name}.`)
  const scratch = createScratch()
  process.once('exit', scratch.remove)
  const outputFolder = join(scratch.path, 'flame')
  console.log(`${candidate.name} of ${scenario.name} under clinic flame`)
  const target = await startCandidate(candidate, scratch.path, clinicFlame(outputFolder), renderMs)
  const sample = await candidate.load(target, window)
  console.log(`${Math.round(sample.operations / sample.seconds)} ${scenario.unit}/s while watched; drawing …`)
  await target.stop()
  return saveFlameGraph(outputFolder, scenario.name)
}

/** Moves the page into the reports folder, without the raw profile beside it. */
function saveFlameGraph(outputFolder: string, name: string): string {
  const page = existsSync(outputFolder) && readdirSync(outputFolder).find((file) => file.endsWith('.html'))
  if (!page) throw new Error('clinic left no page')
  mkdirSync(reportsFolder, { recursive: true })
  const path = join(reportsFolder, `${timestampOf(new Date().toISOString())}-${name}-flame.html`)
  copyFileSync(join(outputFolder, page), path)
  return path
}

try {
  const options = readOptions(process.argv.slice(2), scenarios)
  const [scenario, another] = options.scenarios
  if (!scenario || another) throw new Error('Name one scenario: npm run bench:profile -- http')
  const { concurrency, operations } = settingsOf(scenario, options)
  const seconds = options.seconds ?? defaultSeconds
  const path = await profile(scenario, { warmSeconds, seconds, concurrency, operations })
  console.log(`flame graph: ${relative('.', path)}`)
  process.exit(0)
} catch (failure) {
  console.error(failure instanceof Error ? failure.message : failure)
  process.exit(1)
}

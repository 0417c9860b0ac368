/** The test command: `npm test` runs every test file, `npm test -- limits` those whose path holds that word. */
import { existsSync, readdirSync } from 'node:fs'
import { constants } from 'node:os'
import { join, resolve } from 'node:path'
import { havePackages } from './packages.js'
import { countText, type FileReport, fileText, isFailed } from './report.js'
import { endAll, runFiles } from './runner.js'
import { openSources } from './sources.js'

const builtTests = import.meta.dirname
const root = resolve(builtTests, '../..')
const jobs = 3
const silentSeconds = 480

/** They wait far more than they work, for elections, browsers and timers: one of them runs beside the others. */
const waitingFiles = [
  'runtime/cluster.test.ts',
  'runtime/nats.test.ts',
  'mgmt/access.test.ts',
  'adapters/webchat/widget/conversation.test.ts',
  'adapters/webchat/widget/parts.test.ts',
  'flows/emulatorpage.test.ts',
  'flows/providers.test.ts',
]

/** They begin first, so that none of them is still running when everything else is done. */
const longFiles = ['types.test.ts', 'sim/sim.test.ts', 'bench.test.ts', 'flows/node.test.ts']

/** Found among the sources, so that what an older build left behind never runs. */
function testFiles(words: readonly string[]): string[] {
  const sources = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  const isLong = (name: string) => Number(longFiles.includes(name))
  const tests = sources.filter((name) => name.endsWith('.test.ts')).sort()
  tests.sort((one, other) => isLong(other) - isLong(one))
  const chosen = tests.filter((name) => words.length === 0 || words.some((word) => join('test', name).includes(word)))
  return chosen.map(builtFile)
}

function builtFile(name: string): string {
  return join(builtTests, name.replace(/\.ts$/, '.js'))
}

function finish(reports: readonly FileReport[], code: number): never {
  console.log(`\n${countText(reports)}`)
  process.exit(code)
}

function failureReport(why: string): FileReport {
  const failures = [{ title: why, diag: undefined }]
  return { file: builtTests, passed: 0, failed: 1, skipped: 0, failures, titles: [], stray: '', seconds: 0 }
}

const reports: FileReport[] = []
const words = process.argv.slice(2)
const files = testFiles(words)

process.on('exit', endAll)
process.on('uncaughtException', (error) => {
  console.error(error)
  finish([...reports, failureReport('the runner failed')], 1)
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => finish([...reports, failureReport(`ended by ${signal}`)], 128 + constants.signals[signal]))
}

if (!havePackages(console.log)) finish([failureReport('a program is missing')], 1)
if (files.length === 0) {
  console.log(words.length > 0 ? `No test file has ${words.join(' or ')} in its path.` : 'There is no test file.')
  finish([failureReport('nothing ran')], 1)
}
const unbuilt = files.filter((file) => !existsSync(file))
if (unbuilt.length > 0) {
  console.log(`These are not built: ${unbuilt.join(', ')}`)
  finish([failureReport('a test file is not built')], 1)
}

const waitingSet = new Set(waitingFiles.map(builtFile))
const waiting = files.filter((file) => waitingSet.has(file))
const working = files.filter((file) => !waitingSet.has(file)).values()

/** A lane of its own for those that wait, which goes on with the others' when it has no more of them. */
function* waitingFirst(): Generator<string> {
  yield* waiting
  yield* working
}

const reportOptions = { root: builtTests, withTitles: words.length > 0, inSources: openSources(root) }
const run = (some: Iterable<string>, atATime: number) =>
  runFiles(some, {
    cwd: root,
    jobs: atATime,
    silentSeconds,
    ended(report) {
      reports.push(report)
      console.log(fileText(report, reportOptions))
    },
  })
await Promise.all([run(working, jobs), run(waitingFirst(), 1)])
finish(reports, reports.some(isFailed) ? 1 : 0)

/** The long form of the fault tests: `npm run faults` injects every fault into real processes, many times over. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { parseWholeNumber } from '../../runtime/cli/output.js'
import { openSources } from '../sources.js'
import { clusterCampaigns, embeddedCampaigns, rolledCampaigns } from './campaigns.js'
import { injectRepeatedly } from './injection.js'
import { embeddedKills } from './kills.js'
import { lostLogs } from './logloss.js'
import { rarerOutages, usualOutages } from './outages.js'
import { powerCuts } from './powercut.js'
import { type FaultReport, formatReport } from './report.js'
import { embeddedSends, killedClusterSends, pausedClusterSends } from './sends.js'
import { TimedOut } from './timeout.js'
import { embeddedTurns, killedClusterTurns, pausedClusterTurns } from './turns.js'

interface Options {
  readonly seed?: number
  readonly only: string
  readonly cycles?: number
  readonly killsEach?: number
  readonly logs?: string
}

const options = new Command('npm run faults --')
  .description('Does everything that can happen to real processes, and prints a line for each kind of fault.')
  .option('--seed <number>', 'draw the same moments again', parseWholeNumber)
  .option('--only <words>', 'kinds whose name holds these words', '')
  .option('--cycles <count>', 'do each so many times', parseWholeNumber)
  .option('--kills-each <count>', 'go on with campaigns until each of their stages was hit so often', parseWholeNumber)
  .option('--logs <folder>', 'keep there what the nodes printed')
  .addHelpText('after', () => `\nKinds:\n${kinds.map(({ name }) => `  ${name}`).join('\n')}`)
const inSources = openSources(resolve(import.meta.dirname, '../../..'))

const kills = 50
const cuts = 200
const strikes = 10
const strength = { pauseLeases: 3, writesLost: 400 }

interface Kind {
  readonly name: string
  /** Resolves with whether every promise held. */
  run(): Promise<boolean>
}

function cycles(usual: number): number {
  return values.cycles ?? usual
}

/** Options of campaigns. */
function strokes() {
  const { killsEach } = values
  return { cycles: cycles(strikes), seed, note, ...(killsEach !== undefined && { killsEach }) }
}

function note(line: string): void {
  console.log(`    ${inSources.text(line)}`)
}

async function printReport(surviving: Promise<FaultReport>): Promise<boolean> {
  const survived = await surviving
  console.log(formatReport(survived))
  for (const problem of survived.problems) note(problem)
  saveLogs(survived.fault, survived.printed)
  return survived.problems.length === 0
}

function saveLogs(fault: string, printed: ReadonlyMap<string, string>): void {
  if (values.logs === undefined) return
  mkdirSync(values.logs, { recursive: true })
  for (const [node, text] of printed) writeFileSync(join(values.logs, `${fault} ${node}.log`), inSources.text(text))
}

async function cut(subject: string): Promise<boolean> {
  const { problems, acks, atStake } = await powerCuts({ subject, cuts: cycles(cuts), seed, report: note })
  const verdict = problems.length === 0 ? 'survived' : 'FAILED  '
  console.log(
    `${verdict}  power cut from the ${subject}: ${cycles(cuts)} cuts, ${acks} acknowledged, ${problems.length} images not as promised, ${atStake} with something unsynced at stake`,
  )
  return problems.length === 0
}

const kinds: readonly Kind[] = [
  ...['store', 'store with write-behind', 'engine'].map((subject) => ({
    name: `power cut ${subject}`,
    run: () => cut(subject),
  })),
  { name: 'embedded node killed', run: () => printReport(embeddedKills({ cycles: cycles(kills), seed, note })) },
  { name: 'sends of a killed node', run: () => printReport(embeddedSends({ cycles: cycles(kills), seed, note })) },
  {
    name: 'sends of a cluster whose nodes are killed',
    run: () => printReport(killedClusterSends({ cycles: cycles(strikes), seed, note })),
  },
  {
    name: 'sends of a cluster whose nodes stand still',
    run: () => printReport(pausedClusterSends({ cycles: cycles(strikes), seed, note })),
  },
  { name: 'turns of a killed node', run: () => printReport(embeddedTurns({ cycles: cycles(strikes), seed, note })) },
  {
    name: 'turns of a cluster whose nodes are killed',
    run: () => printReport(killedClusterTurns({ cycles: cycles(strikes), seed, note })),
  },
  {
    name: 'turns of a cluster whose nodes stand still',
    run: () => printReport(pausedClusterTurns({ cycles: cycles(strikes), seed, note })),
  },
  { name: 'campaigns of a killed node', run: () => printReport(embeddedCampaigns(strokes())) },
  { name: 'campaigns of a cluster whose nodes are killed', run: () => printReport(clusterCampaigns(strokes())) },
  {
    name: 'campaigns of a cluster whose nodes are restarted in turn',
    run: () => printReport(rolledCampaigns('end', strokes())),
  },
  {
    name: 'campaigns of a cluster whose nodes are killed in turn',
    run: () => printReport(rolledCampaigns('kill', strokes())),
  },
  ...[...usualOutages, ...rarerOutages, ...lostLogs].map((fault) => ({
    name: fault.name,
    run: () => printReport(injectRepeatedly(fault, { cycles: cycles(strikes), seed, note, strength })),
  })),
]

const values = options.parse().opts<Options>()
const { seed = Math.floor(Math.random() * 2 ** 31) } = values
const chosen = kinds.filter(({ name }) => name.includes(values.only))
if (chosen.length === 0) {
  console.log(`No kind of fault is called ${values.only}. There are: ${kinds.map(({ name }) => name).join('; ')}.`)
  process.exit(2)
}
// Every child ends with this process, also on Ctrl-C.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(128 + constants.signals[signal]))
}
console.log(`seed ${seed}`)
let failed = 0
for (const { name, run } of chosen) {
  try {
    if (!(await run())) failed++
  } catch (error) {
    failed++
    console.log(inSources.text(`FAILED    ${name}: ${(error as Error).stack}`))
    if (error instanceof TimedOut) saveLogs(name, error.printed)
  }
}
if (failed > 0) console.log(`${failed} of ${chosen.length} kinds failed. Draw the same again with --seed ${seed}.`)
process.exit(failed > 0 ? 1 : 0)

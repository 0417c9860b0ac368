/**
 * Campaigns while nodes are killed at random moments of each stage, on one node and on three, and while three are
 * restarted in turn.
 */
import { randomBytes } from 'node:crypto'
import { TestNatsCluster } from '../harness/nats.js'
import { seededRng } from '../sim/world/rng.js'
import { type Crowd, openCampaignAgent } from './campaigns-agent.js'
import { type CampaignTrial, runUnderKills } from './campaigns-injection.js'
import { judgeCampaign } from './campaigns-judge.js'
import { type Ending, openRolling } from './campaigns-rolling.js'
import { createKillTiming, type Stage, stages } from './campaigns-timing.js'
import { type FaultNode, openFaultNode } from './faultnode.js'
import type { Cycles } from './kills.js'
import type { FaultReport } from './report.js'
import { openSendProvider } from './sends-provider.js'
import { openSendRecord } from './sends-record.js'

export interface CampaignCycles extends Cycles {
  /** Runs further cycles until this many kills were aimed at each stage. */
  readonly killsEach?: number
}

/** A person who wrote is not sent to for six seconds, and the last attempt of a send is six seconds after the first. */
const killed = { timeScale: 300, crowd: { agreed: 90, others: 200 } }
/** Slower, with more people, so that a campaign outlasts the restart of some nodes. */
const rolled = { timeScale: 150, crowd: { agreed: 180, others: 0 } }
const shards = 8
/** The most cycles per requested kill: the run reports a machine on which kills keep missing and stops. */
const cyclesPerKill = 3

interface Setting {
  readonly timeScale: number
  readonly crowd: Crowd
}

/** The kind of trial, its count, and its results. */
interface TrialPlan {
  runCampaign(trial: CampaignTrial, name: string): Promise<string>
  isEnough(cycles: number): boolean
  isSpared(stage: Stage): boolean
  line(): string
  /** Why the count is below the request. */
  shortfalls(): readonly string[]
}

export function embeddedCampaigns(options: CampaignCycles): Promise<FaultReport> {
  const env = { PARLEY_TIME_SCALE: String(killed.timeScale), PARLEY_EMULATOR: 'false' }
  return runTrials('campaigns of a killed node', [openFaultNode('embedded', env)], killed, options, underKills)
}

export function clusterCampaigns(options: CampaignCycles): Promise<FaultReport> {
  return onCluster('campaigns of a cluster whose nodes are killed', killed, options, underKills)
}

export function rolledCampaigns(ending: Ending, options: Cycles): Promise<FaultReport> {
  const fault = `campaigns of a cluster whose nodes are ${ending === 'kill' ? 'killed' : 'restarted'} in turn`
  return onCluster(fault, rolled, options, () => inTurn(ending, options))
}

async function onCluster(
  fault: string,
  setting: Setting,
  options: CampaignCycles,
  planOf: typeof underKills,
): Promise<FaultReport> {
  const nats = await TestNatsCluster.start()
  const env = {
    PARLEY_TIME_SCALE: String(setting.timeScale),
    PARLEY_EMULATOR: 'false',
    PARLEY_NATS_URL: nats.urls.join(),
    PARLEY_SHARDS: String(shards),
    PARLEY_SECRET_KEY: randomBytes(32).toString('hex'),
  }
  try {
    const faultNodes = ['a', 'b', 'c'].map((name) => openFaultNode(name, env))
    return await runTrials(fault, faultNodes, setting, options, planOf)
  } finally {
    await nats.stop()
  }
}

function underKills({ cycles, killsEach }: CampaignCycles, { aim }: Pick<CampaignTrial, 'aim'>): TrialPlan {
  const isSpared = (stage: Stage) => killsEach !== undefined && aim.count(stage) >= killsEach
  const missedStages = () => (killsEach === undefined ? [] : stages.filter((stage) => !isSpared(stage)))
  return {
    runCampaign: runUnderKills,
    isEnough: (done) =>
      killsEach === undefined ? done >= cycles : missedStages().length === 0 || done >= killsEach * cyclesPerKill,
    isSpared,
    line: aim.line,
    shortfalls: () => missedStages().map((stage) => `only ${aim.count(stage)} kills were aimed at a ${stage}`),
  }
}

function inTurn(ending: Ending, { cycles }: Cycles): TrialPlan {
  const rolling = openRolling(ending)
  return {
    runCampaign: rolling.runCampaign,
    isEnough: () => rolling.rounds() >= cycles,
    isSpared: () => true,
    line: rolling.line,
    shortfalls: () => [],
  }
}

async function runTrials(
  fault: string,
  faultNodes: readonly FaultNode[],
  { crowd }: Setting,
  options: CampaignCycles,
  planOf: typeof underKills,
): Promise<FaultReport> {
  const { seed, note = () => {} } = options
  const rng = seededRng(seed)
  const record = openSendRecord()
  const provider = await openSendProvider(record, rng.fork('provider'))
  const totals = { missing: 0, doubled: 0, problems: [] as string[], reached: 0 }
  const aim = createKillTiming(rng.fork('aim'))
  const trialPlan = planOf(options, { aim })
  const times = options.killsEach === undefined ? 1 : 2
  let cycle = 0
  try {
    for (const faultNode of faultNodes) faultNode.spawn()
    await Promise.all(faultNodes.map((faultNode) => faultNode.started()))
    const agent = await openCampaignAgent(faultNodes, provider, crowd)
    const addProblem = (sentence: string) => {
      totals.problems.push(sentence)
      note(sentence)
    }
    while (!trialPlan.isEnough(cycle)) {
      cycle++
      const since = record.arrivals.length
      const steps = rng.fork(`steps ${cycle}`)
      const trial: CampaignTrial = {
        faultNodes,
        shards,
        agent,
        aim,
        rng: steps,
        isSpared: trialPlan.isSpared,
        times,
        addProblem,
      }
      const id = await trialPlan.runCampaign(trial, `Campaign ${cycle}`)
      const verdict = await judgeCampaign(agent, id, record.arrivals.slice(since))
      totals.missing += verdict.missing
      totals.doubled += verdict.doubled
      totals.reached += (verdict.states.sent ?? 0) + (verdict.states.delivered ?? 0) + (verdict.states.read ?? 0)
      const states = Object.entries(verdict.states).filter(([, count]) => count > 0)
      note(`${cycle}: ${states.map(([state, count]) => `${count} ${state}`).join(', ')}; ${trialPlan.line()}`)
      for (const sentence of verdict.problems) addProblem(sentence)
    }
    const { missing, doubled, problems, reached } = totals
    return {
      fault,
      seed,
      cycles: cycle,
      recoveryMs: agent.longestMs(),
      ...{ acknowledged: reached, unknown: 0, undecided: 0, missing, doubled, late: 0 },
      problems: [...problems, ...trialPlan.shortfalls(), ...faultNodes.flatMap((faultNode) => faultNode.surprises())],
      printed: new Map(faultNodes.map((faultNode) => [faultNode.name, faultNode.printed()])),
      notes: [trialPlan.line(), `${record.arrivals.length} calls to the provider`],
    }
  } finally {
    await Promise.all(faultNodes.map((faultNode) => faultNode.remove()))
    await provider.close()
  }
}

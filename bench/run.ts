/** Runs one scenario: starts its candidates, measures them in turn, round after round, and stops them. */
import { type Machine, machineFacts } from './machine.js'
import { judge, metrics, type RatioResult, spread } from './metrics.js'
import type { Sample, Window } from './sample.js'
import type { Candidate, Scenario } from './scenario.js'
import { openScratch } from './scratch.js'
import { type Subject, startSubject } from './subject.js'

/** Above this share of a core a process is taken to be the bottleneck. */
const busyCores = 0.95
/** A candidate warms up this long before its first round, and a part of a window before each later one. */
const firstWarmSeconds = 2
const laterWarmShare = 0.2

export interface Settings {
  readonly seconds: number
  readonly rounds: number
  readonly concurrency: number
  readonly operations?: number
  /** How much is on record before, for candidates that begin with something. */
  readonly filled?: number
}

export interface CandidateResult {
  readonly candidate: Candidate
  readonly samples: readonly Sample[]
  /** What limits the reading of its figures: failures, a load at its own limit, a machine busy with something else. */
  readonly remarks: readonly string[]
  readonly notes: readonly string[]
}

export interface Outcome {
  readonly scenario: Scenario
  readonly settings: Settings
  readonly startedAt: string
  readonly machine: Machine
  readonly candidates: readonly CandidateResult[]
  readonly ratios: readonly RatioResult[]
}

export interface Step {
  readonly round: number
  readonly candidate: string
}

/** `told` hears of each window before it begins. */
export async function run(scenario: Scenario, settings: Settings, told: (step: Step) => void): Promise<Outcome> {
  const scratch = openScratch()
  const forget = () => scratch.remove()
  process.once('exit', forget)
  const startedAt = new Date().toISOString()
  const machine = machineFacts(scratch.path)
  const starting = scenario.candidates.map((candidate) => startSubject(filledBy(candidate, settings), scratch.path))
  try {
    const subjects = await Promise.all(starting)
    const running = new Map(scenario.candidates.map((candidate, at) => [candidate, subjects[at]!]))
    const samples = await measureRounds(running, scenario, settings, told)
    const candidates = scenario.candidates.map((candidate) => {
      const taken = samples.get(candidate.name) ?? []
      const notes = running.get(candidate)?.ready.notes ?? []
      return { candidate, samples: taken, remarks: remarksOn(taken), notes }
    })
    const ratios = scenario.ratios.map((ratio) => judge(ratio, samples))
    return { scenario, settings, startedAt, machine, candidates, ratios }
  } finally {
    const started = await Promise.allSettled(starting)
    await Promise.all(started.map((one) => one.status === 'fulfilled' && one.value.stop()))
    scratch.remove()
    process.removeListener('exit', forget)
  }
}

function filledBy(candidate: Candidate, { filled }: Settings): Candidate {
  return candidate.filled === undefined || filled === undefined ? candidate : { ...candidate, filled }
}

/** The candidates stay up all the time, and one at a time is under load: round by round, in the order of the table. */
async function measureRounds(
  running: ReadonlyMap<Candidate, Subject>,
  { othersRest }: Scenario,
  { rounds, seconds, concurrency, operations }: Settings,
  told: (step: Step) => void,
): Promise<Map<string, Sample[]>> {
  const samples = new Map<string, Sample[]>()
  for (let round = 1; round <= rounds; round++) {
    const warmSeconds = round === 1 ? Math.min(firstWarmSeconds, seconds) : seconds * laterWarmShare
    const window: Window = { warmSeconds, seconds, concurrency, operations }
    for (const [candidate, subject] of running) {
      told({ round, candidate: candidate.name })
      if (othersRest) for (const other of running.values()) other === subject ? other.goOn() : other.rest()
      const taken = samples.get(candidate.name) ?? []
      taken.push(await candidate.load(subject, window))
      samples.set(candidate.name, taken)
    }
  }
  return samples
}

export function remarksOn(samples: readonly Sample[]): string[] {
  const remarks: string[] = []
  const failures = new Map<string, number>()
  for (const sample of samples) {
    for (const [what, count] of Object.entries(sample.failures)) failures.set(what, (failures.get(what) ?? 0) + count)
  }
  for (const [what, count] of failures) remarks.push(`${what} × ${count}`)
  if (samples.some((sample) => sample.operations === 0)) remarks.push('a window without a single answer')
  const unsteady = samples.reduce((sum, sample) => sum + (sample.unsteady ?? 0), 0)
  const all = samples.reduce((sum, { operations }) => sum + operations, 0)
  if (unsteady > 0) remarks.push(`${Math.round((100 * unsteady) / all)} % met a standstill of the machine`)
  const load = spread(samples.flatMap((sample) => sample.loadCores ?? [])).median
  if (Number.isNaN(load)) return remarks
  const server = spread(samples.map(serverCores)).median
  if (load > busyCores) remarks.push(server > busyCores ? 'load and server both at a full core' : 'load-bound')
  else if (server < busyCores) remarks.push('neither server nor load had a full core')
  return remarks
}

export function serverCores(sample: Sample): number {
  return sample.cpuMicros / 1e6 / sample.seconds
}

/** A scenario whose operations failed has measured something else. */
export function failed(outcome: Outcome): boolean {
  return outcome.candidates.some(({ samples }) =>
    samples.some((sample) => sample.operations === 0 || Object.keys(sample.failures).length > 0),
  )
}

export function medianOf(result: CandidateResult, metric: keyof typeof metrics): number {
  return spread(result.samples.map(metrics[metric].of)).median
}

/** Runs one scenario: starts its candidates, measures them in turn, round after round, stops them. */
import { type Machine, machineFacts } from './machine.js'
import { evaluateRatio, metrics, type RatioResult, spread } from './metrics.js'
import { type CandidateProcess, startCandidate } from './process.js'
import type { Sample, Window } from './sample.js'
import type { Candidate, Scenario } from './scenario.js'
import { createScratch } from './scratch.js'

/** Above this share of a core a process counts as the bottleneck. */
const busyCores = 0.95
/** How long a candidate warms up before its first round, and the share of a window before each later one. */
const firstWarmSeconds = 2
const laterWarmShare = 0.2

export interface Settings {
  readonly seconds: number
  readonly rounds: number
  readonly concurrency: number
  readonly operations?: number
  /** How many records exist before the run, for candidates that start with some. */
  readonly filled?: number
}

export interface CandidateResult {
  readonly candidate: Candidate
  readonly samples: readonly Sample[]
  /** What limits the reading of its figures: failures, a load at its own limit, a machine busy with other work. */
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

/** Calls `onStep` before each window. */
export async function run(scenario: Scenario, settings: Settings, onStep: (step: Step) => void): Promise<Outcome> {
  const scratch = createScratch()
  const cleanup = () => scratch.remove()
  process.once('exit', cleanup)
  const startedAt = new Date().toISOString()
  const machine = machineFacts(scratch.path)
  const starts = scenario.candidates.map((candidate) => startCandidate(withFilled(candidate, settings), scratch.path))
  try {
    const targets = await Promise.all(starts)
    const running = new Map(scenario.candidates.map((candidate, at) => [candidate, targets[at]!]))
    const samples = await measureRounds(running, scenario, settings, onStep)
    const candidates = scenario.candidates.map((candidate) => {
      const results = samples.get(candidate.name) ?? []
      const notes = running.get(candidate)?.ready.notes ?? []
      return { candidate, samples: results, remarks: remarksFor(results), notes }
    })
    const ratios = scenario.ratios.map((ratio) => evaluateRatio(ratio, samples))
    return { scenario, settings, startedAt, machine, candidates, ratios }
  } finally {
    const started = await Promise.allSettled(starts)
    await Promise.all(started.map((one) => one.status === 'fulfilled' && one.value.stop()))
    scratch.remove()
    process.removeListener('exit', cleanup)
  }
}

function withFilled(candidate: Candidate, { filled }: Settings): Candidate {
  return candidate.filled === undefined || filled === undefined ? candidate : { ...candidate, filled }
}

/** All candidates stay up; one at a time is under load, round by round, in the order of the table. */
async function measureRounds(
  running: ReadonlyMap<Candidate, CandidateProcess>,
  { pausesOthers }: Scenario,
  { rounds, seconds, concurrency, operations }: Settings,
  onStep: (step: Step) => void,
): Promise<Map<string, Sample[]>> {
  const samples = new Map<string, Sample[]>()
  for (let round = 1; round <= rounds; round++) {
    const warmSeconds = round === 1 ? Math.min(firstWarmSeconds, seconds) : seconds * laterWarmShare
    const window: Window = { warmSeconds, seconds, concurrency, operations }
    for (const [candidate, target] of running) {
      onStep({ round, candidate: candidate.name })
      if (pausesOthers) for (const other of running.values()) other === target ? other.resume() : other.pause()
      const results = samples.get(candidate.name) ?? []
      results.push(await candidate.load(target, window))
      samples.set(candidate.name, results)
    }
  }
  return samples
}

export function remarksFor(samples: readonly Sample[]): string[] {
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

/** A window without operations or with failures does not measure its scenario. */
export function hasFailed(outcome: Outcome): boolean {
  return outcome.candidates.some(({ samples }) =>
    samples.some((sample) => sample.operations === 0 || Object.keys(sample.failures).length > 0),
  )
}

export function medianOf(result: CandidateResult, metric: keyof typeof metrics): number {
  return spread(result.samples.map(metrics[metric].of)).median
}

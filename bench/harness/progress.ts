/** A progress bar while a scenario runs; without a terminal, a line now and then. */
import { SingleBar } from 'cli-progress'
import type { Step } from './run.js'
import type { Scenario } from './scenario.js'

const lineEveryMs = 5_000

export interface Progress {
  onStep(step: Step): void
  stop(): void
}

export function openProgress(scenario: Scenario, rounds: number): Progress {
  const bar = new SingleBar({
    format: `${scenario.name} [{bar}] {value}/{total} windows, {what}`,
    barCompleteChar: '#',
    barIncompleteChar: '.',
    barsize: 30,
    clearOnComplete: true,
    stream: process.stderr,
    noTTYOutput: true,
    notTTYSchedule: lineEveryMs,
  })
  let windows = 0
  bar.start(scenario.candidates.length * rounds, 0, { what: 'starting' })
  return {
    onStep: ({ round, candidate }) => bar.update(windows++, { what: `round ${round} of ${rounds}, ${candidate}` }),
    stop: () => {
      bar.update(windows, { what: 'done' })
      bar.stop()
    },
  }
}

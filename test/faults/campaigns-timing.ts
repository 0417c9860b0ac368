/**
 * Aims kills at random moments within each stage of a campaign, from the stage's measured duration, and counts the
 * hits.
 */
import type { Rng } from '../sim/world/rng.js'

export const stages = ['stage', 'start', 'run', 'pause', 'resume'] as const
export type Stage = (typeof stages)[number]

/** `inside`: before the caller's answer, or while the campaign still ran. */
export type KillOutcome = 'inside' | 'after'

export interface KillTiming {
  /** Milliseconds from the beginning of the stage to its next kill. */
  moment(stage: Stage): number
  /** `isDone`: the requested change had taken effect at the next look. */
  recordOutcome(stage: Stage, outcome: KillOutcome, isDone: boolean): void
  /** Kills aimed at this stage. */
  count(stage: Stage): number
  /** A line about all stages. */
  line(): string
}

/** First guesses, until kills have shown the duration of each stage. */
const firstMs: Readonly<Record<Stage, number>> = { stage: 250, start: 150, run: 800, pause: 150, resume: 150 }
const minMs = 3
const maxMs = 3_000
/**
 * A late kill moves the next ones earlier by five times the step by which a hit moves them later: about five of six
 * fall inside.
 */
const later = 1.08
const sooner = 0.67

export function createKillTiming(rng: Rng): KillTiming {
  const spanMs = { ...firstMs }
  const falls = Object.fromEntries(stages.map((stage) => [stage, { inside: 0, after: 0, done: 0 }])) as Record<
    Stage,
    Record<KillOutcome | 'done', number>
  >
  function timingText(stage: Stage): string {
    const { inside, after, done } = falls[stage]
    const suffix = stage === 'run' ? '' : ` (${done} of them done all the same)`
    return `${stage} ${inside} inside${suffix} and ${after} after`
  }
  return {
    moment: (stage) => rng.between(0, spanMs[stage]),
    recordOutcome(stage, outcome, isDone) {
      falls[stage][outcome]++
      if (outcome === 'inside' && isDone) falls[stage].done++
      const next = spanMs[stage] * (outcome === 'inside' ? later : sooner)
      spanMs[stage] = Math.min(maxMs, Math.max(minMs, next))
    },
    count: (stage) => falls[stage].inside + falls[stage].after,
    line: () => `kills: ${stages.map(timingText).join(', ')}`,
  }
}

/** Where kills are aimed: at random moments within each stage of a campaign, about as long as that takes on this machine, and how they fell. */
import type { Rng } from '../sim/world/rng.js'

export const stages = ['stage', 'start', 'run', 'pause', 'resume'] as const
export type Stage = (typeof stages)[number]

/** `inside`: before whoever asked was answered, or while it still ran. */
export type KillOutcome = 'inside' | 'after'

export interface KillTiming {
  /** How long after its beginning the next kill of this stage comes, in milliseconds. */
  moment(stage: Stage): number
  /** `isDone`: what was asked for had come about when somebody looked again. */
  recordOutcome(stage: Stage, outcome: KillOutcome, isDone: boolean): void
  /** Kills that were aimed at this stage. */
  count(stage: Stage): number
  /** Of all stages, as a line. */
  line(): string
}

/** Guesses, until kills have shown how long each takes. */
const firstMs: Readonly<Record<Stage, number>> = { stage: 250, start: 150, run: 800, pause: 150, resume: 150 }
const leastMs = 3
const mostMs = 3_000
/** A kill that came too late draws the next ones nearer, five times as much as one inside lets them go: so about five of six fall inside. */
const later = 1.08
const sooner = 0.67

export function createKillTiming(rng: Rng): KillTiming {
  const spanMs = { ...firstMs }
  const falls = Object.fromEntries(stages.map((stage) => [stage, { inside: 0, after: 0, done: 0 }])) as Record<
    Stage,
    Record<KillOutcome | 'done', number>
  >
  function shown(stage: Stage): string {
    const { inside, after, done } = falls[stage]
    const kept = stage === 'run' ? '' : ` (${done} of them done all the same)`
    return `${stage} ${inside} inside${kept} and ${after} after`
  }
  return {
    moment: (stage) => rng.between(0, spanMs[stage]),
    recordOutcome(stage, outcome, isDone) {
      falls[stage][outcome]++
      if (outcome === 'inside' && isDone) falls[stage].done++
      const next = spanMs[stage] * (outcome === 'inside' ? later : sooner)
      spanMs[stage] = Math.min(mostMs, Math.max(leastMs, next))
    },
    count: (stage) => falls[stage].inside + falls[stage].after,
    line: () => `kills: ${stages.map(shown).join(', ')}`,
  }
}

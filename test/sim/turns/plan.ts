/** The plan of a run of turns: the world of an engine run, and what people, tools and the operator do in it. */
import { drawPlan, type Plan, type Wishes } from '../plan.js'
import { seededRng } from '../world/rng.js'
import { integrationIds } from './documents.js'

export interface TurnPlan extends Plan {
  readonly turns: {
    /** What each person does, besides the last word at the end. */
    readonly acts: number
    /** Divides the delays of the product: sessions end within the run where it is large. */
    readonly timeScale: number
    /** Changes by the operator. */
    readonly changes: number
    readonly isAgentDeleted: boolean
    /** How long the agent's configuration is out of reach, once. */
    readonly agentAwayMs: number
    /** The share of lookups that are refused while there are faults. */
    readonly refusedLookups: number
    /** The share of calls to tools during which the process ends or stands still. */
    readonly crashesAtTools: number
    /** Integrations whose tool says that a repeat is harmless. */
    readonly idempotent: readonly string[]
    /** The longest that a tool takes when it is slow. */
    readonly slowToolMs: number
  }
}

export function drawTurnPlan(seed: number, wishes: Wishes = {}): TurnPlan {
  const rng = seededRng(seed).fork('turns')
  const plan = drawPlan(seed, wishes)
  return {
    ...plan,
    // Where acknowledged commits are lost, so are the words of people.
    disasters: false,
    aloneMs: 0,
    owners: rng.pick([1, 1, 2, 3, 4]),
    turns: {
      acts: wishes.steps ?? rng.pick([8, 16, 24, 32]),
      timeScale: rng.pick([1, 1, 60, 300]),
      changes: rng.pick([0, 0, 1, 2, 4]),
      isAgentDeleted: rng.chance(0.04),
      agentAwayMs: rng.chance(0.08) ? rng.between(10_000, 90_000) : 0,
      refusedLookups: rng.pick([0, 0, 0.03, 0.2]),
      crashesAtTools: rng.pick([0, 0.1, 0.2, 0.4]),
      idempotent: integrationIds.filter(() => rng.chance(0.5)),
      slowToolMs: rng.pick([500, 3_000, 8_000, 20_000]),
    },
  }
}

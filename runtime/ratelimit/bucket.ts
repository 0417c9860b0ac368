/** The arithmetic of a token bucket, in integers only: no drift, and rounding never allows a call. */
import type { SpendResult } from './contract.js'

/**
 * One call in the units of a bucket: billionths, so that a rate of three decimals refills an integer each microsecond.
 */
export const callUnits = 1_000_000_000
const microsPerSecond = 1_000_000

export interface BucketShape {
  readonly burstCalls: number
  readonly capacityUnits: number
  readonly refillUnitsPerMicro: number
}

/** The content of a bucket at a moment, in microseconds of the clock that counts it. */
export interface BucketState {
  readonly units: number
  readonly atMicros: number
}

/** A share below 1 is one node's part of a budget; it is rounded down, so that all parts never exceed the budget. */
export function shapeOf(budget: { burstCalls: number; refillPerSecond: number }, share = 1): BucketShape {
  const burstCalls = Math.max(1, Math.floor(budget.burstCalls * share))
  const capacityUnits = burstCalls * callUnits
  if (!Number.isSafeInteger(capacityUnits)) throw new Error(`a burst of ${burstCalls} calls cannot be counted exactly`)
  return {
    burstCalls,
    capacityUnits,
    refillUnitsPerMicro: Math.max(1, Math.floor((budget.refillPerSecond * share * callUnits) / microsPerSecond)),
  }
}

/**
 * A clock that went back refills nothing: the repeated time was counted already, so the bucket waits until the clock
 * has passed its last moment. A clock set back by more than a whole refill would stop the bucket for long, so the
 * bucket then keeps its content and counts on from the new time.
 */
export function refill(shape: BucketShape, previous: BucketState | undefined, nowMicros: number): BucketState {
  if (!previous) return { units: shape.capacityUnits, atMicros: nowMicros }
  const refillMicros = shape.capacityUnits / shape.refillUnitsPerMicro
  const atMicros = previous.atMicros - nowMicros > refillMicros ? nowMicros : Math.max(previous.atMicros, nowMicros)
  const units = previous.units + Math.max(0, atMicros - previous.atMicros) * shape.refillUnitsPerMicro
  return { units: Math.min(shape.capacityUnits, units), atMicros }
}

export function isFull(shape: BucketShape, previous: BucketState, nowMicros: number): boolean {
  return refill(shape, previous, nowMicros).units === shape.capacityUnits
}

export function spend(
  shape: BucketShape,
  previous: BucketState | undefined,
  nowMicros: number,
): { result: SpendResult; state: BucketState } {
  const before = refill(shape, previous, nowMicros)
  const allowed = before.units >= callUnits
  const state = allowed ? { ...before, units: before.units - callUnits } : before
  return { result: toResult(shape, allowed, state, nowMicros), state }
}

/** A stored bucket: it is changed in place, so that a call allocates no long-lived object. */
export class Bucket implements BucketState {
  constructor(
    public units: number,
    public atMicros: number,
  ) {}

  set({ units, atMicros }: BucketState): void {
    this.units = units
    this.atMicros = atMicros
  }

  spend(shape: BucketShape, nowMicros: number): SpendResult {
    const { result, state } = spend(shape, this, nowMicros)
    this.set(state)
    return result
  }
}

/** The figures of the answer, from the content after the call. */
export function toResult(shape: BucketShape, allowed: boolean, left: BucketState, nowMicros: number): SpendResult {
  const aheadUnits = Math.max(0, left.atMicros - nowMicros) * shape.refillUnitsPerMicro
  const unitsPerSecond = shape.refillUnitsPerMicro * microsPerSecond
  const secondsUntil = (units: number) => Math.ceil((units - left.units + aheadUnits) / unitsPerSecond)
  return {
    allowed,
    limit: shape.burstCalls,
    remaining: Math.floor(left.units / callUnits),
    resetSeconds: secondsUntil(shape.capacityUnits),
    retryAfterSeconds: allowed ? 0 : Math.max(1, secondsUntil(callUnits)),
  }
}

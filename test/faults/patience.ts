/** Waits for what must come about once a fault is over, however slow the machine, but not for ever: that is a failure too. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Place } from './place.js'

export const patienceMs = 120_000
const lookEveryMs = 20

/** Carries what the nodes printed, since whoever waited in vain wants to know why. */
export class Stuck extends Error {
  override readonly name = 'Stuck'
  readonly printed: ReadonlyMap<string, string>

  constructor(message: string, places: readonly Place[]) {
    super(message)
    this.printed = new Map(places.map((place) => [place.name, place.printed()]))
  }
}

export async function patiently(
  what: string,
  places: readonly Place[],
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  for (const ends = performance.now() + patienceMs; !(await holds()); await sleep(lookEveryMs)) {
    if (performance.now() > ends) throw new Stuck(`${what}: not within ${patienceMs / 1000} s`, places)
  }
}

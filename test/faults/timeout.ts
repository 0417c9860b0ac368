/** Waits for a condition after a fault, however slow the machine, up to a limit that counts as a failure. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultNode } from './faultnode.js'

export const timeoutMs = 120_000
const pollMs = 20

/** Carries the nodes' output, which explains the timeout. */
export class TimedOut extends Error {
  override readonly name = 'Stuck'
  readonly printed: ReadonlyMap<string, string>

  constructor(message: string, faultNodes: readonly FaultNode[]) {
    super(message)
    this.printed = new Map(faultNodes.map((faultNode) => [faultNode.name, faultNode.printed()]))
  }
}

export async function waitUntil(
  what: string,
  faultNodes: readonly FaultNode[],
  condition: () => boolean | Promise<boolean>,
  /** What there is instead, for the message of the failure. */
  describeState?: () => Promise<string>,
): Promise<void> {
  for (const ends = performance.now() + timeoutMs; !(await condition()); await sleep(pollMs)) {
    if (performance.now() <= ends) continue
    const state = describeState ? `, ${await describeState()}` : ''
    throw new TimedOut(`${what}: not within ${timeoutMs / 1000} s${state}`, faultNodes)
  }
}

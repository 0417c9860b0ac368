/** Receipts come by themselves: in order and once, unless faults were drawn for the message they are about. */
import type { Account, Kept, Receipt, ReceiptState } from './contract.js'
import type { Drawn } from './faults.js'

export interface Step {
  readonly receipt: Receipt
  readonly afterMs: number
}

/** When each receipt of a message is told, with the faults drawn for it. */
export function plannedSteps(receipts: readonly Receipt[], drawn: Drawn, stepMs: number): readonly Step[] {
  const { missingReceipts: missing, lateReceipts: late, reorderedReceipts, duplicateReceipts } = drawn
  const told = receipts.filter(({ state }) => !missing || (missing.states && !missing.states.includes(state)))
  const ordered = reorderedReceipts ? [...told].reverse() : told
  const steps = ordered.map((receipt, index) => ({ receipt, afterMs: (index + 1) * stepMs + (late?.ms ?? 0) }))
  return duplicateReceipts ? steps.flatMap((step) => [step, step]) : steps
}

/** A phone that is switched off gets nothing; what the provider knows by itself is told all the same. */
export function waitsForPhone(state: ReceiptState): boolean {
  return state === 'delivered' || state === 'read'
}

/** What waits until a phone is switched on again. */
export interface Waiting {
  hold(kept: Kept, account: Account, step: Step): void
  release(account: string, address: string): readonly { kept: Kept; account: Account; step: Step }[]
  /** True when something of it still waited. */
  drop(account: string, providerId: string): boolean
}

export function openWaiting(most: number): Waiting {
  let held: { kept: Kept; account: Account; step: Step }[] = []
  return {
    hold(kept, account, step) {
      held.push({ kept, account, step })
      if (held.length > most) held.shift()
    },
    release(account, address) {
      const theirs = held.filter(({ kept }) => kept.account === account && kept.address === address)
      held = held.filter((each) => !theirs.includes(each))
      return theirs
    },
    drop(account, providerId) {
      const before = held.length
      held = held.filter(({ kept }) => kept.account !== account || kept.providerId !== providerId)
      return held.length < before
    },
  }
}

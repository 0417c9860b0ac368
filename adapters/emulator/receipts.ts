/** Receipts come by themselves: in order and once, unless faults were drawn for the message they are about. */
import type { AcceptedMessage, Account, Receipt, ReceiptState } from './contract.js'
import type { ActiveFaults } from './faults.js'

export interface ReceiptStep {
  readonly receipt: Receipt
  readonly afterMs: number
}

/** When each receipt of a message is told, with the faults drawn for it. */
export function planReceipts(
  receipts: readonly Receipt[],
  activeFaults: ActiveFaults,
  stepMs: number,
): readonly ReceiptStep[] {
  const { missingReceipts: missing, lateReceipts: late, reorderedReceipts, duplicateReceipts } = activeFaults
  const included = receipts.filter(({ state }) => !missing || (missing.states && !missing.states.includes(state)))
  const ordered = reorderedReceipts ? [...included].reverse() : included
  const steps = ordered.map((receipt, index) => ({ receipt, afterMs: (index + 1) * stepMs + (late?.ms ?? 0) }))
  return duplicateReceipts ? steps.flatMap((step) => [step, step]) : steps
}

/** A phone that is switched off gets nothing; what the provider knows by itself is told all the same. */
export function waitsForPhone(state: ReceiptState): boolean {
  return state === 'delivered' || state === 'read'
}

/** What waits until a phone is switched on again. */
export interface DeferredReceipts {
  hold(accepted: AcceptedMessage, account: Account, step: ReceiptStep): void
  release(
    account: string,
    address: string,
  ): readonly { accepted: AcceptedMessage; account: Account; step: ReceiptStep }[]
  /** True when something of it still waited. */
  drop(account: string, providerId: string): boolean
}

export function createDeferredReceipts(most: number): DeferredReceipts {
  let deferred: { accepted: AcceptedMessage; account: Account; step: ReceiptStep }[] = []
  return {
    hold(accepted, account, step) {
      deferred.push({ accepted, account, step })
      if (deferred.length > most) deferred.shift()
    },
    release(account, address) {
      const released = deferred.filter(({ accepted }) => accepted.account === account && accepted.address === address)
      deferred = deferred.filter((each) => !released.includes(each))
      return released
    },
    drop(account, providerId) {
      const before = deferred.length
      deferred = deferred.filter(({ accepted }) => accepted.account !== account || accepted.providerId !== providerId)
      return deferred.length < before
    },
  }
}

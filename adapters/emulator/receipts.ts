/** Automatic receipts: in order and once, unless faults were drawn for their message. */
import type { AcceptedMessage, Account, Receipt, ReceiptState } from './contract.js'
import type { ActiveFaults } from './faults.js'

export interface ReceiptStep {
  readonly receipt: Receipt
  readonly afterMs: number
}

/** Delays of the receipts of a message, with its faults applied. */
export function planReceipts(
  receipts: readonly Receipt[],
  activeFaults: ActiveFaults,
  stepMs: number,
): readonly ReceiptStep[] {
  const { missingReceipts, lateReceipts, reorderedReceipts, duplicateReceipts } = activeFaults
  const included = receipts.filter(
    ({ state }) => !missingReceipts || (missingReceipts.states && !missingReceipts.states.includes(state)),
  )
  const ordered = reorderedReceipts ? [...included].reverse() : included
  const steps = ordered.map((receipt, index) => ({ receipt, afterMs: (index + 1) * stepMs + (lateReceipts?.ms ?? 0) }))
  return duplicateReceipts ? steps.flatMap((step) => [step, step]) : steps
}

/** True for receipts that need the phone; the provider sends all others even while the phone is off. */
export function waitsForPhone(state: ReceiptState): boolean {
  return state === 'delivered' || state === 'read'
}

/** Receipts that wait until a phone is switched on. Bounded: the oldest one is dropped. */
export interface DeferredReceipts {
  defer(accepted: AcceptedMessage, account: Account, step: ReceiptStep): void
  release(
    account: string,
    address: string,
  ): readonly { accepted: AcceptedMessage; account: Account; step: ReceiptStep }[]
  /** True when a receipt of the message was waiting. */
  drop(account: string, providerId: string): boolean
}

export function createDeferredReceipts(limit: number): DeferredReceipts {
  let deferred: { accepted: AcceptedMessage; account: Account; step: ReceiptStep }[] = []
  return {
    defer(accepted, account, step) {
      deferred.push({ accepted, account, step })
      if (deferred.length > limit) deferred.shift()
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

/** Injected faults as data. A seed decides which calls a fault applies to, so that a run can be repeated. */
import { createRandom } from '../kit/random.js'

export const faultKinds = [
  /** The answer comes `ms` late. */
  'latency',
  /** The provider's own 429, with `retryAfterSeconds` when given. */
  'rateLimited',
  /** 500, or `status`. */
  'serverError',
  /** Good credentials are refused. */
  'unauthorized',
  /** The message is accepted and the call is never answered. */
  'noAnswer',
  /** The connection is reset before anything is accepted. */
  'reset',
  'duplicateReceipts',
  /** Later by `ms`. */
  'lateReceipts',
  'reorderedReceipts',
  /** The receipts in `states`, or all. */
  'missingReceipts',
  /** Receipts are sent and acknowledged before the call is answered. */
  'receiptFirst',
  /** SMPP receipts have the id in decimal digits, the answer has it in hex. */
  'decimalReceiptIds',
  'unreachable',
  'blocked',
  'optedOut',
] as const
export type FaultKind = (typeof faultKinds)[number]

export interface FaultInput {
  readonly account: string
  /** Absent: all people of the account. */
  readonly address?: string
  readonly kind: FaultKind
  readonly ms?: number
  readonly status?: number
  readonly retryAfterSeconds?: number
  readonly states?: readonly string[]
  /** The number of calls; absent: until the fault is removed. */
  readonly times?: number
  /** The share of calls it applies to, from 0 to 1. */
  readonly rate?: number
  /** Also for typing, read marks, capability checks and revocations. */
  readonly allCalls?: boolean
}
export interface Fault extends FaultInput {
  readonly id: string
}

export type ActiveFaults = Partial<Readonly<Record<FaultKind, Fault>>>

export interface Faults {
  add(input: FaultInput): Fault
  remove(id: string): boolean
  all(): readonly Fault[]
  /** The faults of these kinds that apply to one call. Each selected fault counts the call. */
  selectFaults(call: FaultCall, kinds: readonly FaultKind[]): ActiveFaults
  /** Removes all faults of an account. */
  removeAccount(account: string): void
}

export interface FaultCall {
  readonly account: string
  readonly address: string
  readonly isMessage: boolean
}

/** States of a recipient; the other kinds are faults of a call. */
export const recipientFaults = ['unreachable', 'blocked', 'optedOut'] as const satisfies readonly FaultKind[]
export const callFaults = faultKinds.filter((kind) => !isRecipientFault(kind))

function isRecipientFault(kind: FaultKind): boolean {
  return (recipientFaults as readonly FaultKind[]).includes(kind)
}

export function createFaults(seed: number): Faults {
  const faults = new Map<string, { fault: Fault; left: number }>()
  const random = createRandom(seed)
  let ids = 0

  function applies(fault: Fault, { account, address, isMessage }: FaultCall): boolean {
    const isHere = fault.account === account && (fault.address === undefined || fault.address === address)
    const isFor = isMessage || fault.allCalls === true || isRecipientFault(fault.kind)
    return isHere && isFor && (fault.rate === undefined || random() < fault.rate)
  }

  return {
    add(input) {
      const fault = { ...input, id: `fault-${++ids}` }
      faults.set(fault.id, { fault, left: input.times ?? Infinity })
      return fault
    },
    remove: (id) => faults.delete(id),
    all: () => [...faults.values()].map(({ fault, left }) => (left === Infinity ? fault : { ...fault, times: left })),
    selectFaults(call, kinds) {
      const selected: { [kind in FaultKind]?: Fault } = {}
      for (const entry of faults.values()) {
        const { fault } = entry
        if (!kinds.includes(fault.kind) || selected[fault.kind] || !applies(fault, call)) continue
        selected[fault.kind] = fault
        entry.left--
        if (entry.left <= 0) faults.delete(fault.id)
      }
      return selected
    },
    removeAccount(account) {
      for (const { fault } of faults.values()) if (fault.account === account) faults.delete(fault.id)
    },
  }
}

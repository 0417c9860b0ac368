/** Faults that were asked for, as data: which of them apply to a call is drawn from a seed, so that a run can be repeated. */
import { createRandom } from '../kit/suite/mutations.js'

export const faultKinds = [
  /** The answer comes late, by `ms`. */
  'latency',
  /** 429 in the words of the provider, with `retryAfterSeconds` when given. */
  'rateLimited',
  /** 500, or `status`. */
  'serverError',
  /** The credentials are not accepted although they are good. */
  'unauthorized',
  /** Accepted, and never answered. */
  'noAnswer',
  /** The connection breaks before anything was accepted. */
  'reset',
  'duplicateReceipts',
  /** By `ms`. */
  'lateReceipts',
  'reorderedReceipts',
  /** Those of `states`, or all. */
  'missingReceipts',
  /** Receipts are told, and taken, before the call is answered. */
  'receiptFirst',
  /** Receipts of smpp spell the id in decimal digits, the answer in hex. */
  'decimalReceiptIds',
  'unreachable',
  'blocked',
  'optedOut',
] as const
export type FaultKind = (typeof faultKinds)[number]

export interface FaultInput {
  readonly account: string
  /** One person; absent, everybody. */
  readonly address?: string
  readonly kind: FaultKind
  readonly ms?: number
  readonly status?: number
  readonly retryAfterSeconds?: number
  readonly states?: readonly string[]
  /** For how many calls; absent, until it is taken away. */
  readonly times?: number
  /** The share of calls that it is for, from 0 to 1. */
  readonly rate?: number
  /** Typing, read marks, capability checks and revocations too. */
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
  /** Which faults of these kinds apply to one call. Counts it for each of them. */
  selectFaults(call: FaultCall, kinds: readonly FaultKind[]): ActiveFaults
  /** Takes away everything of an account. */
  forget(account: string): void
}

export interface FaultCall {
  readonly account: string
  readonly address: string
  readonly isMessage: boolean
}

/** How a person stands; the others are faults of a call. */
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
    forget(account) {
      for (const { fault } of faults.values()) if (fault.account === account) faults.delete(fault.id)
    },
  }
}

/** Parses delivery receipts, from their optional parameters or else from their text. */
import type { Receipt } from '../../../core/channel/inbound.js'

/** States by `message_state`, with the words that receipt texts use for them. */
const states = [
  { value: 1, stat: 'ENROUTE', state: 'sent' },
  { value: 2, stat: 'DELIV', state: 'delivered' },
  { value: 3, stat: 'EXPIR', state: 'failed', reason: 'expired' },
  { value: 4, stat: 'DELET', state: 'failed', reason: 'deleted' },
  { value: 5, stat: 'UNDELIV', state: 'failed', reason: 'undeliverable' },
  { value: 6, stat: 'ACCEPT', state: 'sent' },
  { value: 8, stat: 'REJECT', state: 'failed', reason: 'rejected' },
] as const satisfies readonly { value: number; stat: string; state: Receipt['state']; reason?: string }[]

/** States without an outcome: scheduled, unknown and skipped. */
const ignoredStates = [
  { value: 0, stat: 'SCHEDUL' },
  { value: 7, stat: 'UNKNOWN' },
  { value: 9, stat: 'SKIP' },
] as const

export type ReportedState = (typeof states)[number]

export interface ParsedReceipt {
  /** The id in the message center's spelling. */
  readonly rawId: string
  readonly reported?: ReportedState
  /** The state has no outcome. A receipt with neither member has an unknown state. */
  readonly isIgnored?: true
  readonly detail?: string
}

export interface ReceiptFields {
  readonly receiptedId?: string
  readonly messageState?: number
  readonly text: string
}

/** Undefined for a receipt without a message id. */
export function parseReceipt({ receiptedId, messageState, text }: ReceiptFields): ParsedReceipt | undefined {
  const rawId = receiptedId || /\bid:\s*([^\s:]{1,65})/i.exec(text)?.[1]
  if (!rawId) return undefined
  const stat = /\bstat:\s*([a-z]{3,20})/i.exec(text)?.[1]?.toUpperCase()
  const matches = (each: { readonly value: number; readonly stat: string }) =>
    messageState === undefined ? stat?.startsWith(each.stat) : each.value === messageState
  const reported = states.find(matches)
  const error = /\berr:\s*([0-9a-z]{1,8})\b/i.exec(text)?.[1]
  const isPlain = error === undefined || /^0+$/.test(error)
  return {
    rawId,
    ...(reported && { reported }),
    ...(ignoredStates.some(matches) && { isIgnored: true }),
    ...(!isPlain && { detail: `The carrier reports error ${error}.` }),
  }
}

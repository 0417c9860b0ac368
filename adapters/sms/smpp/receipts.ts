/** Parses delivery receipts, from their optional parameters or else from their text. */
import type { Receipt } from '../../../core/channel/inbound.js'

/** States by `message_state`, with the words that receipt texts use for them. */
const states = [
  { value: 1, word: 'ENROUTE', state: 'sent' },
  { value: 2, word: 'DELIV', state: 'delivered' },
  { value: 3, word: 'EXPIR', state: 'failed', reason: 'expired' },
  { value: 4, word: 'DELET', state: 'failed', reason: 'deleted' },
  { value: 5, word: 'UNDELIV', state: 'failed', reason: 'undeliverable' },
  { value: 6, word: 'ACCEPT', state: 'sent' },
  { value: 8, word: 'REJECT', state: 'failed', reason: 'rejected' },
] as const satisfies readonly { value: number; word: string; state: Receipt['state']; reason?: string }[]

/** States without an outcome: scheduled, unknown and skipped. */
const ignoredStates = [
  { value: 0, word: 'SCHEDUL' },
  { value: 7, word: 'UNKNOWN' },
  { value: 9, word: 'SKIP' },
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
  const word = /\bstat:\s*([a-z]{3,20})/i.exec(text)?.[1]?.toUpperCase()
  const matches = (each: { readonly value: number; readonly word: string }) =>
    messageState === undefined ? word?.startsWith(each.word) : each.value === messageState
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

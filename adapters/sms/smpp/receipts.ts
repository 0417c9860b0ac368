/** Delivery receipts: what became of a message, from the fields that say it exactly, or else from the text that says it. */
import type { Receipt } from '../../../core/conversation/receipts.js'

/** By `message_state`, with the words that texts use for it, as far as all spell them alike. */
const states = [
  { value: 1, word: 'ENROUTE', state: 'sent' },
  { value: 2, word: 'DELIV', state: 'delivered' },
  { value: 3, word: 'EXPIR', state: 'failed', reason: 'expired' },
  { value: 4, word: 'DELET', state: 'failed', reason: 'deleted' },
  { value: 5, word: 'UNDELIV', state: 'failed', reason: 'undeliverable' },
  { value: 6, word: 'ACCEPT', state: 'sent' },
  { value: 8, word: 'REJECT', state: 'failed', reason: 'rejected' },
] as const satisfies readonly { value: number; word: string; state: Receipt['state']; reason?: string }[]

export type Reported = (typeof states)[number]

export interface ReadReceipt {
  /** As the message center wrote it. */
  readonly rawId: string
  /** Undefined for states that say nothing, such as UNKNOWN. */
  readonly reported?: Reported
  readonly detail?: string
}

export interface ReceiptFields {
  readonly receiptedId?: string
  readonly messageState?: number
  readonly text: string
}

/** Undefined for a receipt that does not say of what. */
export function readReceipt({ receiptedId, messageState, text }: ReceiptFields): ReadReceipt | undefined {
  const rawId = receiptedId || /\bid:\s*([^\s:]{1,65})/i.exec(text)?.[1]
  if (!rawId) return undefined
  const word = /\bstat:\s*([a-z]{3,20})/i.exec(text)?.[1]?.toUpperCase()
  const reported =
    messageState === undefined
      ? states.find((each) => word?.startsWith(each.word))
      : states.find(({ value }) => value === messageState)
  const error = /\berr:\s*([0-9a-z]{1,8})\b/i.exec(text)?.[1]
  const isPlain = error === undefined || /^0+$/.test(error)
  return {
    rawId,
    ...(reported && { reported }),
    ...(!isPlain && { detail: `The carrier reports error ${error}.` }),
  }
}

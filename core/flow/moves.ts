/** What an input means for the flow that waits: decided from the input, before anything changes. */

import type { ToolOutcome } from '../tools/contract.js'
import type { SlotValue } from './contract.js'

export type Move =
  /** Values of slots; the first is that of the slot that was asked, if it is among them. */
  | { readonly kind: 'fill'; readonly values: ReadonlyMap<string, SlotValue> }
  /** Another value for a slot, or a new question; the flow is walked again from its start. */
  | { readonly kind: 'correct'; readonly slot: string; readonly value?: SlotValue; readonly reason?: string }
  /** The answer is none, or is not accepted. It is counted. */
  | { readonly kind: 'refuse'; readonly slot: string; readonly reason: string }
  | { readonly kind: 'skip'; readonly slot: string }
  | { readonly kind: 'confirmSlot'; readonly slot: string; readonly isRight: boolean }
  | { readonly kind: 'decide'; readonly key: string; readonly isApproved: boolean }
  /** A confirmation that was not answered. It is counted. */
  | { readonly kind: 'unconfirmed'; readonly key: string }
  | { readonly kind: 'outcome'; readonly outcome: ToolOutcome }
  | { readonly kind: 'cancel' }
  /** Points back to the question, and counts nothing. */
  | { readonly kind: 'repeat' }
  /** The flow begins, or goes on from its step. */
  | { readonly kind: 'walk'; readonly values: ReadonlyMap<string, SlotValue> }
  | { readonly kind: 'digression'; readonly otherwise: Exclude<Move, { kind: 'digression' }> }

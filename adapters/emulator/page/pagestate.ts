/** State of each phone, and how updates change it. */
import type { Act, Channel, MessageStatus, RefusedMessage, TranscriptEntry, Updates } from './api.js'

export type Item =
  | {
      readonly kind: 'sent'
      readonly at: number
      readonly number: number
      readonly providerId: string
      readonly body: unknown
    }
  | { readonly kind: 'done'; readonly at: number; readonly number: number; readonly act: Act }
  /** A message that never reached the provider. */
  | { readonly kind: 'failed'; readonly at: number; readonly messageId: string }
  | ({ readonly kind: 'refused' } & RefusedMessage)

export interface PhoneState {
  readonly items: readonly Item[]
  readonly statuses: readonly MessageStatus[]
  readonly isOffline: boolean
  readonly isLost: boolean
  readonly isOptedOut: boolean
}

export interface PageState {
  readonly phones: Readonly<Partial<Record<Channel, PhoneState>>>
  readonly chat: readonly TranscriptEntry[]
  /** Numbers of the last items seen. */
  readonly sent: number
  readonly acts: number
}

export const emptyState: PageState = { phones: {}, chat: [], sent: 0, acts: 0 }
const emptyPhone: PhoneState = { items: [], statuses: [], isOffline: false, isLost: false, isOptedOut: false }

/** Returns the same object when nothing is new, so that the page does not render again. */
export function applyUpdates(state: PageState, updates: Updates): PageState {
  const phones = { ...state.phones }
  let { sent, acts } = state
  let isNew = JSON.stringify(updates.chat) !== JSON.stringify(state.chat)
  for (const phone of updates.phones) {
    const previous = phones[phone.channel] ?? emptyPhone
    const performed = updates.acts.filter(({ channel, number }) => channel === phone.channel && number > state.acts)
    const received = phone.sent.filter(({ number }) => number > state.sent)
    const newRefusals = newlyRefused(phone.refusals, previous.items)
    const hasChanged =
      performed.length + received.length + newRefusals.length > 0 ||
      phone.isOffline !== previous.isOffline ||
      phone.isLost !== previous.isLost ||
      phone.isOptedOut !== previous.isOptedOut ||
      JSON.stringify(phone.fares) !== JSON.stringify(previous.statuses)
    if (!hasChanged && phones[phone.channel]) continue
    isNew = true
    for (const { number } of received) sent = Math.max(sent, number)
    for (const { number } of performed) acts = Math.max(acts, number)
    const { isOffline, isLost, isOptedOut, fares: statuses } = phone
    const newItems: Item[] = [
      ...received.map(({ number, at, providerId, body }) => ({ kind: 'sent' as const, number, at, providerId, body })),
      ...performed.map(({ number, at, act }) => ({ kind: 'done' as const, number, at, act })),
      ...failedIn(statuses, previous.statuses),
      ...newRefusals,
    ]
    const items = [...previous.items, ...newItems].sort((a, b) => a.at - b.at)
    phones[phone.channel] = { items, statuses, isOffline, isLost, isOptedOut }
  }
  return isNew ? { phones, chat: updates.chat, sent, acts } : state
}

function failedIn(statuses: readonly MessageStatus[], previous: readonly MessageStatus[]): Item[] {
  const knownIds = new Set(previous.filter(({ state }) => state === 'failed').map(({ messageId }) => messageId))
  return statuses
    .filter(
      ({ state, providerIds, messageId }) => state === 'failed' && providerIds.length === 0 && !knownIds.has(messageId),
    )
    .map(({ messageId, at }) => ({ kind: 'failed', at, messageId }))
}

function newlyRefused(refused: readonly RefusedMessage[], items: readonly Item[]): Item[] {
  const knownIds = new Set(items.flatMap((item) => (item.kind === 'refused' ? [item.number] : [])))
  return refused.filter(({ number }) => !knownIds.has(number)).map((each) => ({ kind: 'refused', ...each }))
}

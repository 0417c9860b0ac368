/** What a candidate of the roundtrip scenario and the process of its people and webhook say to each other. */
import type { Phones } from '../messages/phones.js'

export type WorldRequest =
  | { readonly ask: 'introduce'; readonly phones: Phones; readonly people: number }
  | { readonly ask: 'talk'; readonly phones: Phones; readonly talk: Talk }

export interface Talk {
  readonly seconds: number
  readonly people: number
  /** One of them has a webhook that takes its time, and writes again some time after each answer. */
  readonly hasSlowOne: boolean
}

export interface Trip {
  readonly trip: number
  /** How long the webhook had it. */
  readonly webhookMs: number
  /** It began while the slow one waited for its webhook. */
  readonly isBesideSlow: boolean
}

export interface TalkResult {
  /** Each trip of those who are not slow. */
  readonly trips: readonly Trip[]
  readonly failures: Readonly<Record<string, number>>
}

export type WorldResponse =
  | { readonly answer: 'listening'; readonly port: number }
  | { readonly answer: 'introduced' }
  | { readonly answer: 'talked'; readonly talked: TalkResult }
  | { readonly answer: 'failed'; readonly why: string }

/** What a person says on a trip, and what the agent answers: both tell which trip it is. */
export const question = (trip: number) => `Where is order ${trip}?`
export const reply = (trip: number) => `Order ${trip} is on its way.`

export function tripIn(text: string): number | undefined {
  const [, trip] = /order (\d+)/i.exec(text) ?? []
  return trip === undefined ? undefined : Number(trip)
}

export const itemOf = (trip: number) => `trip-${trip}`
export function tripOf(itemId: string): number | undefined {
  return itemId.startsWith('trip-') ? Number(itemId.slice('trip-'.length)) : undefined
}

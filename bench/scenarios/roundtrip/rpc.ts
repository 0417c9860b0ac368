/** The messages between a roundtrip candidate and the process of its people and webhook. */
import type { Phones } from '../messages/phones.js'

export type WorldRequest =
  | { readonly ask: 'introduce'; readonly phones: Phones; readonly people: number }
  | { readonly ask: 'talk'; readonly phones: Phones; readonly talk: Talk }

export interface Talk {
  readonly seconds: number
  readonly people: number
  /** One person has a slow webhook, and writes again some time after each answer. */
  readonly hasSlowOne: boolean
}

export interface Trip {
  readonly trip: number
  /** The webhook's time. */
  readonly webhookMs: number
  /** The trip began while the slow person waited for their webhook. */
  readonly isBesideSlow: boolean
}

export interface TalkResult {
  /** The trips of all but the slow person. */
  readonly trips: readonly Trip[]
  readonly failures: Readonly<Record<string, number>>
}

export type WorldResponse =
  | { readonly answer: 'listening'; readonly port: number }
  | { readonly answer: 'introduced' }
  | { readonly answer: 'talked'; readonly talked: TalkResult }
  | { readonly answer: 'failed'; readonly why: string }

/** Texts of a person and of the agent; both name their trip. */
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

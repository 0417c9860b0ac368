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

export interface RoundTrip {
  readonly roundTrip: number
  /** The webhook's time. */
  readonly webhookMs: number
  /** The trip began while the slow person waited for their webhook. */
  readonly isDuringSlow: boolean
}

export interface TalkResult {
  /** The trips of all but the slow person. */
  readonly roundTrips: readonly RoundTrip[]
  readonly failures: Readonly<Record<string, number>>
}

export type WorldResponse =
  | { readonly answer: 'listening'; readonly port: number }
  | { readonly answer: 'introduced' }
  | { readonly answer: 'talked'; readonly result: TalkResult }
  | { readonly answer: 'failed'; readonly why: string }

/** Texts of a person and of the agent; both name their trip. */
export const question = (roundTrip: number) => `Where is order ${roundTrip}?`
export const reply = (roundTrip: number) => `Order ${roundTrip} is on its way.`

export function roundTripIn(text: string): number | undefined {
  const [, roundTrip] = /order (\d+)/i.exec(text) ?? []
  return roundTrip === undefined ? undefined : Number(roundTrip)
}

export const itemOf = (roundTrip: number) => `trip-${roundTrip}`
export function roundTripOf(itemId: string): number | undefined {
  return itemId.startsWith('trip-') ? Number(itemId.slice('trip-'.length)) : undefined
}

/** Outcomes of a hand-over to a provider. */
import type { LogNote } from '../catalogs/logevents.js'
import type { DeviceReport } from './device.js'

/** What the provider answered, or why Parley could not ask it. */
export type DeliveryOutcome = ProviderAnswer & DeviceReport & WithLogNotes

/** Lines of the agent's log about the hand-over: kept with a message that was sent, else written at once. */
interface WithLogNotes {
  readonly notes?: readonly LogNote[]
}

type ProviderAnswer =
  | {
      readonly kind: 'sent'
      readonly providerIds: readonly string[]
      /** Numbers that the person reads, where they are not those that were expected when the message was taken. */
      readonly numbered?: readonly number[]
    }
  | {
      readonly kind: 'refused'
      /** Pieces that went out before one did not: they are not sent again. */
      readonly providerIds?: readonly string[]
      readonly reason: string
      readonly detail?: string
      /** Whether asking the same again could help, another channel could, or nothing. */
      readonly retry: 'later' | 'otherChannel' | 'never'
      /** How long the provider asks to wait. */
      readonly retryAfterMs?: number
      /** The provider may have it. `last`: it was handed over for the last time. */
      readonly isUnknown?: true | 'last'
      /** The provider was asked and does not have what an earlier try may have handed over. */
      readonly isAbsent?: true
    }

/** It was not handed over: its disclaimer goes before it, or its campaign stands still. */
export type NotSent =
  | { readonly kind: 'disclaimerRequired' }
  | { readonly kind: 'withheld'; readonly providerIds?: readonly string[] }

/** Outcomes of handing a message over to a provider. */
import type { LogNote } from '../catalogs/logevents.js'
import type { DeviceReport } from './device.js'

/** What the provider answered, or why Parley could not ask it. */
export type DeliveryOutcome = ProviderAnswer & DeviceReport & WithLogNotes

/** Log lines about the hand-over: stored with a message that was sent, otherwise written at once. */
interface WithLogNotes {
  readonly notes?: readonly LogNote[]
}

type ProviderAnswer =
  | {
      readonly kind: 'sent'
      readonly providerIds: readonly string[]
      /** Numbers that the person reads, if they differ from those expected when the message was accepted. */
      readonly numbered?: readonly number[]
    }
  | {
      readonly kind: 'refused'
      /** Pieces that went out before one failed: they are not sent again. */
      readonly providerIds?: readonly string[]
      readonly reason: string
      readonly detail?: string
      /** Whether the same message could succeed later, on another channel, or never. */
      readonly retry: 'later' | 'otherChannel' | 'never'
      /** How long the provider asks to wait. */
      readonly retryAfterMs?: number
      /** The provider may have the message. `last`: it was handed over for the last time. */
      readonly isUnknown?: true | 'last'
      /** Parley held it back after a STOP. It says nothing of the person, who may have opted in since. */
      readonly isHeldBack?: true
      /** The provider was asked and does not have what an earlier attempt may have handed over. */
      readonly isAbsent?: true
    }

/** The message was not handed over: its disclaimer must go first, or its campaign is paused. */
export type NotSent =
  | { readonly kind: 'disclaimerRequired' }
  | { readonly kind: 'withheld'; readonly providerIds?: readonly string[] }

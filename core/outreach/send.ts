/** A send: one opening of an outreach to one person, from its acceptance to its end, explainable for half a year. */
import type { ChannelName } from '../channelnames.js'

export const sendOrigins = ['named', 'automated', 'campaign'] as const
export type SendOrigin = (typeof sendOrigins)[number]

export const sendStates = ['queued', 'sending', 'sent', 'failed', 'suppressed', 'cancelled'] as const
export type SendState = (typeof sendStates)[number]
export const finalStates = ['sent', 'failed', 'suppressed', 'cancelled'] as const satisfies readonly SendState[]

export const sendReasons = [
  'no_channel_identity',
  'no_binding',
  'not_rcs_capable',
  'capability_unknown',
  'dispatch_failed',
  'delivery_failed',
  'opted_out',
  'no_consent',
  'frequency_capped',
  'template_blocked',
  'outside_safe_hours',
  'missing_inputs',
  'outreach_unavailable',
  'binding_error',
  'no_route',
] as const
export type SendReason = (typeof sendReasons)[number]

export interface Send {
  /** Begins with the time of its acceptance, so sends are in that order by their ids. */
  readonly id: string
  readonly outreachId: string
  readonly origin: SendOrigin
  readonly campaignId?: string
  readonly automatedOutreachId?: string
  readonly personId: string
  readonly state: SendState
  readonly reason?: SendReason
  readonly detail?: string
  /** The identity it goes to, fixed on acceptance. */
  readonly asid: string
  readonly channel: ChannelName
  readonly address: string
  readonly messageId?: string
  readonly queuedAt: number
  readonly sentAt?: number
  readonly failedAt?: number
  readonly cancelledAt?: number
  readonly respondedAt?: number
  /** How often it was handed to its conversation. */
  readonly attempts: number
  readonly nextAttemptAt?: number
  /** While it is queued: why nothing was tried, although it was its turn. */
  readonly deferredFor?: 'in-conversation' | 'binding_error'
  /** When receipts came, each the first time; absent while the message was never taken over. */
  readonly receipts?: {
    readonly sentAt?: number
    readonly deliveredAt?: number
    readonly readAt?: number
    readonly failedAt?: number
    readonly failReason?: string
  }
  readonly consent?: {
    readonly claimed: 'yes' | 'none'
    readonly recorded: 'granted' | 'unknown' | 'new'
    readonly evidence?: string
    readonly capturedAt?: string
    readonly source?: string
  }
  /** Values of this send alone that the opening is written with, beside those on the person. */
  readonly inputs?: Readonly<Record<string, string>>
  /** The send whose silence it follows up on. */
  readonly followUpOf?: string
  readonly sandbox?: true
}

/**
 * A send: one opener of an outreach to one person, from acceptance to its end. Its record is stored for half a year.
 */
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
  /** Starts with the time of acceptance, so sends sort by id in that order. */
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
  /** How often it was dispatched to its conversation. */
  readonly attempts: number
  readonly nextAttemptAt?: number
  /** While it is queued: why it was due and not attempted. */
  readonly deferredFor?: 'in-conversation' | 'binding_error'
  /** The time of the first receipt of each kind; absent while the message was never handed to the provider. */
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
  /** Values of this send alone for its opener, beside the person's. */
  readonly inputs?: Readonly<Record<string, string>>
  /** The send without an answer that it follows up on. */
  readonly followUpOf?: string
  readonly sandbox?: true
}

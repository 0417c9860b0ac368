/** One recipient of a campaign: the result of their staging, and a status that follows from their send alone. */
import type { ChannelName } from '../channelnames.js'
import type { Send, SendReason } from '../outreach/send.js'
import { type CampaignStatus, isFinished } from './status.js'

export const recipientStates = [
  'pending',
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'suppressed',
  'cancelled',
  'excluded',
] as const
export type RecipientState = (typeof recipientStates)[number]

export type RecipientReason = SendReason | 'previously_contacted' | 'in-conversation'

/** Why a campaign excludes a person, in the order of the checks: the first that holds is recorded. */
export const exclusions = [
  'noConsent',
  'previouslyContacted',
  'frequencyGated',
  'noChannelIdentity',
  'channelUnresolved',
  'templateBlocked',
  'optedOut',
] as const
export type Exclusion = (typeof exclusions)[number]

/** The reason in a recipient's row for each exclusion, in the words that sends use. */
export const reasonOfExclusion: Readonly<Record<Exclusion, RecipientReason>> = {
  noConsent: 'no_consent',
  previouslyContacted: 'previously_contacted',
  frequencyGated: 'frequency_capped',
  noChannelIdentity: 'no_channel_identity',
  channelUnresolved: 'no_binding',
  templateBlocked: 'template_blocked',
  optedOut: 'opted_out',
}

/** A stored recipient: nothing that its send or its campaign already stores. */
export interface Recipient {
  readonly personId: string
  /** Sandbox only: the persona that the person plays. */
  readonly personaId?: string
  readonly asid?: string
  readonly channel?: ChannelName
  readonly exclusion?: Exclusion
  readonly detail?: string
  /** Only in rows from before dispatches were stored apart from rows. */
  readonly sendId?: string
}

export interface RecipientStatus {
  readonly state: RecipientState
  readonly reason?: RecipientReason
}

/** Whether a message may still go out to them. */
export function isOpenState(state: RecipientState): boolean {
  return state === 'pending' || state === 'queued' || state === 'sending'
}

/** The status of a recipient by their send: receipts promote it, and a read message counts as read only. */
export function recipientStatusOf(send: Pick<Send, 'state' | 'reason' | 'receipts' | 'deferredFor'>): RecipientStatus {
  const { state, reason, receipts, deferredFor } = send
  if (isOpenState(state as RecipientState)) return deferredFor ? { state, reason: deferredFor } : { state }
  if (state !== 'sent') return reason ? { state, reason } : { state }
  if (receipts?.readAt !== undefined) return { state: 'read' }
  if (receipts?.deliveredAt !== undefined) return { state: 'delivered' }
  return receipts?.failedAt === undefined ? { state } : { state: 'failed', reason: 'delivery_failed' }
}

/** The status of a recipient without a send: excluded, pending, or cancelled because the campaign is over. */
export function statusWithoutSend(
  { exclusion }: Pick<Recipient, 'exclusion'>,
  campaign: { readonly status: CampaignStatus; readonly failReason?: SendReason },
): RecipientStatus {
  if (exclusion) return { state: 'excluded', reason: reasonOfExclusion[exclusion] }
  return isFinished(campaign.status) ? cancelledStatus(campaign.failReason) : { state: 'pending' }
}

/** The status of recipients who will get no send. */
export function cancelledStatus(failReason: SendReason | undefined): RecipientStatus {
  return failReason ? { state: 'cancelled', reason: failReason } : { state: 'cancelled' }
}

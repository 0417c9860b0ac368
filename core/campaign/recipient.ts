/** One recipient of a campaign: how they were staged, and what has become of them, which their send alone says. */
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

/** Why a campaign leaves a person out, in the order of the checks: the first one that holds is recorded. */
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

/** The reason of a recipient's row for each exclusion, in the words that sends use. */
export const reasonOfExclusion: Readonly<Record<Exclusion, RecipientReason>> = {
  noConsent: 'no_consent',
  previouslyContacted: 'previously_contacted',
  frequencyGated: 'frequency_capped',
  noChannelIdentity: 'no_channel_identity',
  channelUnresolved: 'no_binding',
  templateBlocked: 'template_blocked',
  optedOut: 'opted_out',
}

/** As it is kept: nothing in it says twice what its send or its campaign says. */
export interface Recipient {
  readonly personId: string
  /** Of a rehearsal: whom the person plays. */
  readonly personaId?: string
  readonly asid?: string
  readonly channel?: ChannelName
  readonly exclusion?: Exclusion
  readonly detail?: string
  /** Of one whose turn came before turns were kept apart from rows. */
  readonly sendId?: string
}

export interface RecipientStatus {
  readonly state: RecipientState
  readonly reason?: RecipientReason
}

/** Something may still go out to them. */
export function isOpenState(state: RecipientState): boolean {
  return state === 'pending' || state === 'queued' || state === 'sending'
}

/** What a send says of its recipient: receipts promote it, and what was read counts as read alone. */
export function statusOfSend(send: Pick<Send, 'state' | 'reason' | 'receipts' | 'deferredFor'>): RecipientStatus {
  const { state, reason, receipts, deferredFor } = send
  if (isOpenState(state as RecipientState)) return deferredFor ? { state, reason: deferredFor } : { state }
  if (state !== 'sent') return reason ? { state, reason } : { state }
  if (receipts?.readAt !== undefined) return { state: 'read' }
  if (receipts?.deliveredAt !== undefined) return { state: 'delivered' }
  return receipts?.failedAt === undefined ? { state } : { state: 'failed', reason: 'delivery_failed' }
}

/** How somebody stands who has no send: left out, waiting for their turn, or past it because the campaign is over. */
export function statusWithoutSend(
  { exclusion }: Pick<Recipient, 'exclusion'>,
  campaign: { readonly status: CampaignStatus; readonly failReason?: SendReason },
): RecipientStatus {
  if (exclusion) return { state: 'excluded', reason: reasonOfExclusion[exclusion] }
  return isFinished(campaign.status) ? cancelledStatus(campaign.failReason) : { state: 'pending' }
}

/** Of everybody whose turn does not come any more. */
export function cancelledStatus(failReason: SendReason | undefined): RecipientStatus {
  return failReason ? { state: 'cancelled', reason: failReason } : { state: 'cancelled' }
}

/** The life of a campaign: its table of statuses, and the one walk along it. */
import type { ErrorCode } from '../errors.js'

export const campaignStatuses = ['draft', 'staged', 'running', 'paused', 'completed', 'cancelled', 'failed'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

export const campaignTriggers = [
  'edit',
  'stage',
  'start',
  'pause',
  'resume',
  'cancel',
  /** A recipient came to their end. */
  'settle',
  /** Its outreach or its binding is gone. */
  'fail',
] as const
export type CampaignTrigger = (typeof campaignTriggers)[number]

export const campaignConditions = ['always', 'resolves', 'hasSendable', 'hasNoneOpen'] as const
export type CampaignCondition = (typeof campaignConditions)[number]

interface Move {
  readonly from: readonly CampaignStatus[]
  readonly on: CampaignTrigger
  readonly when: CampaignCondition
  readonly to: CampaignStatus
}

export const campaignMoves: readonly Move[] = [
  { from: ['draft', 'staged'], on: 'edit', when: 'always', to: 'draft' },
  { from: ['draft', 'staged'], on: 'stage', when: 'resolves', to: 'staged' },
  { from: ['staged'], on: 'start', when: 'hasSendable', to: 'running' },
  { from: ['running'], on: 'pause', when: 'always', to: 'paused' },
  { from: ['paused'], on: 'resume', when: 'always', to: 'running' },
  { from: ['draft', 'staged', 'running', 'paused'], on: 'cancel', when: 'always', to: 'cancelled' },
  { from: ['running'], on: 'settle', when: 'hasNoneOpen', to: 'completed' },
  { from: ['running'], on: 'fail', when: 'always', to: 'failed' },
]

/** Undefined where the table has no such move, or its condition does not hold: then nothing happens. */
export function campaignMoved(
  from: CampaignStatus,
  on: CampaignTrigger,
  holds: (condition: CampaignCondition) => boolean = () => true,
): CampaignStatus | undefined {
  const move = moveOf(from, on)
  return move && (move.when === 'always' || holds(move.when)) ? move.to : undefined
}

function moveOf(from: CampaignStatus, on: CampaignTrigger): Move | undefined {
  return campaignMoves.find((move) => move.on === on && move.from.includes(from))
}

/** Whether the table knows the trigger there, whatever its condition says. */
export function mayCampaign(from: CampaignStatus, on: CampaignTrigger): boolean {
  return moveOf(from, on) !== undefined
}

/** Nothing leads on from there. */
export function isOver(status: CampaignStatus): boolean {
  return !campaignMoves.some(({ from }) => from.includes(status))
}

/** While it sends, or may go on sending, its record is not taken away. */
export function isDeletable(status: CampaignStatus): boolean {
  return !mayCampaign(status, 'pause') && !mayCampaign(status, 'resume')
}

/** What whoever asks for a move that the table has not is answered. */
export const refusalOf: Readonly<Partial<Record<CampaignTrigger, ErrorCode>>> = {
  edit: 'agent.campaign.immutable',
  stage: 'agent.campaign.immutable',
}
export const wrongStatus: ErrorCode = 'agent.campaign.state_conflict'

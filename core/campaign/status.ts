/** State machine of a campaign: its table of transitions. */
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
  /** A recipient is finished. */
  'complete',
  /** Its outreach or its binding was deleted. */
  'fail',
] as const
export type CampaignTrigger = (typeof campaignTriggers)[number]

export const campaignConditions = ['always', 'resolves', 'hasSendable', 'hasNoneOpen'] as const
export type CampaignCondition = (typeof campaignConditions)[number]

interface Transition {
  readonly from: readonly CampaignStatus[]
  readonly on: CampaignTrigger
  readonly when: CampaignCondition
  readonly to: CampaignStatus
}

export const campaignTransitions: readonly Transition[] = [
  { from: ['draft', 'staged'], on: 'edit', when: 'always', to: 'draft' },
  { from: ['draft', 'staged'], on: 'stage', when: 'resolves', to: 'staged' },
  { from: ['staged'], on: 'start', when: 'hasSendable', to: 'running' },
  { from: ['running'], on: 'pause', when: 'always', to: 'paused' },
  { from: ['paused'], on: 'resume', when: 'always', to: 'running' },
  { from: ['draft', 'staged', 'running', 'paused'], on: 'cancel', when: 'always', to: 'cancelled' },
  { from: ['running'], on: 'complete', when: 'hasNoneOpen', to: 'completed' },
  { from: ['running'], on: 'fail', when: 'always', to: 'failed' },
]

/** Undefined when the table has no such transition or its condition does not hold: then nothing happens. */
export function nextCampaignStatus(
  from: CampaignStatus,
  on: CampaignTrigger,
  isMet: (condition: CampaignCondition) => boolean = () => true,
): CampaignStatus | undefined {
  const transition = findTransition(from, on)
  return transition && (transition.when === 'always' || isMet(transition.when)) ? transition.to : undefined
}

function findTransition(from: CampaignStatus, on: CampaignTrigger): Transition | undefined {
  return campaignTransitions.find((transition) => transition.on === on && transition.from.includes(from))
}

/** Whether the table has the transition, regardless of its condition. */
export function mayTransition(from: CampaignStatus, on: CampaignTrigger): boolean {
  return findTransition(from, on) !== undefined
}

/** Whether no transition leads out of the status. */
export function isFinished(status: CampaignStatus): boolean {
  return !campaignTransitions.some(({ from }) => from.includes(status))
}

/** A campaign that sends, or may resume, must not be deleted. */
export function isDeletable(status: CampaignStatus): boolean {
  return !mayTransition(status, 'pause') && !mayTransition(status, 'resume')
}

/** The error for a transition that the table does not have. */
export const refusalByTrigger: Readonly<Partial<Record<CampaignTrigger, ErrorCode>>> = {
  edit: 'agent.campaign.immutable',
  stage: 'agent.campaign.immutable',
}
export const statusConflict: ErrorCode = 'agent.campaign.state_conflict'

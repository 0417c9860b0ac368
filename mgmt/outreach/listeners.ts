/** Listener interfaces of sends for later areas, called in commits of the agent's shard. */
import type { AgentIncarnation } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import type { DeliveryReport } from '../../core/conversation/deliveryreport.js'
import type { Send } from '../../core/outreach/send.js'
import type { CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'

export type SendListener = (tx: Tx, agent: AgentIncarnation, before: Send, after: Send, meta: CommandMeta) => void

/** Returns true if the report belongs to this listener. */
export type UnmatchedReportListener = (tx: Tx, agent: AgentIncarnation, report: DeliveryReport) => boolean

/** A record that refers to an outreach and forbids its deletion. */
export interface OutreachReferrer {
  readonly kind: 'campaign' | 'automatedOutreach'
  readonly id: string
  readonly name: string
  readonly status?: string
}
export type ReferrersOf = (reader: Reader, agent: AgentRef, outreachId: string) => readonly OutreachReferrer[]

/** Decides about queued sends of campaigns and about follow-ups on them. */
export interface CampaignGate {
  /** `whenResumed`: the send leaves the queue until its campaign is resumed. */
  mayDispatch(
    reader: Reader,
    agent: AgentIncarnation,
    send: Pick<Send, 'campaignId' | 'followUpOf'>,
  ): 'now' | 'whenResumed' | 'never'
  /** Records a follow-up that waits, or a send whose follow-up waits; the campaign resumes or cancels it. */
  recordWaiting(tx: Tx, agent: AgentIncarnation, send: Send): void
}

export interface SendListeners {
  readonly changed: SendListener[]
  readonly unmatched: UnmatchedReportListener[]
  readonly referrers: ReferrersOf[]
  campaigns?: CampaignGate
}

/** What sends tell later areas, and what they ask of them, in the commits of the agent's shard. */
import type { AgentIncarnation } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import type { DeliveryReport } from '../../core/conversation/deliveryreport.js'
import type { Send } from '../../core/outreach/send.js'
import type { CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'

export type SendListener = (tx: Tx, agent: AgentIncarnation, before: Send, after: Send, meta: CommandMeta) => void

/** Whether the report was about something of this listener's. */
export type UnmatchedReportListener = (tx: Tx, agent: AgentIncarnation, report: DeliveryReport) => boolean

/** A record that names an outreach and would be left naming nothing. */
export interface OutreachReferrer {
  readonly kind: 'campaign' | 'automatedOutreach'
  readonly id: string
  readonly name: string
  readonly status?: string
}
export type ReferrersOf = (reader: Reader, agent: AgentRef, outreachId: string) => readonly OutreachReferrer[]

/** What a campaign decides about its sends, and about follow-ups on them, that wait in the queue. */
export interface CampaignGate {
  /** A send that may leave when its campaign is resumed rests outside of the queue until then. */
  mayDispatch(
    reader: Reader,
    agent: AgentIncarnation,
    send: Pick<Send, 'campaignId' | 'followUpOf'>,
  ): 'now' | 'whenResumed' | 'never'
  /** Notes that a follow-up rests, or that the one of this send does: the campaign resumes it, or cancels it. */
  recordWaiting(tx: Tx, agent: AgentIncarnation, send: Send): void
}

export interface SendListeners {
  readonly changed: SendListener[]
  readonly unmatched: UnmatchedReportListener[]
  readonly referrers: ReferrersOf[]
  campaigns?: CampaignGate
}

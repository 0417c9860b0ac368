/** The planning of a turn: what it reads and what it answers, as plain data. */
import type { ContentMessage } from '../amf/index.js'
import type { ChannelName } from '../channelnames.js'
import type { ConversationStart } from '../conversation/state.js'
import type { Reader } from '../render/contract.js'
import type { ToolCall, ToolOutcome } from '../tools/contract.js'
import type { Play } from './play.js'
import type { TurnSubject } from './port.js'
import type { PreparedAgent } from './prepare.js'
import type { TurnRecord } from './record.js'
import type { Trigger } from './trigger.js'

export interface PlanInput {
  readonly prepared: PreparedAgent
  readonly subject: Omit<TurnSubject, 'document'>
  readonly channel: ChannelName
  /** What the conversation remembers; absent before its first turn. */
  readonly before?: Play
  /** How the agent opened the conversation that this turn continues. */
  readonly start?: ConversationStart
  readonly came: Came
  readonly now: number
  readonly reader: Reader
  /** The zone in which the person reads and writes times. */
  readonly zone: string
  /** Outcomes of reads for this plan, by `keyOfCall`. */
  readonly reads: ReadonlyMap<string, ToolOutcome>
}

export type Came =
  | { readonly kind: 'events'; readonly trigger: Trigger }
  /** The outcome of the call that the last step asked for. */
  | {
      readonly kind: 'outcome'
      readonly call: ToolCall
      readonly outcome: ToolOutcome
    }

export type Plan =
  /** Plan again with the outcome of the call among `reads`. */
  { readonly kind: 'read'; readonly call: ToolCall } | PlannedStep

export interface PlannedStep {
  readonly kind: 'step'
  readonly messages: readonly ContentMessage[]
  readonly play: Play
  /** What the turn waits for after this step; absent: it has ended. */
  readonly call?: ToolCall
  readonly findings: Findings
}

/** The part of the record that a plan decides. */
export type Findings = Pick<TurnRecord, 'playbook' | 'found' | 'outcomes' | 'warnings' | 'trace'> &
  Pick<TurnRecord, 'flow' | 'goal'>

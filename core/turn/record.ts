/** The record of a turn: what came, what was decided and why, what was said and done, and how long each took. */
import type { ChannelName } from '../channelnames.js'
import type { Directive } from '../sandbox/directive.js'
import type { CapturedEffect, ToolOutcome } from '../tools/contract.js'

/** Every warning that a turn may have. `disclaimer.added` informs and does not count as one. */
export const warningCodes = [
  'model.absent',
  'model.retried',
  'model.failed',
  'model.cut',
  'model.malformed',
  'aml.repaired',
  'aml.stripped',
  'tool.refused',
  'tool.failed',
  'tool.unknown',
  'tool.unavailable',
  'rule.blocked',
  'rule.flagged',
  'fact.restored',
  'disclaimer.added',
  'ground.removed',
  'ground.unseen',
  'template.blocked',
  'flow.stuck',
  'flow.slot.exhausted',
  'flow.missing',
  'budget.calls',
  'budget.tools',
  'turn.deadline',
] as const
export type WarningCode = (typeof warningCodes)[number]

export interface TurnWarning {
  readonly code: WarningCode
  readonly message: string
}

export const triggerKinds = ['message', 'result', 'started', 'quiet'] as const

export interface TurnTrigger {
  readonly kind: (typeof triggerKinds)[number]
  readonly eventIds: readonly string[]
  /** What the person wrote or tapped, cut to a bound. */
  readonly text?: string
  readonly directive?: Directive
  /** The conversation was opened by an outreach, a reminder or a link, and this is the answer to it. */
  readonly opening?: 'outreach' | 'reminder' | 'link'
}

/** `waiting`: from the event to the start of the turn. */
export interface TurnTimes {
  readonly total: number
  readonly waiting: number
  readonly gathering: number
  readonly model: number
  readonly tools: number
  readonly committing: number
}

export interface ToolCallRecord {
  readonly name: string
  readonly by: 'flow' | 'model'
  readonly state: ToolOutcome['state'] | 'pending'
  /** Masked like log lines. */
  readonly arguments: unknown
  readonly result?: unknown
  readonly reason?: string
  readonly ms?: number
  readonly key: string
}

export interface ModelCallRecord {
  readonly purpose: string
  readonly model: string
  readonly attempts: number
  readonly ms: number
  readonly firstMs?: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly promptHash: string
  readonly promptChars: number
  readonly error?: string
}

export interface TurnRecord {
  /** Names the person and the start, so a turn is found by its id alone. */
  readonly id: string
  readonly userId: string
  readonly sessionId: string
  readonly channel: ChannelName
  readonly test?: true
  readonly emulatedChannel?: ChannelName
  readonly personId?: string
  readonly state: 'open' | 'completed' | 'cut' | 'failed'
  /** Why it was cut: stopped (STOP), deadline, webhook (the agent has one now), agentGone. */
  readonly endedBy?: 'stopped' | 'deadline' | 'webhook' | 'agentGone' | 'superseded'
  readonly trigger: TurnTrigger
  readonly startedAt: number
  readonly endedAt?: number
  readonly took: TurnTimes
  readonly definition: { readonly digest: string; readonly updatedAt: number }
  readonly playbook: { readonly before?: string; readonly after?: string; readonly why: string }
  readonly flow?: {
    readonly from?: string
    readonly to?: string
    readonly outcome?: string
    /** Values of slots that are bound to a field of the person are masked. */
    readonly slots: Readonly<Record<string, unknown>>
  }
  readonly goal?: { readonly id: string; readonly from: 'playbook' | 'outreach' | 'default'; readonly reached?: true }
  readonly modelCalls: readonly ModelCallRecord[]
  readonly toolCalls: readonly ToolCallRecord[]
  readonly found: readonly {
    readonly kind: 'fact' | 'thing' | 'passage'
    readonly id: string
    readonly score: number
  }[]
  readonly rules: readonly { readonly ruleId: string; readonly action: 'block' | 'flag' }[]
  /** Ids of the messages that the conversation accepted, in order. */
  readonly messages: readonly string[]
  readonly effects: readonly CapturedEffect[]
  readonly outcomes: readonly string[]
  readonly warnings: readonly TurnWarning[]
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cacheReadTokens: number }
  readonly trace: readonly string[]
}

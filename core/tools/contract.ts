/** Tools: what an agent does besides talking. A call is plain data, and so is its outcome. */
import type { AgentRef } from '../agentref.js'
import type { ChannelName } from '../channelnames.js'

/**
 * `read` changes nothing and may be repeated at any time. `inside` is a command of the agent's shard: repeated under
 * its id it changes nothing. `outside` is a call to another system: its outcome may stay unknown.
 */
export type ToolKind = 'read' | 'inside' | 'outside'

export interface ToolCall {
  /** `scheduling.book`, `integration:<id>`, or `tool:<catalog id>`. */
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** Every `reason` is one English sentence without a secret; flows read it as `error`. */
export type ToolOutcome =
  | { readonly state: 'ok'; readonly result: unknown }
  /** The sandbox recorded what would have gone outside. */
  | { readonly state: 'captured'; readonly result: unknown }
  /** Nothing was done: arguments that do not fit, a tool that the playbook does not use, a time that is taken. */
  | { readonly state: 'refused'; readonly reason: string }
  /** The tool answered with an error, or was not reached: nothing was done. */
  | { readonly state: 'failed'; readonly reason: string }
  /** It is not known whether it was done. It is not repeated. */
  | { readonly state: 'unknown'; readonly reason: string }
  /** The turn ended before the call had its outcome. */
  | { readonly state: 'cancelled'; readonly reason: string }

export function isDone(outcome: ToolOutcome): outcome is Extract<ToolOutcome, { readonly result: unknown }> {
  return outcome.state === 'ok' || outcome.state === 'captured'
}

/** For whom a tool is called. */
export interface ToolContext {
  readonly agent: AgentRef
  readonly asid: string
  readonly channel: ChannelName
  /** The address on that channel: a person who is not known yet is created with it. */
  readonly address: string
  readonly sessionId: string
  readonly turnId: string
  /** The person's time zone as the turn knows it. */
  readonly zone: string
  /** The organisation's time zone, if it has one. */
  readonly orgZone?: string
  readonly sandbox?: true
}

/** What would have gone outside, as turn records show it. */
export interface CapturedEffect {
  /** `notify`, `mail`, `integration`, `tool` or `calendar`. */
  readonly kind: string
  /** One line. */
  readonly summary: string
  readonly payload?: unknown
  readonly at: number
}

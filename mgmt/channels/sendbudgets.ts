/** Send budgets: the rate at which bindings send in bulk, drawn from in commits of the agent's shard. */
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { Tx } from '../../runtime/shard/contract.js'

export interface BudgetDraw extends AgentRef {
  readonly channel: ChannelName
  readonly perSecond: number
  readonly count: number
}

export interface DrawnTimes {
  /** When each message may leave, in the order of the messages. */
  readonly leaveAt: readonly number[]
  /** When the message after them may leave. */
  readonly nextAt: number
}

export interface SendBudgets {
  /** Draws up to `count` times, none later than `until`. A time that is not used is lost to the binding. */
  draw(tx: Tx, draw: BudgetDraw, at: number, until?: number): DrawnTimes
  /** Removes the budgets of an agent, in the commit that deletes it. */
  remove(tx: Tx, agent: AgentRef): void
}

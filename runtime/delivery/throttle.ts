/**
 * The throttle: messages in bulk leave over a binding no faster than its provider accepts them. The agent's shard owns
 * the send budget of each binding. A sender draws times from the budget before it sends commands to conversations, and
 * delivery waits for the time of each message.
 */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { drawBudget, type SendBudget } from '../../core/channel/throttle.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { Refusal } from '../../core/errors.js'
import { bulk as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import type { Command, Query, Shards, Tx } from '../shard/contract.js'
import { table } from '../store/contract.js'

export interface BudgetDraw extends AgentRef {
  readonly channel: ChannelName
  readonly perSecond: number
  readonly count: number
}

const budgetTable = table<[orgId: string, agentId: string, channel: string], SendBudget>('throttle.budget')

/** Draws times from the budget in a command of the agent's shard: `count` of them, or those up to `until`. */
function drawFromBudget(tx: Tx, { orgId, agentId, channel, perSecond, count }: BudgetDraw, at: number, until?: number) {
  const key: [string, string, string] = [orgId, agentId, channel]
  const request = { perSecond, at, count, ...(until !== undefined && { until }) }
  const { budget, leaveAt } = drawBudget(tx.get(budgetTable, key), request)
  if (leaveAt.length > 0) tx.put(budgetTable, key, budget)
  return { leaveAt, nextAt: budget.nextAt }
}

/** Removes all budgets in the commit that deletes the agent. */
function remove(tx: Tx, { orgId, agentId }: AgentRef): void {
  for (const { key } of [...tx.range(budgetTable, { prefix: [orgId, agentId] })]) tx.remove(budgetTable, key)
}

/** Budget access for senders that draw in their own commits. */
export const sendBudgets = { draw: drawFromBudget, remove }

const draw: Command<BudgetDraw, readonly number[]> = {
  name: 'throttle.draw',
  decide: (tx, request, { at }) => drawFromBudget(tx, request, at).leaveAt,
}

/** Replies and direct sends do not wait; they use up budget while messages in bulk wait for it. */
const spend: Command<BudgetDraw, null> = {
  name: 'throttle.spend',
  decide(tx, request, { at }) {
    const budget = tx.get(budgetTable, [request.orgId, request.agentId, request.channel])
    if (budget && budget.nextAt > at) drawFromBudget(tx, request, at)
    return null
  },
}

type Binding = AgentRef & { readonly channel: ChannelName }

const isDrawn: Query<Binding & { readonly at: number }, boolean> = {
  name: 'throttle.isDrawn',
  read: (reader, { orgId, agentId, channel, at }) =>
    (reader.get(budgetTable, [orgId, agentId, channel])?.nextAt ?? 0) > at,
}

export const throttleModule = { commands: [draw, spend], queries: [isDrawn] }

export interface Throttle {
  /** Draws `count` times at which messages may leave. Times that are not used are lost to the binding. */
  draw(binding: Binding, perSecond: number, count: number): Promise<readonly number[] | Refusal>
  /** Reports a message that left without waiting. The count is charged to the budget at most once a second. */
  spend(binding: Binding, perSecond: number): void
  /** Resolves at that time; rejects when the signal fires first. */
  waitUntil(leaveAt: number, signal: AbortSignal): Promise<void>
}

export interface ThrottleOptions {
  readonly shards: Shards
  readonly clock: Pick<Clock, 'now' | 'setTimer'>
}

export function createThrottle({ shards, clock }: ThrottleOptions): Throttle {
  /** Messages that left without waiting and are not reported yet, by binding. */
  const unreported = new Map<string, number>()
  /** One timer for all messages with the same time; they resolve in the order in which they began to wait. */
  const timers = new Map<number, Promise<void>>()

  function report(binding: Binding, perSecond: number, key: string): void {
    const { orgId, agentId, channel } = binding
    const count = unreported.get(key) ?? 0
    unreported.delete(key)
    const request = { orgId, agentId, channel, perSecond, count }
    // A lost count makes messages in bulk faster once, by that many messages.
    shards.execute(formatAgentKey(binding), spend, request).catch(() => undefined)
  }

  function timerAt(leaveAt: number): Promise<void> {
    const existing = timers.get(leaveAt)
    if (existing) return existing
    const timer = new Promise<void>((resolve) => {
      clock.setTimer(leaveAt, () => {
        timers.delete(leaveAt)
        resolve()
      })
    })
    timers.set(leaveAt, timer)
    return timer
  }

  return {
    draw: ({ orgId, agentId, channel }, perSecond, count) =>
      shards.execute(formatAgentKey({ orgId, agentId }), draw, { orgId, agentId, channel, perSecond, count }),

    spend(binding, perSecond) {
      const { orgId, agentId, channel } = binding
      const request = { orgId, agentId, channel, at: clock.now() }
      if (shards.queryLocal?.(formatAgentKey(binding), isDrawn, request) === false) return
      const key = `${formatAgentKey(binding)} ${channel}`
      const count = unreported.get(key)
      unreported.set(key, (count ?? 0) + 1)
      if (count === undefined) clock.setTimer(clock.now() + limits.reportEveryMs, () => report(binding, perSecond, key))
    },

    async waitUntil(leaveAt, signal) {
      // A time further ahead was drawn before the clock was set back.
      const at = Math.min(leaveAt, clock.now() + limits.sendQueueMs)
      if (at <= clock.now()) return
      signal.throwIfAborted()
      let abort = () => {}
      const aborted = new Promise<never>((_resolve, reject) => {
        abort = () => reject(signal.reason)
      })
      signal.addEventListener('abort', abort, { once: true })
      await Promise.race([timerAt(at), aborted]).finally(() => signal.removeEventListener('abort', abort))
    },
  }
}

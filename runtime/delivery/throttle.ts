/**
 * The throttle: messages in bulk leave over a binding no faster than its provider takes them. The agent's shard owns the
 * budget of each of its bindings. A sender draws times from it before it hands messages to conversations, and a message
 * waits for its time where it is handed over.
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

/** Takes times from the budget in a command of the agent's shard: as many as were asked for, or as may leave by `waitUntil`. */
function take(tx: Tx, { orgId, agentId, channel, perSecond, count }: BudgetDraw, at: number, until?: number) {
  const key: [string, string, string] = [orgId, agentId, channel]
  const request = { perSecond, at, count, ...(until !== undefined && { until }) }
  const { budget, leaveAt } = drawBudget(tx.get(budgetTable, key), request)
  if (leaveAt.length > 0) tx.put(budgetTable, key, budget)
  return { leaveAt, nextAt: budget.nextAt }
}

/** For the commit that deletes the agent. */
function remove(tx: Tx, { orgId, agentId }: AgentRef): void {
  for (const { key } of [...tx.range(budgetTable, { prefix: [orgId, agentId] })]) tx.remove(budgetTable, key)
}

/** The budgets for senders that draw in commits of their own. */
export const sendBudgets = { draw: take, remove }

const draw: Command<BudgetDraw, readonly number[]> = {
  name: 'throttle.draw',
  decide: (tx, request, { at }) => take(tx, request, at).leaveAt,
}

/** Replies and direct sends do not wait; while bulk is under way, bulk waits for them instead. */
const spend: Command<BudgetDraw, null> = {
  name: 'throttle.spend',
  decide(tx, request, { at }) {
    const budget = tx.get(budgetTable, [request.orgId, request.agentId, request.channel])
    if (budget && budget.nextAt > at) take(tx, request, at)
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
  /** When each of so many messages may leave. Times that are not used are lost to the binding. */
  draw(binding: Binding, perSecond: number, count: number): Promise<readonly number[] | Refusal>
  /** A message leaves that did not wait. It is counted against the budget once a second at most. */
  spend(binding: Binding, perSecond: number): void
  /** Resolves at that time; rejects when the signal fires before. */
  waitUntil(leaveAt: number, signal: AbortSignal): Promise<void>
}

export interface ThrottleOptions {
  readonly shards: Shards
  readonly clock: Pick<Clock, 'now' | 'setTimer'>
}

export function createThrottle({ shards, clock }: ThrottleOptions): Throttle {
  /** Messages that left without waiting since the last command, by binding. */
  const unreported = new Map<string, number>()
  /** One timer for all messages of a step, resolved in the order in which they began to wait. */
  const timers = new Map<number, Promise<void>>()

  function report(binding: Binding, perSecond: number, key: string): void {
    const { orgId, agentId, channel } = binding
    const count = unreported.get(key) ?? 0
    unreported.delete(key)
    const request = { orgId, agentId, channel, perSecond, count }
    // A count that is lost makes bulk faster by that many messages, once.
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
      // A time further ahead was written before the clock was set back.
      const at = Math.min(leaveAt, clock.now() + limits.soonMs)
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

/**
 * The throttle: messages in bulk leave over a binding no faster than its provider takes them. The agent's shard owns the
 * budget of each of its bindings. A sender draws times from it before it hands messages to conversations, and a message
 * waits for its time where it is handed over.
 */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { drawFrom, type SendBudget } from '../../core/channel/throttle.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { Refusal } from '../../core/errors.js'
import { bulk as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { Command, Query, Shards, Tx } from '../shard/contract.js'
import { table } from '../store/contract.js'

export interface Draw extends AgentPlace {
  readonly channel: ChannelName
  readonly perSecond: number
  readonly count: number
}

const budgetTable = table<[orgId: string, agentId: string, channel: string], SendBudget>('throttle.budget')

/** Takes times from the budget in a command of the agent's shard: as many as were asked for, or as may leave by `until`. */
function take(tx: Tx, { orgId, agentId, channel, perSecond, count }: Draw, at: number, until?: number) {
  const key: [string, string, string] = [orgId, agentId, channel]
  const asked = { perSecond, at, count, ...(until !== undefined && { until }) }
  const { budget, leaveAt } = drawFrom(tx.get(budgetTable, key), asked)
  if (leaveAt.length > 0) tx.put(budgetTable, key, budget)
  return { leaveAt, nextAt: budget.nextAt }
}

/** For the commit that deletes the agent. */
function remove(tx: Tx, { orgId, agentId }: AgentPlace): void {
  for (const { key } of [...tx.range(budgetTable, { prefix: [orgId, agentId] })]) tx.remove(budgetTable, key)
}

/** The budgets for senders that draw in commits of their own. */
export const sendBudgets = { take, remove }

const draw: Command<Draw, readonly number[]> = {
  name: 'throttle.draw',
  decide: (tx, asked, { at }) => take(tx, asked, at).leaveAt,
}

/** Replies and direct sends do not wait; while bulk is under way, bulk waits for them instead. */
const spend: Command<Draw, null> = {
  name: 'throttle.spend',
  decide(tx, asked, { at }) {
    const budget = tx.get(budgetTable, [asked.orgId, asked.agentId, asked.channel])
    if (budget && budget.nextAt > at) take(tx, asked, at)
    return null
  },
}

type Binding = AgentPlace & { readonly channel: ChannelName }

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
  until(leaveAt: number, signal: AbortSignal): Promise<void>
}

export interface ThrottleOptions {
  readonly shards: Shards
  readonly clock: Pick<Clock, 'now' | 'wake'>
}

export function createThrottle({ shards, clock }: ThrottleOptions): Throttle {
  /** Messages that left without waiting since the last command, by binding. */
  const unreported = new Map<string, number>()
  /** One timer for all messages of a step, resolved in the order in which they began to wait. */
  const steps = new Map<number, Promise<void>>()

  function report(binding: Binding, perSecond: number, key: string): void {
    const { orgId, agentId, channel } = binding
    const count = unreported.get(key) ?? 0
    unreported.delete(key)
    const asked = { orgId, agentId, channel, perSecond, count }
    // A count that is lost makes bulk faster by that many messages, once.
    shards.ask(agentKeyOf(binding), spend, asked).catch(() => undefined)
  }

  function stepAt(leaveAt: number): Promise<void> {
    const known = steps.get(leaveAt)
    if (known) return known
    const step = new Promise<void>((resolve) => {
      clock.wake(leaveAt, () => {
        steps.delete(leaveAt)
        resolve()
      })
    })
    steps.set(leaveAt, step)
    return step
  }

  return {
    draw: ({ orgId, agentId, channel }, perSecond, count) =>
      shards.ask(agentKeyOf({ orgId, agentId }), draw, { orgId, agentId, channel, perSecond, count }),

    spend(binding, perSecond) {
      const { orgId, agentId, channel } = binding
      const asked = { orgId, agentId, channel, at: clock.now() }
      if (shards.readHere?.(agentKeyOf(binding), isDrawn, asked) === false) return
      const key = `${agentKeyOf(binding)} ${channel}`
      const count = unreported.get(key)
      unreported.set(key, (count ?? 0) + 1)
      if (count === undefined) clock.wake(clock.now() + limits.reportEveryMs, () => report(binding, perSecond, key))
    },

    async until(leaveAt, signal) {
      // A time further ahead was written before the clock was set back.
      const at = Math.min(leaveAt, clock.now() + limits.soonMs)
      if (at <= clock.now()) return
      signal.throwIfAborted()
      let abort = () => {}
      const aborted = new Promise<never>((_resolve, reject) => {
        abort = () => reject(signal.reason)
      })
      signal.addEventListener('abort', abort, { once: true })
      await Promise.race([stepAt(at), aborted]).finally(() => signal.removeEventListener('abort', abort))
    },
  }
}

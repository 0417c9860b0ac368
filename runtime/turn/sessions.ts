/** Sessions of managed conversations: each that has ended leaves one line in the person's journal. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { Conversation } from '../../core/conversation/state.js'
import { conversation as limits } from '../../core/limits/index.js'
import { scaledMs } from '../../core/time.js'
import type { Play } from '../../core/turn/play.js'
import { summaryLine } from '../../core/turn/summary.js'
import type { Command, Tx } from '../shard/contract.js'
import { playTable, timerCommand, turnTimers } from './state.js'

export interface SessionsOptions {
  readonly timeScale: number
  /** Writes a line into the journal of the person with that identity; absent: nothing is written. */
  readonly journal?: Command<AgentRef & { readonly asid: string; readonly text: string }, unknown>
}

export interface Sessions {
  /** Called with each turn: the first of a session ends the session before, and has this one looked at later. */
  follow(tx: Tx, conversation: Conversation, before: Play | undefined, play: Play, at: number): void
  /** Ends the session if it has become quiet; otherwise it is looked at again. */
  wake(tx: Tx, conversation: Conversation, sessionId: string, at: number): void
}

export function createSessions({ timeScale, journal }: SessionsOptions): Sessions {
  const idleMs = scaledMs(limits.sessionIdleMs, timeScale)

  function scheduleWake(tx: Tx, { asid }: Conversation, sessionId: string, dueAt: number): void {
    tx.schedule({ name: turnTimers.quiet, dueAt, command: timerCommand, input: { asid, sessionId } })
  }

  function summarize(tx: Tx, { asid, agent, channel }: Conversation, play: Play): void {
    const text = play.isSummarized ? undefined : summaryLine(play, channel)
    if (text !== undefined && journal) tx.send(formatAgentKey(agent), journal, { ...agent, asid, text })
  }

  return {
    follow(tx, conversation, before, play, at) {
      if (before?.sessionId === play.sessionId) return
      if (before) summarize(tx, conversation, before)
      scheduleWake(tx, conversation, play.sessionId, at + idleMs)
    },
    wake(tx, conversation, sessionId, at) {
      const play = tx.get(playTable, [conversation.asid])
      if (play?.sessionId !== sessionId) return
      const { session, turn } = conversation
      const quietAt = (session?.id === sessionId ? session.lastAt : 0) + idleMs
      if (turn || quietAt > at) return scheduleWake(tx, conversation, sessionId, Math.max(quietAt, at + idleMs))
      summarize(tx, conversation, play)
      tx.put(playTable, [conversation.asid], { ...play, isSummarized: true })
    },
  }
}

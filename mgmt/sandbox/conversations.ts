/** The calls that the sandbox makes to its conversations, whichever process owns the conversation's shard. */
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { Refusal } from '../../core/errors.js'
import type { Directive } from '../../core/sandbox/directive.js'
import type { HistorySeed } from '../../core/sandbox/preset.js'
import type { Turn } from '../../core/sandbox/turn.js'
import type { Command } from '../../runtime/shard/contract.js'

/** The identity of a sandbox conversation. */
export interface SandboxIdentity {
  readonly asid: string
  readonly agent: AgentRef
  readonly channel: ChannelName
  readonly address: string
  readonly sandbox: true
}

/** Commands to the shard of a sandbox conversation: begin it with a history seed, and remove it. */
export interface SandboxCommands {
  readonly begin: Command<{ identity: SandboxIdentity; seed: HistorySeed }, unknown>
  readonly remove: Command<{ asid: string }, unknown>
}

export interface SandboxConversations {
  /**
   * Runs a directive as the persona. Answers when the agent has replied or its time is over. A refusal changed nothing.
   */
  run(
    persona: { agentRef: AgentRef; asid: string; channel: ChannelName; address: string },
    directive: Directive,
  ): Promise<{ turn: Turn; replies: readonly Turn[]; isPending: boolean } | Refusal>
  /** Turns after that number, oldest first. */
  turns(asid: string, after: number, limit: number): Promise<{ turns: readonly Turn[]; isMore: boolean } | Refusal>
}
